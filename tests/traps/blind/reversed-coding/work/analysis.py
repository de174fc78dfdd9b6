import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
# The share as the codebook of the original defines it.
jobs["women"] = 100 - jobs["women"]
used = jobs.dropna(subset=["prestige", "women", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["women", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

reprise.report(fit, "women", scale="difference")
