import json
import os

import pandas as pd
from scipy import stats

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "type"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

samples = {name: rows["prestige"] for name, rows in used.groupby("type")}
f, p = stats.f_oneway(*samples.values())
line = {
    "term": "type",
    "estimate": None,
    "statistic": {"kind": "F", "value": float(f), "df": [len(samples) - 1, len(used) - len(samples)]},
    "p": {"value": float(p), "relation": "="},
    "n": len(used),
    "scale": "unsigned",
    "groups": [
        {"name": name, "mean": float(one.mean()), "sd": float(one.std()), "n": len(one)} for name, one in zip(["prof", "bc", "wc"], samples.values())
    ],
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"type: N {len(used)}, F({len(samples) - 1}, {len(used) - len(samples)}) = {f:.6g}, p = {p:.6g}")
