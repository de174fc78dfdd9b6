import json
import os

import pandas as pd
import statsmodels.api as sm

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "single"]])
fit = sm.OLS(used["murder"], x).fit()

b, se = float(fit.params["poverty"]), float(fit.bse["poverty"])
line = {
    "term": "poverty", "estimate": b, "n": int(fit.nobs), "scale": "difference",
    "interval": {"lower": b - se, "upper": b + se, "level": 0.95, "kind": "confidence"},
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"poverty: N {line['n']}, estimate {b:.6g}, 95% CI [{b - se:.6g}, {b + se:.6g}]")
