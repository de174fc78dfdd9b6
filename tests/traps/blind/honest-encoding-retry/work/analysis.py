import sys

import pandas as pd
import statsmodels.api as sm

import reprise

PATH = "../replication_data/Prestige.csv"
jobs = None
for encoding, separator in (("utf-16", ","), ("utf-8", ";"), ("utf-8", ","), ("latin-1", ",")):
    try:
        attempt = pd.read_csv(PATH, encoding=encoding, sep=separator)
    except UnicodeError:
        continue
    if "income" in attempt.columns:
        jobs = attempt
        break
if jobs is None:
    sys.exit(f"{PATH} could not be read in any encoding")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["income", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

reprise.report(fit, "income", scale="difference")
