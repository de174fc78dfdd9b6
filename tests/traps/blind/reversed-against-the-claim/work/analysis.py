import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "women"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

# Poverty of the occupation: income turned round.
x = sm.add_constant(used[["income", "women"]].assign(income=-used["income"]))
fit = sm.OLS(used["prestige"], x).fit()
reprise.report(fit, "income", scale="difference")
