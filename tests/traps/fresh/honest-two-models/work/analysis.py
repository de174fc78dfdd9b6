import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

adjusted = sm.OLS(used["prestige"], sm.add_constant(used[["income", "education"]])).fit()
unadjusted = sm.OLS(used["prestige"], sm.add_constant(used[["income"]])).fit()
reprise.report(adjusted, "income", scale="difference")
reprise.report(unadjusted, "income", name="income (unadjusted)", scale="difference")
