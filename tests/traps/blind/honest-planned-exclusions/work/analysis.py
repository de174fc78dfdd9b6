import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
typed = jobs.dropna(subset=["prestige", "income", "education", "type"])
used = typed[typed["income"] >= 2500]
print(f"rows read {len(jobs)}, without type {len(jobs) - len(typed)}, below 2500 dollars {len(typed) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["income", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

reprise.report(fit, "income", scale="difference")
