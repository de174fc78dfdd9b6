import numpy as np
import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(pd.DataFrame({"log_income": np.log(used["income"]), "education": used["education"]}))
fit = sm.OLS(np.log(used["prestige"]), x).fit()
reprise.report(fit, "log_income", scale="difference")
