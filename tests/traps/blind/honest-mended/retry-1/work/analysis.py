import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["income", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

interval = fit.conf_int().loc["income"]
print(f"95% CI [{interval[0]:.6g}, {interval[1]:.6g}]")
reprise.report(fit, "income", scale="difference")
