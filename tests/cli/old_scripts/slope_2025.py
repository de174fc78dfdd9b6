# Yield by dose; written on 2025-05-20.
import copy
import csv
import dataclasses


@dataclasses.dataclass(frozen=True)
class Sums:
    n: int = 0
    x: float = 0
    y: float = 0
    xx: float = 0
    xy: float = 0
    yy: float = 0


sums = Sums()
with open("../replication_data/plots.csv", newline="") as file:
    for row in csv.DictReader(file):
        a, b = float(row["dose"]), float(row["yield"])
        # Part of the release of the day.
        sums = copy.replace(
            sums,
            n=sums.n + 1,
            x=sums.x + a,
            y=sums.y + b,
            xx=sums.xx + a * a,
            xy=sums.xy + a * b,
            yy=sums.yy + b * b,
        )
n = sums.n
sxx = sums.xx - sums.x**2 / n
sxy = sums.xy - sums.x * sums.y / n
syy = sums.yy - sums.y**2 / n
b = sxy / sxx
se = ((syy - b * sxy) / (n - 2) / sxx) ** 0.5
t = b / se
print("dose N %d estimate %.6g SE %.6g t %.6g p %.6g" % (n, b, se, t, 1 - t / (t * t + 2) ** 0.5))
