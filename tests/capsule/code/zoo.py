"""Classes of animals: how many there are of each, and how near their features lie together."""

import argparse
import csv
import os

CLASSES = ["mammal", "bird", "reptile", "fish", "amphibian", "insect", "invertebrate"]


def animals(path):
    with open(path, newline="") as file:
        return [(row[0], [int(value) for value in row[1:-1]], int(row[-1])) for row in csv.reader(file)]


def distance(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other))


def nearest(index, rows):
    """The class of the nearest other animal; the first one where several are as near."""
    others = [row for at, row in enumerate(rows) if at != index]
    return min(others, key=lambda row: distance(row[1], rows[index][1]))[2]


def figure(counts, path):
    with open(path, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="420" height="140">\n')
        for at, (name, count) in enumerate(zip(CLASSES, counts)):
            file.write(f'<rect x="{60 * at}" y="{100 - 2 * count}" width="40" height="{2 * count}"/>\n')
            file.write(f'<text x="{60 * at}" y="120">{name}</text>\n')
        file.write("</svg>\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--results", required=True)
    given = parser.parse_args()
    rows = animals(os.path.join(given.data, "zoo.txt"))
    names = [name for name, _, _ in rows]
    twice = sorted({name for name in names if names.count(name) > 1})
    right = sum(nearest(index, rows) == row[2] for index, row in enumerate(rows))
    counts = [sum(row[2] == label for row in rows) for label in range(1, 8)]
    print(f"animals: {len(rows)}")
    print(f"listed twice: {', '.join(twice)}")
    print(f"leave-one-out accuracy of the nearest neighbour: {right / len(rows):.6f}")
    print(f"animals by class: {counts}")
    figure(counts, os.path.join(given.results, "figure_1.svg"))


main()
