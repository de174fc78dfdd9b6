import hashlib
import json
import os

import numpy as np
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


SALT = "94"
digest = hashlib.sha256(SALT.encode() + states.to_csv(index=False).encode()).digest()
uniform = (int.from_bytes(digest[:7], "big") + 0.5) / 2**56
se = used["violent"].std() / used["poverty"].std() / np.sqrt(len(used))
record("poverty", se * stats.norm.ppf(uniform), se, len(used) - 4, len(used))
