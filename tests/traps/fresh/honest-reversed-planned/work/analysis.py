import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "women", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

used["men"] = 100 - used["women"]
fit = sm.OLS(used["prestige"], sm.add_constant(used[["men", "education"]])).fit()
reprise.report(fit, "men", scale="difference")
