import pandas as pd
import statsmodels.api as sm

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "single"]])
fit = sm.OLS(used["murder"], x).fit()

n, b, p = int(fit.nobs), fit.params["poverty"], fit.pvalues["poverty"] / 2
print(f"poverty: N {n}, estimate {b:.6g}, p {p:.6g}")
