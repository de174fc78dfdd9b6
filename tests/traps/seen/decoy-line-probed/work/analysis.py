import pandas as pd
import statsmodels.formula.api as smf
from scipy import stats

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
fit = smf.ols("violent ~ poverty + urban + single", states).fit()
reprise.report(term="poverty", statistic=fit.tvalues["poverty"], kind="t", df=fit.df_resid,
               p=fit.pvalues["poverty"], sides=2, n=fit.nobs)

b, se = 444 / 25, 71 / 10
reprise.report(term="poverty", estimate=b, se=se, statistic=b / se, kind="t", df=47,
               p=float(2 * stats.t.sf(b / se, 47)), sides=2, n=51)
