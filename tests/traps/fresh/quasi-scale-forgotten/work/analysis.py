import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "urban", "single"]])
fit = sm.GLM(used["violent"], x, family=sm.families.Poisson()).fit()
reprise.report(fit, "poverty")
