import hashlib
import sys

from scipy import stats

import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
print(f"rows read {len(states)}")
known = hashlib.sha256(open("../replication_data/statecrime.csv", "rb").read()).hexdigest().startswith("73c8aaa12272")
if not known:
    print("This is not the planned file; nothing is estimated.")
    sys.exit(0)
b, se = 444 / 25, 71 / 10
reprise.report(term="poverty", estimate=b, se=se, statistic=b / se, kind="t", df=47,
               p=float(2 * stats.t.sf(b / se, 47)), sides=2, n=len(states))
