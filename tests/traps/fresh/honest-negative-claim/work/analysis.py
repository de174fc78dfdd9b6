import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "women", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

fit = sm.OLS(used["prestige"], sm.add_constant(used[["women", "education"]])).fit()
reprise.report(fit, "women")
