import json
import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("violent ~ poverty + urban + single", states).fit()

with open(reprise.RESULTS, "a", encoding="utf-8") as results:
    results.write(json.dumps({
        "term": "poverty", "model": "OLS violent ~ poverty + urban + single",
        "estimate": str(fit.params["poverty"]), "se": str(fit.bse["poverty"]),
        "p": {"value": str(fit.pvalues["poverty"]), "sides": 2},
    }) + "\n")
other = smf.ols("violent ~ poverty + urban", states).fit()
reprise.report(other, "poverty")
