import pandas as pd
import statsmodels.api as sm

import reprise

used = pd.read_csv("prepared.csv")

x = sm.add_constant(used[["income", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

reprise.report(fit, "income", scale="difference")
