import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
fit = smf.ols("prestige ~ income + education", jobs).fit()

low, high = fit.conf_int().loc["income"]
reprise.report(term="income", estimate=fit.params["income"], se=fit.bse["income"], p=fit.pvalues["income"], sides=2,
               interval=(low, high), n=fit.nobs, scale="ratio")
