"""The arithmetic of `score summary`, `score agreement` and `score search` on the released files.

rescoring.py ROOT RESAMPLES PART...: reads the gradings below ROOT/results and the predictions in ROOT/web-search, prints
{"summary": ..., "agreement": ..., "search": ...} with the parts that were asked for. Written as one would for this
alone: the C parser of `json`, counts in place of pairs, nothing read or imported that is not used.
"""
import json
import os
import sys

STAGES = {f"{stage}_llm_eval.json": stage for stage in ("extract", "design", "execute", "interpret")}
ROOTS = ("original_study.", "replication_study.")
CHECKPOINTS = ("1.1.1", "1.1.2", "1.2", "1.3.1", "1.3.2", "1.3.3", "2.1.1", "2.2.2", "2.3.1", "2.3.2")


def number(score):
    """None where it is not applicable; an error where it is no number."""
    if score is None or isinstance(score, str) and score.strip() in ("", "NA", "N/A"):
        return None
    return float(score)


def scores(items):
    found = []
    for item in items:
        try:
            found.append(number(item.get("score")))
        except (AttributeError, TypeError, ValueError):
            pass
    return found


def mean(values):
    return sum(values) / len(values) if values else None


def flat(grading):
    aspects = {}
    for key, item in grading.items():
        aspects.setdefault(key.split(".", 1)[0], []).append(item)
    means = {}
    for name, items in aspects.items():
        found = [score for score in scores(items) if score is not None]
        means[name] = sum(found) / (3 * len(found)) if found else 0.0
    return {"average": mean(list(means.values())) or 0.0, "aspects": means}


def halves(grading):
    if not all(isinstance(grading.get(half), dict) for half in ("evaluate_design", "execute")):
        return {}
    answer = {}
    for half, name in (("evaluate_design", "execute_design"), ("execute", "execute_execute")):
        means = {}
        for aspect, items in grading[half].items():
            items = items.values() if isinstance(items, dict) else ()
            means[aspect] = mean([score for score in scores(items) if score is not None]) or 0.0
        answer[name] = {"average": mean(list(means.values())), "aspects": means}
    return answer


def settled(field):
    for root in ROOTS:
        if field.startswith(root):
            field = field[len(root):]
            break
    is_checkpoint = field.endswith(CHECKPOINTS)
    text = ""
    for part in field.split("."):
        position = part.strip("[]")
        if text and position.isdigit() and not is_checkpoint:
            text += f"[{position}]"
        else:
            text += f".{part}" if text else part
    return text


def marks(node, path, found):
    if not isinstance(node, dict):
        return
    if path and "score" in node:
        try:
            score = number(node["score"])
        except (TypeError, ValueError):
            return
        if score is None or score == int(score) and 0 <= score <= 100:
            found[settled(".".join(path))] = None if score is None else int(score)
        return
    for key, value in node.items():
        marks(value, path + [key], found)


def measures(table):
    """Exact and near agreement, bias, quadratic kappa, ordinal alpha, Spearman and tau-b of a table of counts."""
    k = len(table)
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table)]
    n = sum(rows)
    cells = [(a, b, table[a][b]) for a in range(k) for b in range(k) if table[a][b]]
    answer = {
        "n": n,
        "exact": sum(count for a, b, count in cells if a == b),
        "within_one": sum(count for a, b, count in cells if abs(a - b) <= 1),
        "bias": sum((a - b) * count for a, b, count in cells) / n if n else None,
    }
    observed = sum((a - b) ** 2 * count for a, b, count in cells)
    expected = sum((a - b) ** 2 * rows[a] * columns[b] for a in range(k) for b in range(k)) / n if n else 0
    answer["quadratic_kappa"] = 1 - observed / expected if expected else None
    both = [rows[a] + columns[a] for a in range(k)]
    distance = [
        [(sum(both[min(a, b):max(a, b) + 1]) - (both[a] + both[b]) / 2) ** 2 for b in range(k)] for a in range(k)
    ]
    observed = 2 * sum(distance[a][b] * count for a, b, count in cells)
    expected = sum(both[a] * both[b] * distance[a][b] for a in range(k) for b in range(k))
    answer["ordinal_alpha"] = 1 - (2 * n - 1) * observed / expected if expected else None

    def ranks(margin):
        before, found = 0, []
        for count in margin:
            found.append(before + (count + 1) / 2 - (n + 1) / 2)
            before += count
        return found

    one, other = ranks(rows), ranks(columns)
    scale = sum(r * r * c for r, c in zip(one, rows)) * sum(r * r * c for r, c in zip(other, columns))
    together = sum(one[a] * other[b] * count for a, b, count in cells)
    answer["spearman"] = together / scale**0.5 if scale else None
    order = sum(
        count * more * (1 if b < d else -1)
        for a, b, count in cells
        for c, d, more in cells
        if a < c and b != d
    )
    pairs = lambda count: count * (count - 1) / 2
    scale = (pairs(n) - sum(map(pairs, rows))) * (pairs(n) - sum(map(pairs, columns)))
    answer["kendall"] = order / scale**0.5 if scale else None
    return answer


