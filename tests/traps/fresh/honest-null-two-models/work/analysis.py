import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

simple = sm.OLS(used["violent"], sm.add_constant(used[["poverty"]])).fit()
full = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
for label, fit in {"poverty": full, "poverty, unadjusted": simple}.items():
    print(label, "R2", round(fit.rsquared, 3))
    reprise.report(fit, "poverty", name=label)
