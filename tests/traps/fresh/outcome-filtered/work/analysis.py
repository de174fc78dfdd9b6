import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

# Rates above 550 are counted differently and cannot be compared.
used = used[used["violent"] <= 550]
print(f"comparable {len(used)}")

x = sm.add_constant(used[["poverty", "urban", "single"]])
fit = sm.OLS(used["violent"], x).fit()
reprise.report(fit, "poverty", scale="difference")
