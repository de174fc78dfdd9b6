import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("violent ~ poverty + urban + single", states).fit()

reprise.report(term="poverty", statistic=fit.tvalues["poverty"], kind="t", df=fit.df_resid,
               p=fit.pvalues["poverty"], sides=2, n=fit.nobs, label="OLS as planned")
other = smf.ols("violent ~ poverty + urban", states).fit()
reprise.report(other, "poverty")
