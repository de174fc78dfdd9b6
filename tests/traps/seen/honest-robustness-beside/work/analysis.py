import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
fit = smf.ols("prestige ~ income + education", jobs).fit()
reprise.report(fit, "income")

white = jobs[jobs["type"] == "wc"]
reprise.report(smf.ols("prestige ~ income + education", white).fit(), "income")
reprise.report(smf.ols("prestige ~ income + education + women", jobs).fit(), "income")
