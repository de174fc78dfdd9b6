"""ReplicatorBench's web-search rule, written from its description: paths in, figures by model out."""
import json
import sys
from urllib.parse import urlsplit

ENDS = " \t\r\n).,;]}>\"'"


def keys(raw):
    text = str(raw or "").strip().strip(ENDS)
    if not text:
        return None
    text = "https://" + text if text.startswith("www.") else text
    parts = urlsplit(text)
    if not parts.netloc and parts.path and not parts.scheme:
        parts = urlsplit("https://" + text)
    path = parts.path.lower()
    if path != "/" and path.endswith("/"):
        path = path[:-1]
    loose = parts.netloc.lower() + path
    return (loose + "?" + parts.query if parts.query else loose), loose


def held(resource):
    names = [resource.get("rl") or resource.get("url") or ""]
    names += [a for a in resource.get("aliases") or [] if str(a).strip().startswith(("http://", "https://", "www."))]
    found = [k for pair in map(keys, names) if pair for k in pair if k]
    return list(dict.fromkeys(found))


def case(gold, urls):
    golds = [(g, held(g)) for g in gold["gold_resources"]]
    seen, matched, spurious = set(), set(), set()
    for entry in urls:
        entry = {"url": entry} if isinstance(entry, str) else entry
        pair = keys(entry.get("url"))
        if not pair or not (pair[0] or pair[1]) or pair[0] in seen:
            continue
        seen.add(pair[0])
        strict, loose = pair
        found = [g for g in golds if strict in g[1]] + [g for g in golds if loose in g[1]]
        if not found:
            near = lambda k: any(u.startswith(k) or k.startswith(u) for u in pair)
            found = [g for g in golds if any(near(k) for k in g[1])]
        found = list({g[0]["id"]: g for g in reversed(found)}.values())[::-1]
        if not found:
            spurious.add(strict)
            continue
        found = [g for g in found if g[0]["id"] not in matched] or found
        words = " ".join(str(entry.get(k) or "") for k in ("resource_name", "why_needed", "url")).lower()

        def rank(g):
            resource, own = g
            kind = (entry.get("kind") or "").strip().lower()
            total = 0.0
            total += 0.2 if resource.get("required", True) else 0.0
            total += 0.2 if kind and kind == (resource.get("kind") or "").strip().lower() else 0.0
            name = (resource.get("filename") or "").lower()
            total += 1.0 if name and name in words else 0.0
            total += 0.5 if resource["id"].lower() in words else 0.0
            return total - 0.01 * len(own)

        matched.add(max(found, key=rank)[0]["id"])
    required = {g["id"] for g in gold["gold_resources"] if g.get("required", True)}
    return len(required & matched), len(spurious), len(required - matched)


def prf(tp, fp, fn):
    p = tp / (tp + fp) if tp + fp else 0.0
    r = tp / (tp + fn) if tp + fn else 0.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def stream(text):
    text, at, found = text.lstrip("\ufeff").replace("\0", ""), 0, []
    while True:
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
        if at == len(text):
            return found
        value, at = json.JSONDecoder().raw_decode(text, at)
        found += value if isinstance(value, list) else [value]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def figures(gold_path, predictions):
    """By file: for each run macro and micro precision, recall and F1, hit@any, hit@all and the cases."""
    gold = {int(c["id"]): c for c in json.load(open(gold_path))}
    answer = {}
    for path in predictions:
        cases = {}
        for record in stream(open(path, encoding="utf-8", errors="replace").read()):
            cases.setdefault(int(record["id"]), []).append(record)
        runs = []
        for position in range(max(map(len, cases.values()))):
            counts = [
                case(gold[c], ((r[position].get("result") or {}).get("urls")) or [])
                for c, r in cases.items()
                if len(r) > position and c in gold
            ]
            each = [prf(*c) for c in counts]
            runs.append(
                [mean(e[i] for e in each) for i in range(3)]
                + list(prf(*map(sum, zip(*counts))))
                + [mean(c[0] > 0 for c in counts), mean(c[2] == 0 for c in counts), len(counts)]
            )
        answer[path] = runs
    return answer


if __name__ == "__main__":
    request = json.load(sys.stdin)
    json.dump(figures(request["gold"], request["predictions"]), sys.stdout)
