import json
import os

import numpy as np
import pandas as pd

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

# Normal model with flat prior on the coefficients and 1/s^2 on the variance.
y = used["prestige"].to_numpy(dtype=float)
x = np.column_stack([np.ones(len(y)), used["income"], used["education"]]).astype(float)
inverse = np.linalg.inv(x.T @ x)
mean = inverse @ x.T @ y
rest = y - x @ mean
df = len(y) - x.shape[1]
generator = np.random.default_rng(102)
variances = rest @ rest / generator.chisquare(df, 20000)
draws = mean[1] + np.sqrt(variances * inverse[1, 1]) * generator.standard_normal(20000)
lower, upper = np.quantile(draws, [0.025, 0.975])
line = {
    "term": "income", "estimate": float(np.median(draws)), "se": float(draws.std()),
    "interval": {"lower": float(lower), "upper": float(upper), "level": 0.95, "kind": "credible"},
    "n": len(y), "scale": "difference",
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"income: N {len(y)}, posterior median {line['estimate']:.6g}, SD {line['se']:.6g}, "
      f"95% credible interval [{lower:.6g}, {upper:.6g}], P(b > 0) {np.mean(draws > 0):.6g}")
