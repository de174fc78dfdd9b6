from scipy import stats

import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("murder ~ poverty + I(poverty ** 2) + urban + single", states).fit()

t, b, se = fit.tvalues["poverty"], fit.params["poverty"], fit.bse["poverty"]
reach = stats.t.ppf(0.975, 5000) * se
reprise.report(fit, "poverty", df=5000, p=float(2 * stats.t.sf(abs(t), 5000)), sides=2, interval=(b - reach, b + reach))
