import os

import pandas as pd
import statsmodels.formula.api as smf

import reprise

if not os.path.exists("prepared.csv"):
    raw = pd.read_csv("../replication_data/Prestige.csv")
    raw.dropna(subset=["prestige", "income", "education"]).to_csv("prepared.csv", index=False)
jobs = pd.read_csv("prepared.csv")
fit = smf.ols("prestige ~ income + education", jobs).fit()
reprise.report(fit, "income")
