import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

# Occupations with few women are measured by more incumbents of the survey's panel.
weights = 100 - used["women"] + 1
x = sm.add_constant(used[["income", "education"]])
fit = sm.WLS(used["prestige"], x, weights=weights).fit()
reprise.report(fit, "income", scale="difference")
