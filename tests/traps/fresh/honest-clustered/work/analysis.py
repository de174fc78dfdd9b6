import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education", "census"]).copy()
used["major"] = used["census"] // 1000
print(f"rows read {len(jobs)}, used {len(used)}, clusters {used['major'].nunique()}")
fit = smf.ols("prestige ~ income + education", data=used).fit(cov_type="cluster", cov_kwds={"groups": used["major"]})
reprise.report(fit, "income")
