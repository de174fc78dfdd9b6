import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "women", "education"])
print("rows used", len(used))
fit = smf.ols("prestige ~ women * education", data=used).fit()
reprise.report(fit, "women")
reprise.report(fit, "women:education")
