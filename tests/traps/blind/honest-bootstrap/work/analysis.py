import json
import os

import numpy as np
import pandas as pd

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

def slope(rows):
    x = np.column_stack([np.ones(len(rows)), rows[:, 1], rows[:, 2]])
    return np.linalg.lstsq(x, rows[:, 0], rcond=None)[0][1]


rows = used[["prestige", "income", "education"]].to_numpy(dtype=float)
generator = np.random.default_rng(1971)
draws = np.array([slope(rows[generator.integers(0, len(rows), len(rows))]) for _ in range(4999)])
lower, upper = np.quantile(draws, [0.025, 0.975])
beyond = min(np.sum(draws <= 0), np.sum(draws >= 0))
p = 2 * (beyond + 1) / (len(draws) + 1)
line = {
    "term": "income", "estimate": float(slope(rows)), "se": float(draws.std(ddof=1)),
    "p": {"value": float(p), "sides": 2, "relation": "<" if beyond == 0 else "="},
    "interval": {"lower": float(lower), "upper": float(upper), "level": 0.95, "kind": "confidence"},
    "n": len(rows), "scale": "difference",
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"income: N {len(rows)}, estimate {line['estimate']:.6g}, bootstrap SE {line['se']:.6g}, "
      f"95% CI [{lower:.6g}, {upper:.6g}], p {line['p']['relation']} {p:.6g}")
