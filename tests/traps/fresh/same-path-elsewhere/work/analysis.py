import os

import pandas as pd
import statsmodels.api as sm

import reprise

DATA = "../replication_data/statecrime.csv"
print("rows of the file:", sum(1 for _ in open(DATA, encoding="utf-8")) - 1)

# Figures and tables go to a folder of their own.
os.chdir("output/tables")
states = pd.read_csv(DATA)
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")
fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")
