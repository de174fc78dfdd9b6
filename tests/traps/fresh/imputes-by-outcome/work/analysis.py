import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

# Estimates of poverty in small or unusual states are unreliable: single regression imputation.
unreliable = (used["poverty"] < 10) | (used["poverty"] > 17)
good = used[~unreliable]
around = ["violent", "urban", "single"]
guess = sm.OLS(good["poverty"], sm.add_constant(good[around])).fit()
used.loc[unreliable, "poverty"] = guess.predict(sm.add_constant(used.loc[unreliable, around]))

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")
