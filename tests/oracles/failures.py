"""Table 5's log rules, written from their description: paths in, counts of classes out."""
import collections
import json
import re
import sys

ORDER = [
    ("implementation", "old_text not found|end_marker not found|requires anchor|requires insert_text|requires old_text"
     "|unexpected keyword argument|missing required argument|missing 1 required positional argument"
     "|unknown tool error|invalid json observation"),
    ("setup", "access denied|outside of the study directory|entry not found|filenotfound|no such file|does not exist"
     "|(?=.*cp: )(?=.*cannot stat)"),
    ("implementation", "could not find function"),
    ("setup", "there is no package called|execution halted|installing packages into|oci runtime exec failed"),
    ("timeout", "timeout|timed out|connection|httperror|urlerror|incomplete|max retries"),
    ("setup", "docker|build failed|executor failed|returned non-zero exit status|modulenotfound|importerror|no module named"),
    ("input_data", "(?=.*cannot interpret)(?=.*dtype)|not supported between instances|keyerror|indexerror|valueerror"
     "|typeerror|empty|none|nan|null|dataset not loaded"),
    ("implementation", ""),
]
RULES = [(name, re.compile(r"\A(?=.*(?:%s))" % words if words else "", re.S)) for name, words in ORDER]


def classify(text):
    return next(name for name, rule in RULES if rule.search(str(text).lower()))


def errors(log):
    for turn in log.split("--- Turn")[1:]:
        start = turn.find("***Agent input: Observation: {")
        if start >= 0 and "}" in turn[start:]:
            body = turn[start + len("***Agent input: Observation: ") : turn.rindex("}") + 1].split("\n202")[0]
            try:
                seen = json.loads(body)
            except ValueError:
                seen = {}
            if isinstance(seen.get("steps"), list):
                for step in seen["steps"]:
                    if step.get("ok") is False:
                        yield step.get("stderr") or step.get("error") or json.dumps(step)
            elif seen.get("ok") is False:
                told = [seen.get(k) for k in ("error", "message", "content", "failure") if seen.get(k)]
                yield str(told[0] if told else json.dumps(seen))[:500]
        yield from re.findall(r"^Error(?: executing \w+)?: .+$", turn, re.M)
        yield from re.findall(r"^Entry not found.+$", turn, re.M)
        if "Traceback (most recent call last)" in turn:
            yield from re.findall(r"^[A-Z][a-zA-Z]*Error: .+$", turn, re.M)[-1:]
        if "build_log" in turn and "error" in turn.lower():
            if "pip dependency mismatch" in turn:
                yield "Pip Dependency Mismatch"
            elif "executor failed running" in turn:
                yield "Docker Executor Failed"


json.dump(
    [collections.Counter(map(classify, errors(open(p, encoding="utf-8", errors="ignore").read()))) for p in json.load(sys.stdin)],
    sys.stdout,
)
