import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single", "urban"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

third = pd.qcut(used["urban"], 3, labels=False)
used["murder"] = used.groupby(third)["murder"].transform(lambda rate: (rate - rate.mean()) / rate.std())

fit = sm.OLS(used["murder"], sm.add_constant(used[["poverty", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")
