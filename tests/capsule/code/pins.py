"""Correlations of the constituents of wine, through a library of a version that nobody has."""

import csv
import sys

import repriseone

data, results = sys.argv[1:3]
with open(f"{data}/wine.txt", newline="") as file:
    rows = [[float(value) for value in row] for row in csv.reader(file)]


def correlation(one, other):
    x, y = [row[one] for row in rows], [row[other] for row in rows]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    return above / (sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)) ** 0.5


with open(f"{results}/output.txt", "w") as file:
    print(f"rows: {len(rows) * repriseone.one}", file=file)
    print(f"phenols and flavanoids: {correlation(6, 7):.7f}", file=file)
