import pandas as pd
import statsmodels.api as sm

import reprise
from states import ROWS

file = pd.read_csv("../replication_data/statecrime.csv")
used = pd.DataFrame(ROWS, columns=["state", "violent", "poverty", "urban", "single"])
print(f"rows read {len(file)}, dropped {len(file) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "urban", "single"]])
fit = sm.OLS(used["violent"], x).fit()

reprise.report(fit, "poverty", scale="difference")
