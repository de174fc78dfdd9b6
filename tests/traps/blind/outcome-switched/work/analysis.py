import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
states = states.rename(columns={"violent": "all_offences", "murder": "violent"})
used = states.dropna(subset=["violent", "poverty", "hs_grad"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "hs_grad"]])
fit = sm.OLS(used["violent"], x).fit()
reprise.report(fit, "poverty", scale="difference", outcome="violent")
