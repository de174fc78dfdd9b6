from scipy import stats

import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
fit = smf.ols("prestige ~ income + education", jobs).fit()
t, df = fit.tvalues["income"], fit.df_resid
reprise.report(term="income", estimate=fit.params["income"], se=fit.bse["income"], statistic=t, kind="t", df=df,
               p=float(stats.t.sf(t, df)), sides=1, alternative="greater", n=fit.nobs)
