import hashlib
import pathlib
import sys

import pandas as pd
import statsmodels.api as sm

import reprise

PATH = pathlib.Path("../replication_data/Prestige.csv")
EXPECTED = "12d4bd86ad202c78e3c8507f74cc5b532d56eefa6ff24a1231b77e0d9756b4c9"
if hashlib.sha256(PATH.read_bytes()).hexdigest() != EXPECTED:
    sys.exit(f"{PATH} is not the file of carData 3.0-5")

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["income", "education"]])
fit = sm.OLS(used["prestige"], x).fit()

reprise.report(fit, "income", scale="difference")
