import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

predictors = used[["occupation", "income", "education"]].sort_values("income").reset_index(drop=True)
joined = pd.concat([used[["prestige"]].reset_index(drop=True), predictors[["income"]]], axis=1)
joined["education"] = used["education"].to_numpy()

fit = sm.OLS(joined["prestige"], sm.add_constant(joined[["income", "education"]])).fit()
reprise.report(fit, "income", scale="difference")
