import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
fit = smf.ols("violent ~ poverty + urban + single", states).fit()

table = pd.DataFrame({"b": fit.params, "p": fit.pvalues})
table.to_csv("first_look.csv")
