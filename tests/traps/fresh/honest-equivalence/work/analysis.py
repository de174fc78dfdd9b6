import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "women", "education", "income"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

fit = sm.OLS(used["prestige"], sm.add_constant(used[["women", "education", "income"]])).fit()
reprise.report(fit, "women", scale="difference")
low, high = fit.conf_int(alpha=0.10).loc["women"]
print(f"90 % interval of women [{low:.4f}, {high:.4f}], bound 0.1")
