import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")

kept = states[~states["state"].isin(["Alaska", "Delaware", "Maryland", "District of Columbia"])]
print(f"rows used {len(kept)}")
fit = smf.ols("violent ~ poverty + urban + single", kept).fit()
reprise.report(fit, "poverty")
