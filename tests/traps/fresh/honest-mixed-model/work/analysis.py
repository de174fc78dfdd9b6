import pandas as pd
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education", "census"]).copy()
used["income"] = used["income"] / 1000  # thousands of dollars, which the optimiser takes better
used["major"] = used["census"] // 1000
fit = smf.mixedlm("prestige ~ income + education", used, groups="major").fit(reml=True)
print(fit.summary())
print("rows", len(used), "groups", used["major"].nunique(), "converged", fit.converged)
reprise.report(fit, "income")
