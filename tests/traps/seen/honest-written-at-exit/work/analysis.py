import atexit
import os

import pandas as pd
import statsmodels.formula.api as smf

import reprise

final, reprise.RESULTS = reprise.RESULTS, os.path.abspath("results.partial")
atexit.register(lambda: os.replace("results.partial", final))

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
fit = smf.ols("prestige ~ income + education", jobs).fit()
reprise.report(fit, "income")
