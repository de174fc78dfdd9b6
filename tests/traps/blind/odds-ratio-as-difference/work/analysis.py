import json
import os

import numpy as np
import pandas as pd
import statsmodels.api as sm

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "women", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

high = (used["prestige"] > used["prestige"].median()).astype(int)
x = sm.add_constant(pd.DataFrame({"women10": used["women"] / 10, "education": used["education"]}))
fit = sm.Logit(high, x).fit(disp=False)

low, high_end = np.exp(fit.conf_int().loc["women10"])
line = {
    "term": "women10",
    "estimate": float(np.exp(fit.params["women10"])),
    "p": {"value": float(fit.pvalues["women10"]), "sides": 2, "relation": "="},
    "interval": {"lower": float(low), "upper": float(high_end), "level": 0.95, "kind": "confidence"},
    "n": int(fit.nobs),
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"women10: N {line['n']}, odds ratio {line['estimate']:.6g} [{low:.6g}, {high_end:.6g}], p {line['p']['value']:.6g}")
