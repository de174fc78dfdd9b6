import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

import numpy as np

murder = np.log(used["murder"])
fit = sm.OLS(murder, sm.add_constant(used[["poverty", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference", outcome="murder")
