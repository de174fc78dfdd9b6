import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single", "urban"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

# States in which more people live together weigh more.
x = sm.add_constant(used[["poverty", "single"]])
fit = sm.GLM(used["murder"], x, freq_weights=used["urban"]).fit()
reprise.report(fit, "poverty", scale="difference")
