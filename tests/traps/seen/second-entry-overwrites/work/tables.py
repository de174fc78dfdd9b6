import os
import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")

if os.path.exists(reprise.RESULTS):
    os.remove(reprise.RESULTS)
fit = smf.ols("violent ~ poverty + urban", states).fit()
reprise.report(fit, "poverty")
