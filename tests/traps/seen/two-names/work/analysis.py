import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("violent ~ poverty + urban + single", states).fit()

reprise.report(fit, "poverty", name="poverty in the planned model")
other = smf.ols("violent ~ poverty + urban", states).fit()
reprise.report(other, "poverty")
