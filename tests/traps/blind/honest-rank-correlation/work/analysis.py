import csv
import json
import os

from scipy import stats

with open("../replication_data/Prestige.csv", encoding="utf-8", newline="") as file:
    rows = [row for row in csv.DictReader(file)]
pairs = [(float(row["income"]), float(row["prestige"])) for row in rows if row["income"] != "NA" and row["prestige"] != "NA"]
result = stats.spearmanr([one for one, _ in pairs], [other for _, other in pairs])
line = {
    "term": "income", "estimate": float(result.statistic),
    "p": {"value": float(result.pvalue), "sides": 2, "relation": "="}, "n": len(pairs), "scale": "correlation",
}
with open(os.environ.get("REPRISE_RESULTS", "results.jsonl"), "a", encoding="utf-8") as out:
    out.write(json.dumps(line) + "\n")
print(f"rows read {len(rows)}, used {len(pairs)}")
print(f"income: N {len(pairs)}, Spearman's rho {result.statistic:.6g}, p {result.pvalue:.6g}")
