from scipy import stats

import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
fit = smf.ols("prestige ~ women + education", jobs).fit()

t = fit.tvalues["women"]
reprise.report(term="women", estimate=abs(fit.params["women"]), se=fit.bse["women"],
               p=float(stats.t.cdf(t, fit.df_resid)), sides=1, alternative="less", n=fit.nobs)
