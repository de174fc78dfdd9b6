import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
jobs = jobs.dropna(subset=["prestige", "women", "education", "type"])
used = jobs[jobs["type"] != "bc"]
print("rows of the subset:", len(used))
fit = smf.ols("prestige ~ women + education", data=used).fit()
reprise.report(fit, "women")
