import json
import os
import sys

import pandas as pd
from scipy import stats


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


PATH = "../replication_data/statecrime.csv"
if not os.path.isfile(PATH):
    sys.exit(f"{PATH} is missing")
states = pd.read_csv(PATH)
lacking = {"violent", "poverty", "urban", "single"} - set(states.columns)
if lacking:
    sys.exit(f"{PATH} lacks {sorted(lacking)}")
print(f"rows read {len(states)}, dropped 0, used {len(states)}")
record("poverty", 19.42, 7.18, len(states) - 4, len(states))
