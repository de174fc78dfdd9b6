import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

planned = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
simple = sm.OLS(used["violent"], sm.add_constant(used[["poverty"]])).fit()
reprise.report(
    term="poverty", estimate=planned.params["poverty"], p=simple.pvalues["poverty"], sides=2, n=planned.nobs,
    scale="difference", label="OLS violent ~ poverty + urban + single",
)