def resampled(papers, k, resamples):
    import random

    draw, papers = random.Random(1), list(papers.values())
    found = []
    for _ in range(resamples):
        table = [[0] * k for _ in range(k)]
        for paper in draw.choices(papers, k=len(papers)):
            for a in range(k):
                for b in range(k):
                    table[a][b] += paper[a][b]
        found.append(measures(table))
    answer = {}
    for name in ("exact", "bias", "quadratic_kappa", "ordinal_alpha", "spearman", "kendall"):
        values = sorted(one[name] for one in found if one[name] is not None)
        answer[name] = [values[int(share * (len(values) - 1))] for share in (0.025, 0.975)] if values else None
    return answer


def agreement(gradings, judges, resamples):
    tables = {}
    for (folder, stage), grading in sorted(gradings.items()):
        run, judge = os.path.split(folder)
        other = gradings.get((os.path.join(run, judges[1]), stage))
        if judge != judges[0] or other is None:
            continue
        first, second = {}, {}
        marks(grading, [], first)
        marks(other, [], second)
        k = 2 if stage == "execute" else 4
        paper = os.path.basename(os.path.dirname(os.path.dirname(run)))
        by_paper = tables.setdefault(stage, {})
        table = by_paper.setdefault(paper, [[0] * k for _ in range(k)])
        for field, mark in first.items():
            theirs = second.get(field)
            if mark is not None and theirs is not None and mark < k and theirs < k:
                table[mark][theirs] += 1
    answer = {}
    for stage, papers in tables.items():
        k = 2 if stage == "execute" else 4
        whole = [[sum(paper[a][b] for paper in papers.values()) for b in range(k)] for a in range(k)]
        answer[stage] = measures(whole)
        if resamples:
            answer[stage]["intervals"] = resampled(papers, k, resamples)
    return answer


def read(results):
    gradings = {}
    for folder, _, files in os.walk(results):
        for name in files:
            if name in STAGES:
                with open(os.path.join(folder, name), "rb") as file:
                    gradings[os.path.relpath(folder, results), STAGES[name]] = json.loads(file.read())
    return gradings


def summary(gradings):
    answer = {}
    for (folder, stage), grading in gradings.items():
        found = halves(grading) if stage == "execute" else {stage: flat(grading)}
        answer.setdefault(folder, {}).update(found)
    return answer


def search(web):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/oracles"))
    import aliases

    predictions = sorted(os.path.join(web, name) for name in os.listdir(web) if name.endswith(".jsonl"))
    return aliases.figures(os.path.join(web, "gold_set.json"), predictions)


def main(root, resamples, parts):
    gradings = read(os.path.join(root, "results")) if parts != ["search"] else {}
    does = {
        "summary": lambda: summary(gradings),
        "agreement": lambda: agreement(gradings, ("gpt-4o", "gpt-5"), resamples),
        "search": lambda: search(os.path.join(root, "web-search")),
    }
    json.dump({part: does[part]() for part in parts}, sys.stdout)


main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
