import numpy as np
import pandas as pd
import statsmodels.api as sm

import reprise
from scipy import stats

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "single"]]).to_numpy()
y = used["murder"].to_numpy()
inverse = np.linalg.inv(x.T @ x)
b = inverse @ x.T @ y
df = len(y) - x.shape[1]
sigma2 = ((y - x @ b) ** 2).sum() / df
se = np.diag(inverse * sigma2)[1]
t = b[1] / se
reprise.report(term="poverty", estimate=b[1], se=se, statistic=t, kind="t", df=df, p=2 * stats.t.sf(abs(t), df), sides=2,
               n=len(y), scale="difference", label="OLS murder ~ poverty + single", outcome="murder")
