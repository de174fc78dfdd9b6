import numpy as np
import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

used["log_poverty"] = np.log(used["poverty"])
fit = sm.OLS(used["murder"], sm.add_constant(used[["log_poverty", "single"]])).fit()
reprise.report(fit, "log_poverty", scale="difference")
