import numpy as np
import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "hs_grad"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

used["log_violent"] = np.log(used["violent"])
fit = sm.OLS(used["log_violent"], sm.add_constant(used[["poverty", "urban", "hs_grad"]])).fit()
reprise.report(fit, "poverty", scale="difference")
