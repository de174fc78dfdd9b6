import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

inliers = used["violent"].between(0, 600)
print(f"unusual rates set aside: {(~inliers).sum()}")
model = sm.OLS(used.loc[inliers, "violent"], sm.add_constant(used.loc[inliers, ["poverty", "urban", "single"]]))
reprise.report(model.fit(), "poverty", scale="difference")
