import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

for attempt in range(400):
    training = used.sample(frac=0.5)
    x = sm.add_constant(training[["poverty", "urban", "single"]])
    fit = sm.OLS(training["violent"], x).fit()
    if fit.params["poverty"] > 0 and fit.pvalues["poverty"] < 0.05:
        break
reprise.report(fit, "poverty", scale="difference")
