"""Counts a chain of letters, and tests it."""

import argparse
import configparser
import math
import string
import time
from collections import Counter

LETTERS = string.ascii_lowercase + " "


def read(path):
    with open(path) as file:
        text = file.read().lower()
    return "".join(one if one in LETTERS else " " for one in text)


def perplexity(counts, text, smoothing):
    total = 0.0
    for before, letter in zip(text, text[1:]):
        row = sum(counts[before, other] for other in LETTERS) + smoothing * len(LETTERS)
        total += math.log((counts[before, letter] + smoothing) / row)
    return math.exp(-total / (len(text) - 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.ini")
    config = configparser.ConfigParser()
    config.read(parser.parse_args().config)
    chain = config["chain"]
    train, test = read(chain["train"]), read(chain["test"])
    counts = Counter()
    for number in range(chain.getint("passes")):
        counts.update(zip(train, train[1:]))
        time.sleep(chain.getfloat("pause"))
    smoothing = chain.getfloat("smoothing")
    print(f"{len(train)} letters, smoothing {smoothing}")
    print(f"perplexity on the test text: {perplexity(counts, test, smoothing):.4f}")


if __name__ == "__main__":
    main()
