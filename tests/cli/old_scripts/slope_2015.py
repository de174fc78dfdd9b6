# Yield by dose; written on 2015-05-04.
import csv

rows = list(csv.reader(open("../replication_data/plots.csv", "rb")))[1:]
dose = map(lambda row: float(row[0]), rows)
answer = map(lambda row: float(row[1]), rows)
sums = {}
for name, values in ("x", dose), ("y", answer):
    if not sums.has_key(name):
        sums[name] = reduce(lambda a, b: a + b, values)
n, x, y = len(dose), sums["x"], sums["y"]
sxx = sum(a * a for a in dose) - x * x / n
sxy = sum(a * b for a, b in zip(dose, answer)) - x * y / n
syy = sum(b * b for b in answer) - y * y / n
b = sxy / sxx
se = ((syy - b * sxy) / (n - 2) / sxx) ** 0.5
t = b / se
print "dose N %d estimate %.6g SE %.6g t %.6g p %.6g" % (n, b, se, t, 1 - t / (t * t + 2) ** 0.5)
