import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
print(f"rows read {len(jobs)}")
jobs["high"] = (jobs["prestige"] > jobs["prestige"].median()).astype(int)
jobs["women10"] = jobs["women"] / 10
fit = smf.logit("high ~ women10 + education", jobs).fit(disp=False)

low, high = np.exp(fit.conf_int().loc["women10"])
ratio = np.exp(fit.params["women10"])
print(f"odds ratio {ratio:.6g} [{low:.6g}, {high:.6g}]")
reprise.report(term="women10", estimate=ratio, interval=(low, high), n=fit.nobs)
