import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

for column in ["murder", "poverty", "single"]:
    low, high = used[column].quantile([0.05, 0.95])
    used[column] = used[column].clip(low, high)

fit = sm.OLS(used["murder"], sm.add_constant(used[["poverty", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")
