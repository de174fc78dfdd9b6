"""Grades the answers of one file, and writes the reward: 1 where every question is answered right, else 0.

    grade.py ACCEPTED ANSWERS FOLDER

A reward is written whatever the answers are; what lies in the folder beforehand counts for nothing. Answers may be
forged: they are read as data of a bounded size, and from a plain file alone.
"""

import json
import math
import os
import stat
import sys

LARGEST = 1 << 20
SLACK = 1e-12


def number(answer):
    """A finite number, as such or as a text with nothing but a % behind it; else None."""
    if isinstance(answer, bool) or not isinstance(answer, (int, float, str)):
        return None
    if isinstance(answer, str):
        answer = answer.strip()
        answer = answer[:-1] if answer.endswith("%") else answer
    try:
        value = float(answer)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def plain(answer):
    return str(answer).strip().lower()


def is_within(bounds, answer):
    value = number(answer)
    if value is None:
        return False
    lower, upper = bounds["lower"], bounds["upper"]
    if lower <= value <= upper:
        return True
    return bounds["slack"] and any(abs(value - bound) <= SLACK * abs(bound) for bound in (lower, upper))


def same_item(gold, answer):
    if isinstance(gold, str) and isinstance(answer, str):
        return plain(gold) == plain(answer)
    return gold == answer


def same_list(items, answer):
    return isinstance(answer, list) and len(answer) == len(items) and all(map(same_item, items, answer))


def is_right(accepted, answer):
    kind = accepted["kind"]
    if kind == "number":
        return is_within(accepted, answer)
    if kind == "truth":
        return isinstance(answer, bool) and answer == accepted["value"]
    if kind == "text":
        return isinstance(answer, (str, int, float)) and plain(answer) == accepted["value"]
    if kind == "list":
        return same_list(accepted["items"], answer)
    return False


def answers(path):
    """The answers of a file, and what is wrong with it; none of what is no plain file with one JSON object."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return {}, "it is no plain file"
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            return {}, "it is too large"
        found = json.loads(text)
    except FileNotFoundError:
        return {}, "there is none"
    except Exception as error:  # Whatever an agent wrote there is no reason to give no grade.
        return {}, f"it cannot be read ({type(error).__name__})"
    return (found, None) if isinstance(found, dict) else ({}, "it is no JSON object")


def graded(question, found):
    try:
        return question["question"] in found and is_right(question, found[question["question"]])
    except (RecursionError, ValueError):
        return False


def write(folder, name, value):
    partial = os.path.join(folder, f".{name}.partial")
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.replace(partial, os.path.join(folder, name))


def main():
    accepted, path, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name in ("reward.txt", "reward.json"):
        if os.path.lexists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    with open(accepted, encoding="utf-8") as file:
        questions = json.load(file)["questions"]
    found, fault = answers(path)
    right = {question["question"]: graded(question, found) for question in questions}
    solved = bool(right) and all(right.values())
    write(folder, "details.json", {"right": right, "fault": fault})
    write(folder, "reward.json", {"reward": 1 if solved else 0})


main()
