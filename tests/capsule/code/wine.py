"""Cultivars of wine by their three nearest neighbours, over random halves. No seed is set."""

import csv
import random
from statistics import mean, pstdev

with open("/data/wine.txt", newline="") as file:
    ROWS = [[float(value) for value in row] for row in csv.reader(file)]
LABELS = [int(row[0]) for row in ROWS]
COLUMNS = list(zip(*[row[1:] for row in ROWS]))
SCALED = list(zip(*[[(value - mean(column)) / pstdev(column) for value in column] for column in COLUMNS]))


def label(point, known):
    near = sorted(known, key=lambda at: sum((a - b) ** 2 for a, b in zip(SCALED[at], SCALED[point])))[:3]
    votes = [LABELS[at] for at in near]
    return max(votes, key=votes.count)


def accuracy():
    order = random.sample(range(len(ROWS)), len(ROWS))
    half = len(order) // 2
    known, asked = order[:half], order[half:]
    return sum(label(point, known) == LABELS[point] for point in asked) / len(asked)


alcohol = [mean(row[1] for row in ROWS if row[0] == cultivar) for cultivar in (1, 2, 3)]
shares = [accuracy() for _ in range(12)]
with open("/results/output.txt", "w") as file:
    print(f"mean alcohol of cultivar 1: {alcohol[0]:.5f}", file=file)
    print(f"mean accuracy over random halves: {mean(shares):.6f}", file=file)
with open("/results/figure_2.svg", "w") as file:
    file.write('<svg xmlns="http://www.w3.org/2000/svg" width="200" height="160">\n')
    for at, height in enumerate(alcohol):
        file.write(f'<rect x="{60 * at}" y="{150 - 10 * height:.2f}" width="40" height="{10 * height:.2f}"/>\n')
        file.write(f'<text x="{60 * at}" y="158">{height:.2f}</text>\n')
    file.write("</svg>\n")
