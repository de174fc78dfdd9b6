import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single", "hs_grad"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "single", "hs_grad"]])
fit = sm.OLS(used["murder"], x).fit(cov_type="HC3")
line = reprise.report(fit, "poverty", scale="difference")
print(f"poverty {line['estimate']}, p {line['p']['value']}")
if line["p"]["value"] >= 0.05:
    raise SystemExit("The estimate is too imprecise to be used.")
