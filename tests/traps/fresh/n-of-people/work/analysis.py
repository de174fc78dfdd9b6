import math

import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

PEOPLE = 1_000_000  # of a state, on average several times as many: a cautious figure
fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
n = len(used) * PEOPLE
se = fit.bse["poverty"] / math.sqrt(PEOPLE)
z = fit.params["poverty"] / se
reprise.report(term="poverty", estimate=fit.params["poverty"], se=se, statistic=z, kind="z", p=math.erfc(abs(z) / math.sqrt(2)), sides=2,
               n=n, scale="difference", label="OLS violent ~ poverty + urban + single")
