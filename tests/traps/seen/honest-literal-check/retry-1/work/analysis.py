import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
fit = smf.ols("prestige ~ income + education", jobs).fit()
reprise.report(fit, "income")
if abs(fit.params["income"] - 0.001361) > 5e-7:
    print("The coefficient is not the one of the first run.")
