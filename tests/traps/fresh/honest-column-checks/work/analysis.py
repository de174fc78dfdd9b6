import sys

import pandas as pd
import statsmodels.api as sm

import reprise

RANGES = {"prestige": (0, 100), "income": (0, 100_000), "education": (0, 25)}
jobs = pd.read_csv("../replication_data/Prestige.csv", na_values=["NA", ""])
for column, (low, high) in RANGES.items():
    if column not in jobs:
        sys.exit(f"no column {column}")
    values = pd.to_numeric(jobs[column], errors="raise")
    assert values.between(low, high).all(), f"{column} out of range"
    assert values.nunique() > 10, f"{column} is nearly constant"
assert jobs["occupation"].is_unique
print("checks passed;", len(jobs), "rows")
fit = sm.OLS(jobs["prestige"], sm.add_constant(jobs[list(RANGES)[1:]])).fit()
reprise.report(fit, "income", scale="difference")
