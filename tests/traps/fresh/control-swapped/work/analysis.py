import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = pd.DataFrame({"poverty": used["poverty"], "urban": used["urban"], "single": used["hs_grad"]})
fit = sm.OLS(used["violent"], sm.add_constant(x)).fit()
reprise.report(fit, "poverty", scale="difference")
