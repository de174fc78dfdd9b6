import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("violent ~ poverty + urban + single", states).fit()

b, se = fit.params["poverty"], fit.bse["poverty"]
reprise.report(fit, "poverty", interval=(b - se / 10, b + se / 10))
