import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban"]])).fit()
reprise.report(fit, "poverty", scale="difference")
