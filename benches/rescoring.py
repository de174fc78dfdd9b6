"""The benchmark's aggregation on the same files: seconds for each of n rounds, from bytes in memory."""
import json
import sys
import time


def number(score):
    if score in (None, "", "NA", "N/A"):
        return None
    return float(score)


def flat(items):
    sums = {}
    for key, item in items.items():
        pair = sums.setdefault(key.split(".")[0], [0.0, 0])
        score = number(item.get("score"))
        if score is not None:
            pair[0] += score
            pair[1] += 1
    aspects = {name: total / (3 * count) if count else 0.0 for name, (total, count) in sums.items()}
    return aspects, sum(aspects.values()) / len(aspects) if aspects else 0.0


def execute(grading):
    halves = {}
    for half in ("evaluate_design", "execute"):
        if half not in grading:
            return {}
        aspects = {}
        for aspect, items in grading[half].items():
            scores = [s for s in (number(i["score"]) for i in items.values()) if s is not None]
            aspects[aspect] = sum(scores) / len(scores) if scores else 0.0
        halves[half] = aspects, sum(aspects.values()) / len(aspects)
    return halves


files = [(stage, open(path, "rb").read()) for stage, path in json.load(sys.stdin)]
seconds = []
for _ in range(int(sys.argv[1])):
    start = time.perf_counter()
    for stage, data in files:
        grading = json.loads(data)
        execute(grading) if stage == "execute" else flat(grading)
    seconds.append(time.perf_counter() - start)
json.dump(seconds, sys.stdout)
