import json
import os

import numpy as np
import pandas as pd

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

def residual(y, z):
    x = np.column_stack([np.ones(len(z)), z])
    return y - x @ np.linalg.lstsq(x, y, rcond=None)[0]


# Freedman and Lane: residuals of the outcome on education are permuted.
y = used["prestige"].to_numpy(dtype=float)
income = residual(used["income"].to_numpy(dtype=float), used["education"].to_numpy(dtype=float))
rest = residual(y, used["education"].to_numpy(dtype=float))
estimate = income @ rest / (income @ income)
generator = np.random.default_rng(11)
null = np.array([income @ generator.permutation(rest) / (income @ income) for _ in range(9999)])
p = (np.sum(np.abs(null) >= abs(estimate)) + 1) / (len(null) + 1)
line = {
    "term": "income", "estimate": float(estimate), "p": {"value": float(p), "sides": 2, "relation": "="},
    "n": len(used), "scale": "difference",
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"income: N {len(used)}, estimate {estimate:.6g}, permutation p {p:.6g} (9999 permutations)")
