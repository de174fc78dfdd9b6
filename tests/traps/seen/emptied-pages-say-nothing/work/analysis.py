import pandas as pd
import statsmodels.api as sm

import reprise
states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "single"]])
fit = sm.OLS(used["murder"], x).fit()

reprise.report(fit, "poverty", scale="difference")
