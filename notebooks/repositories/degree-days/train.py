"""Fits the gas that a house burns in a day to its degree days."""

import argparse
import csv
import json


def days(path, base):
    with open(path) as file:
        for row in csv.DictReader(file):
            yield max(0.0, base - float(row["temperature"])), float(row["gas"])


def error(line, data):
    return sum((line[0] + line[1] * x - y) ** 2 for x, y in data) / len(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--settings", default="settings.json")
    arguments = parser.parse_args()
    with open(arguments.settings) as file:
        settings = json.load(file)
    data = list(days(settings["data"], settings["base"]))
    train = [day for number, day in enumerate(data) if number % 5]
    test = [day for number, day in enumerate(data) if number % 5 == 0]
    line = [0.0, 0.0]
    for epoch in range(1, arguments.epochs + 1):
        for x, y in train:
            residual = line[0] + line[1] * x - y
            line[0] -= settings["rate"] * residual
            line[1] -= settings["rate"] * residual * x
        if epoch % 50 == 0 or epoch == arguments.epochs:
            print(f"epoch {epoch}: training error {error(line, train):.4f}")
    print(f"test error {error(line, test):.4f}")
    print(f"gas per degree day {line[1]:.4f}")


if __name__ == "__main__":
    main()
