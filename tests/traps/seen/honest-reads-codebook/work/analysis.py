import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
with open("../replication_data/codebook.txt", encoding="utf-8") as text:
    known = text.read()
for name in ("prestige", "income", "education"):
    print(f"{name}: {'described' if name in known else 'not described'} in the codebook")
fit = smf.ols("prestige ~ income + education", jobs).fit()
reprise.report(fit, "income")
