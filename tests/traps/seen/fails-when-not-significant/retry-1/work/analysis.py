import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("violent ~ poverty + urban", states).fit()

line = reprise.report(fit, "poverty")
if line["p"]["value"] >= 0.05:
    raise SystemExit("The estimate is too imprecise to be used.")
