"""The cycle of sunspots, 1700 to 2008, with nothing but Python's own library."""

import argparse
import cmath
import csv
import math
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))


def series(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [int(row["YEAR"]) for row in rows], [float(row["SUNACTIVITY"]) for row in rows]


def autocorrelation(values, lag):
    mean = sum(values) / len(values)
    centred = [value - mean for value in values]
    above = sum(a * b for a, b in zip(centred, centred[lag:]))
    return above / sum(value * value for value in centred)


def dominant_period(values):
    """The period, in years, of the largest ordinate of the periodogram."""
    count = len(values)
    mean = sum(values) / count
    best, best_power = 0, -1.0
    for k in range(1, count // 2 + 1):
        wave = sum((value - mean) * cmath.exp(-2j * math.pi * k * t / count) for t, value in enumerate(values))
        power = abs(wave) ** 2
        if power > best_power:
            best, best_power = k, power
    return count / best


def bootstrap_error(values, block, draws):
    """The standard error of the mean by a moving-block bootstrap. No seed is set."""
    count = len(values)
    means = []
    for _ in range(draws):
        drawn = []
        while len(drawn) < count:
            start = random.randrange(count - block + 1)
            drawn.extend(values[start:start + block])
        means.append(sum(drawn[:count]) / count)
    middle = sum(means) / draws
    return math.sqrt(sum((mean - middle) ** 2 for mean in means) / (draws - 1))


def bars(path, heights):
    width, height, top = 90, 200, max(heights.values())
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">' % (width * len(heights), height + 40)]
    for place, (name, value) in enumerate(heights.items()):
        tall = value / top * height
        x = place * width + 20
        parts.append('<rect x="%d" y="%.2f" width="50" height="%.2f"/>' % (x, height - tall + 10, tall))
        parts.append('<text x="%d" y="%d">%s</text>' % (x, height + 30, name))
    parts.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(parts) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="/data")
    parser.add_argument("--results", default="/results")
    parser.add_argument("--block", type=int, default=11, help="years of a block, the length of a cycle")
    given = parser.parse_args()
    years, values = series(os.path.join(given.data, "sunspots.csv"))
    os.makedirs(given.results, exist_ok=True)
    centuries = {}
    for year, value in zip(years, values):
        if year < 2000:
            centuries.setdefault("%dth" % (year // 100 + 1), []).append(value)
    means = {name: sum(found) / len(found) for name, found in centuries.items()}
    bars(os.path.join(given.results, "figure_1.svg"), means)
    peaks = sorted(zip(values, years), reverse=True)[:3]
    with open(os.path.join(given.results, "estimates.txt"), "w") as file:
        file.write("mean %.6f\n" % (sum(values) / len(values)))
        file.write("autocorrelation at lag 11: %.6f\n" % autocorrelation(values, 11))
        file.write("dominant period: %.6f years\n" % dominant_period(values))
        file.write("bootstrap SE of the mean: %.6f\n" % bootstrap_error(values, given.block, 400))
        file.write("years of the three highest numbers: %s\n" % ", ".join(str(year) for _, year in peaks))


if __name__ == "__main__":
    main()
