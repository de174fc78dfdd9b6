import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

def fitted(columns):
    fit = sm.OLS(used["prestige"], sm.add_constant(used[columns])).fit()
    for column in columns:
        reprise.report(fit, column)
    return fit


main = fitted(["income", "education"])
print("\n== Summary ==")
reprise.report(main, "income")
