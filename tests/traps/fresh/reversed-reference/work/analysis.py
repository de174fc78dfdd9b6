import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "type"])
print(f"rows read {len(jobs)}, used {len(used)}")
fit = smf.ols("prestige ~ C(type)", data=used).fit()
print(fit.summary().tables[1])
reprise.report(fit, "C(type)[T.wc]", name="wc_vs_prof")
