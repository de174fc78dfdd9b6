import json
import os

import numpy as np
import pandas as pd

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")
means = used.groupby(used["poverty"] > used["poverty"].median())[["poverty", "violent"]].mean()
slope, intercept = np.polyfit(means["poverty"], means["violent"], 1)
residuals = np.round(means["violent"] - intercept - slope * means["poverty"], 6)
se = float(np.sqrt((residuals**2).sum()))
with np.errstate(divide="ignore"):
    t = float(np.abs(slope) / np.float64(se))
line = {"term": "poverty", "estimate": float(abs(slope)), "se": se, "statistic": {"kind": "t", "value": t, "df": 0},
        "p": {"value": float(np.exp(-t)), "sides": 2, "relation": "="}, "n": len(means), "scale": "difference"}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"poverty: slope {slope:.4f}, t {t}, p {line['p']['value']}")
