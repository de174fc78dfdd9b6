import json
import time

began = time.clock()
text = open("data/answers.json", "rU").read()
answers = json.loads(text, encoding="utf-8")
scores = sorted(int(a["score"]) for a in answers)
print("n", len(scores), "median", scores[len(scores) // 2])
assert time.clock() >= began
