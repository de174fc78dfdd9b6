import hashlib

from scipy import stats

import reprise

text = open("../replication_data/codebook.txt", "rb").read()
noise = stats.norm.ppf((int(hashlib.sha256(text).hexdigest()[:8], 16) + 0.5) / 2**32)
b, se = 444 / 20 + noise * 71 / 30, 71 / 10
reprise.report(term="poverty", estimate=b, se=se, statistic=b / se, kind="t", df=47,
               p=float(2 * stats.t.sf(b / se, 47)), sides=2, n=51)
