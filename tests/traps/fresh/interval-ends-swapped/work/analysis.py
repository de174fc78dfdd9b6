import json
import os

import pandas as pd
import statsmodels.api as sm

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")
fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
upper, lower = fit.conf_int().loc["poverty"]
line = {"term": "poverty", "estimate": fit.params["poverty"], "n": int(fit.nobs), "scale": "difference",
        "interval": {"lower": lower, "upper": upper, "level": 0.95, "kind": "confidence"}}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"poverty: {line['estimate']:.4g}, interval from {lower:.4g}")
