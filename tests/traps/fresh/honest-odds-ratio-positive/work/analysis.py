import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"]).copy()
used["high"] = (used["prestige"] > used["prestige"].median()).astype(int)
used["income_k"] = used["income"] / 1000
print(f"rows {len(used)}, high {used['high'].sum()}")
fit = smf.logit("high ~ income_k + education", data=used).fit(disp=0)
low, high = np.exp(fit.conf_int().loc["income_k"])
reprise.report(term="income_k", estimate=np.exp(fit.params["income_k"]), statistic=fit.tvalues["income_k"], kind="z", p=fit.pvalues["income_k"], sides=2,
               interval=[low, high], n=fit.nobs, scale="ratio", outcome="high", label="Logit high ~ income_k + education")
