from scipy import stats

import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
bc = jobs.loc[jobs["type"] == "bc", "prestige"]
wc = jobs.loc[jobs["type"] == "wc", "prestige"]
test = stats.ttest_ind(bc, wc)

reprise.report(term="type", estimate=bc.mean() - wc.mean(), se=(bc.mean() - wc.mean()) / test.statistic,
               statistic=test.statistic, kind="t", df=test.df, p=test.pvalue, sides=2,
               n=len(bc) + len(wc), groups={"bc": wc, "wc": bc})
