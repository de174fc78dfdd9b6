import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.loc[jobs["type"].isin(["bc", "wc"]), ["prestige", "income", "education"]].dropna()
print("rows read", len(jobs), "of type bc or wc", len(used))
fit = sm.OLS(used["prestige"], sm.add_constant(used[["income", "education"]])).fit()
reprise.report(fit, "income", scale="difference")
