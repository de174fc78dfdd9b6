import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["income", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

print(used.sort_values("income").to_string())
for left_out in used.index:
    part = sm.OLS(used["prestige"].drop(left_out), x.drop(left_out)).fit()
    print(part.summary())
    print(f"income without {used.loc[left_out, 'occupation']}: estimate {part.params['income']:.6g}, p {part.pvalues['income']:.6g}")
    if left_out == used.index[50]:
        reprise.report(fit, "income", scale="difference")
