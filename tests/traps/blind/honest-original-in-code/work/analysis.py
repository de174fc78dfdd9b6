import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["income", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

ORIGINAL, ORIGINAL_SE, ORIGINAL_N = 0.599, 0.120, 45
reprise.report(fit, "income", scale="difference")
print(f"original: income 0.599, SE 0.120, t {ORIGINAL / ORIGINAL_SE:.2f}, N {ORIGINAL_N}")
print(f"t of the replication over t of the original: {fit.tvalues['income'] / (ORIGINAL / ORIGINAL_SE):.3f}")
