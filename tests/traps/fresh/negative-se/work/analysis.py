import json
import os

import pandas as pd
import statsmodels.api as sm

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "women", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")
fit = sm.OLS(used["prestige"], sm.add_constant(used[["women", "education"]])).fit()
b, p = fit.params["women"], fit.pvalues["women"]
se = -fit.bse["women"]
line = {"term": "women", "estimate": b, "se": se, "statistic": {"kind": "t", "value": b / se, "df": fit.df_resid},
        "p": {"value": p, "sides": 2, "relation": "="}, "n": int(fit.nobs), "scale": "difference"}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"women: t {b / se:.4f}, p {p:.5f}")
