"""Records results where they are computed: `reprise.report(model, "term")`.

Each call appends one JSON line to the file that REPRISE_RESULTS names
(`results.jsonl` where it names none) and prints one labelled line. Numbers are
read off the fitted object; keywords add what it does not carry, or give all:

    reprise.report(fit, "income")
    reprise.report(stats.ttest_ind(a, b), "group", groups={"a": a, "b": b})
    reprise.report(term="x", estimate=.4, se=.1, statistic=4, kind="t", df=98, p=.0001, sides=2)

Keywords: name, estimate, se, statistic, kind, df, p, sides, alternative, adjusted (a
p raised for a family of tests: by what), relation, interval, level, interval_kind, n, groups, scale, outcome, label, equation.
"""
import json
import math
import os
import re
import sys
from statistics import NormalDist

KEYWORDS = (
    "name estimate se statistic kind df p sides alternative adjusted relation interval level "
    "interval_kind n groups scale outcome label equation"
).split()
SCALES = "difference ratio log_ratio correlation standardized unsigned".split()
# Scripts may change folder; the path is the one of the start.
RESULTS = os.path.abspath(os.environ.get("REPRISE_RESULTS") or "results.jsonl")
SMALLEST = sys.float_info.min


class ReportError(ValueError):
    """A result that cannot be recorded; the message says what to change."""


def report(model=None, term=None, **given):
    """Appends the result for `term`, prints it on one line and returns it.

    `model` is a result of statsmodels, linearmodels or scipy.stats, an ANOVA table,
    or absent (a name) where the keywords give the numbers. `term` is a coefficient's
    or row's name; patsy's decoration may be left out where one name remains. For a
    test it is a label. `name` records another term, beside the coefficient's own.
    """
    strange = [key for key in given if key not in KEYWORDS]
    if strange:
        raise ReportError("report() has no keyword %s; it has: %s" % (", ".join(strange), ", ".join(KEYWORDS)))
    given = {key: value for key, value in given.items() if value is not None}
    if not 0 < given.get("level", 0.95) < 1:
        raise ReportError("level=%r is outside 0 to 1" % (given["level"],))
    groups = _groups(given["groups"]) if "groups" in given else []
    line = {"term": term}
    if model is None or isinstance(model, str):
        line["model"] = model
    else:
        line.update(_read(model, term, given, groups))
    if line["term"] is None:
        raise ReportError('report() needs a term: report(model, "term")')
    _merge(line, given, groups)
    line = _checked(line)
    _append(json.dumps(line, ensure_ascii=False, allow_nan=False))
    _print(_shown(line))
    return line


def _read(model, term, given, groups):
    """The fields that the object itself tells."""
    for table in (model, getattr(model, "anova_table", None), getattr(model, "table", None)):
        if hasattr(table, "columns") and hasattr(table, "iloc"):
            return _anova(table, term)
    if hasattr(model, "distribution") and hasattr(model, "c_names"):
        return _contrast(model, term, given)
    if hasattr(model, "pval") and hasattr(model, "df_denom"):
        return _omnibus(model.stat, [model.df, model.df_denom], model.pval)
    if hasattr(model, "params") and hasattr(model, "pvalues"):
        return _coefficient(model, term, given)
    if isinstance(model, tuple) and len(model) == 4 and hasattr(model[3], "sum"):
        # chi2_contingency of scipy before 1.11
        return dict(_omnibus(model[0], model[2], model[1]), n=model[3].sum())
    if hasattr(model, "pvalue") and (hasattr(model, "statistic") or hasattr(model, "slope")):
        return _test(model, given, groups)
    raise ReportError(
        "report() cannot read %s; give its numbers: report(term=..., estimate=..., se=..., "
        "statistic=..., kind='t', df=..., p=..., sides=2, n=...)" % type(model).__name__
    )


# ---- statsmodels and linearmodels

LOG_MODELS = "Logit MNLogit ConditionalLogit ConditionalMNLogit ConditionalPoisson PHReg Poisson".split() + (
    "NegativeBinomial NegativeBinomialP GeneralizedPoisson BinaryLogit".split()
)
LINEAR_MODELS = "OLS WLS GLS GLSAR RLM QuantReg MixedLM Probit RecursiveLS RollingOLS".split()


def _coefficient(model, term, given):
    spec = getattr(model, "model", None)
    params, extra = model.params, {}
    names = getattr(params, "index", None)
    if names is None or hasattr(names, "nlevels") and names.nlevels > 1:
        names = getattr(getattr(spec, "data", None), "param_names", None)
        names = names if names is not None and getattr(params, "ndim", 1) == 1 else spec.exog_names
    names = [str(name) for name in names]
    outcome = _outcome(spec)
    at = _match(names, term)
    where = (at,)
    if getattr(params, "ndim", 1) == 2:
        where, equation = _equation(model, at, given)
        outcome = "%s = %s" % (outcome, equation)
    errors = model.bse if hasattr(model, "bse") else model.std_errors
    values = model.tvalues if hasattr(model, "tvalues") else model.tstats
    student = getattr(model, "use_t", getattr(model, "debiased", getattr(model, "_debiased", False)))
    df = None
    if student:
        df = getattr(model, "df_resid_inference", None)
        df = model.df_resid if df is None else df
    estimate, se = _at(params, where), _at(errors, where)
    level = given.get("level", 0.95)
    own = names[at]
    return {
        "term": term,
        "coefficient": own,
        "estimate": estimate,
        "se": se,
        "statistic": {"kind": "t" if student else "z", "value": _at(values, where), "df": df},
        "p": {"value": _at(model.pvalues, where), "sides": 2},
        "interval": _interval(estimate, se, df, level),
        "n": _rows(model, spec),
        "scale": _scale(spec, at),
        "outcome": outcome,
        "model": _label(model, spec, outcome, names),
    }


def _equation(model, at, given):
    """Where a coefficient of a multinomial model stands, and its outcome's name."""
    count = model.params.shape[1]
    known = getattr(model.model, "_ynames_map", {})
    labels = [str(known.get(i + len(known) - count, i)) for i in range(count)]
    asked = given.get("equation")
    if asked is None and count > 1:
        raise ReportError("this model has an equation for each of: %s; name one with equation=" % ", ".join(labels))
    if asked is not None and str(asked) not in labels:
        raise ReportError("no equation %r among: %s" % (asked, ", ".join(labels)))
    column = 0 if asked is None else labels.index(str(asked))
    return (at, column), labels[column]


def _outcome(spec):
    dependent = getattr(spec, "dependent", None)
    found = getattr(dependent, "vars", None) or getattr(dependent, "cols", None) or getattr(spec, "endog_names", None)
    if not found and isinstance(getattr(spec, "formula", None), str):
        found = spec.formula.split("~")[0].strip()
    return found if isinstance(found, str) or not found else ", ".join(map(str, found))


def _rows(model, spec):
    rows = getattr(model, "nobs", getattr(spec, "nobs", None))
    return len(spec.endog) if rows is None and hasattr(spec, "endog") else rows


def _scale(spec, at):
    kind = type(spec).__name__
    if type(spec).__module__.startswith("linearmodels."):
        return "difference"
    if at >= getattr(getattr(spec, "exog", None), "shape", (0, math.inf))[1]:
        return None  # a variance or a dispersion
    family = getattr(spec, "family", None)
    if hasattr(family, "link"):
        return "log_ratio" if type(family.link).__name__.lower() in ("logit", "log", "cloglog") else "difference"
    if kind in LOG_MODELS:
        return "log_ratio"
    return "difference" if kind in LINEAR_MODELS else None


def _label(model, spec, outcome, names):
    formula = getattr(spec, "formula", None)
    if not (isinstance(formula, str) and formula):
        formula = "%s ~ %s" % (outcome, " + ".join(names))
    errors = str(getattr(model, "cov_type", None) or getattr(model, "_cov_type", None) or "")
    plain = errors.lower() in ("", "nonrobust", "unadjusted", "homoskedastic")
    return "%s %s%s" % (type(spec).__name__, formula, "" if plain else " (%s)" % errors)


def _contrast(model, term, given):
    df = getattr(model, "df_denom", None)
    if model.distribution in ("F", "chi2"):
        numerator = getattr(model, "df_num", None)
        df = [numerator, df] if model.distribution == "F" else (df if numerator is None else numerator)
        return _omnibus(model.statistic, df, model.pvalue)
    names = [str(name) for name in getattr(model, "c_names", None) or []]
    at = _match(names, term) if len(names) > 1 else 0
    df = df if model.distribution == "t" else None
    estimate, se = _at(model.effect, (at,)), _flat(model.sd, at, len(names))
    return {
        "estimate": estimate,
        "se": se,
        "statistic": {"kind": "t" if df else "z", "value": _flat(model.tvalue, at, len(names)), "df": df},
        "p": {"value": _flat(model.pvalue, at, len(names)), "sides": 2},
        "interval": _interval(estimate, se, df, given.get("level", 0.95)),
    }


def _omnibus(value, df, p):
    if isinstance(df, list) and df[1] is None:
        df = df[0]
    kind = "F" if isinstance(df, list) else "chi2"
    return {"statistic": {"kind": kind, "value": value, "df": df}, "p": {"value": p}, "scale": "unsigned"}


HEADS = {
    "value": "F;F Value;F value;F-statistic;chi2;statistic",
    "p": "PR(>F);Pr(>F);Pr > F;P>F;P>chi2;pvalue;p_unc;p-unc",
    "df": "df_constraint;df constraint;df_diff;Num DF;ddof1;df",
    "denominator": "df_denom;df denom;Den DF;ddof2;df_resid",
}


def _anova(table, term):
    heads = {part: next((h for h in known.split(";") if h in table.columns), None) for part, known in HEADS.items()}
    if not (heads["value"] and heads["p"]):
        raise ReportError("report() found no column of a statistic and of p among: %s" % ", ".join(map(str, table.columns)))
    names = [str(name) for name in (table["Source"] if "Source" in table.columns else table.index)]
    tested = [i for i in range(len(names)) if _number(table[heads["value"]].iloc[i]) is not None]
    # A comparison of two models has one tested row, and only a number for its name.
    unnamed = len(tested) == 1 and all(name.isdigit() for name in names)
    at = tested[0] if unnamed else _match(names, term)
    row = table.iloc[at]
    df = None if heads["df"] is None else row[heads["df"]]
    if heads["denominator"]:
        denominator = row[heads["denominator"]]
    else:
        denominator = next((table[heads["df"]].iloc[i] for i, n in enumerate(names) if n == "Residual"), None)
    found = _omnibus(row[heads["value"]], [df, denominator], row[heads["p"]])
    return found if unnamed else dict(found, coefficient=names[at])


# ---- scipy.stats

KINDS = {
    "Ttest_indResult": "t", "Ttest_relResult": "t", "Ttest_1sampResult": "t", "TtestResult": "t",
    "MannwhitneyuResult": "U", "WilcoxonResult": "W", "PearsonRResult": "r", "SpearmanrResult": "rho",
    "KendalltauResult": "tau", "Chi2ContingencyResult": "chi2", "F_onewayResult": "F", "KruskalResult": "H",
    "FriedmanchisquareResult": "chi2", "Power_divergenceResult": "chi2", "KstestResult": "D",
    "Ks_2sampResult": "D", "RanksumsResult": "z", "AnsariResult": "AB", "MoodResult": "z", "LeveneResult": "F",
}  # fmt: skip


def _test(model, given, groups):
    name = type(model).__name__
    if hasattr(model, "slope"):
        return _line_fit(model, given)
    correlation = hasattr(model, "correlation") or name in ("PearsonRResult", "SpearmanrResult", "KendalltauResult")
    kind = KINDS.get(name, name.replace("Result", "").lower())
    if name == "SignificanceResult":
        kind = "rank_r" if correlation else None
    value, p, n = _number(model.statistic), _number(model.pvalue), sum(group["n"] or 0 for group in groups) or None
    df, level = given.get("df", getattr(model, "df", getattr(model, "dof", None))), given.get("level", 0.95)
    found = {"statistic": {"kind": kind, "value": value, "df": df}, "p": {"value": p}, "n": n, "model": "scipy.stats " + name}
    sides = getattr(model, "alternative", getattr(model, "_alternative", None))
    if kind == "t":
        sides = _sides(value, df, p) or sides
        se = _number(getattr(model, "_standard_error", None))
        if se is None and len(groups) == 2 and value:
            se = (groups[0]["mean"] - groups[1]["mean"]) / value
        estimate = None if se is None else value * se
        found.update(estimate=estimate, se=se, interval=_interval(estimate, se, df, level), scale="difference")
        if len(groups) == 2 and groups[0]["n"] == groups[1]["n"] and _number(df) == groups[0]["n"] - 1:
            found["n"] = groups[0]["n"]
    elif correlation:
        found.update(estimate=value, scale="correlation")
        n = found["n"] = _number(getattr(model, "_n", None)) or given.get("n")
        if kind == "r" and n and n > 3:
            found["statistic"]["df"] = n - 2
            found["interval"] = _interval(math.atanh(value), (n - 3) ** -0.5, None, level, math.tanh) if abs(value) < 1 else None
    elif kind is None:
        found.update(estimate=value, statistic=None, scale="ratio", model="scipy.stats fisher_exact")
    elif name == "BinomTestResult":
        found.update(estimate=value, statistic=None, n=model.n)
    else:
        found["scale"] = None if kind == "z" else "unsigned"
        if kind == "W" and groups:
            found["n"] = groups[0]["n"]  # of pairs
        if hasattr(model, "expected_freq"):
            found["n"] = model.expected_freq.sum()
        if kind in ("F", "H") and df is None and len(groups) > 1:
            found["statistic"]["df"] = len(groups) - 1 if kind == "H" else [len(groups) - 1, n - len(groups)]
    if sides is not None and kind not in ("F", "chi2", "H"):
        found["p"].update(_tails(sides))
    return found


def _line_fit(model, given):
    slope, se, r = model.slope, model.stderr, model.rvalue
    t = slope / se if se else None
    # t and r of one slope give the degrees of freedom, which the object lacks.
    df = round(t * t * (1 - r * r) / (r * r)) if t and 0 < abs(r) < 1 else given.get("df")
    found = {
        "estimate": slope,
        "se": se,
        "statistic": {"kind": "t", "value": t, "df": df},
        "p": dict(_tails(_sides(t, df, model.pvalue) or ""), value=model.pvalue),
        "interval": _interval(slope, se, df, given.get("level", 0.95)) if df else None,
        "n": df + 2 if df else None,
        "scale": "difference",
        "model": "scipy.stats linregress",
    }
    return found


def _sides(t, df, p):
    """The alternative under which `t` has this p; `None` where none has."""
    if _number(t) is None or _number(df) is None or _number(p) is None:
        return None
    from scipy import stats

    tails = (("two-sided", 2 * stats.t.sf(abs(t), df)), ("greater", stats.t.sf(t, df)), ("less", stats.t.cdf(t, df)))
    return next((name for name, tail in tails if math.isclose(tail, p, rel_tol=1e-6)), None)


def _tails(alternative):
    text = {"0": "two-sided", "1": "greater", "-1": "less"}.get(str(alternative), str(alternative)).replace(".", "-")
    if text == "two-sided":
        return {"sides": 2}
    return {"sides": 1, "alternative": text} if text in ("greater", "less") else {}


# ---- names of terms


def _match(names, term):
    """The position of the one name that `term` means."""
    listed = ", ".join(names[:60]) + (", and %d more" % (len(names) - 60) if len(names) > 60 else "")
    if term is None:
        raise ReportError("report() needs a term; this result has: %s" % listed)
    for same in (
        lambda name: name == term,
        lambda name: _plain(name, True) == _plain(term, True),
        lambda name: _plain(name, False) == _plain(term, True),
    ):
        hits = [i for i, name in enumerate(names) if same(name)]
        if len(hits) > 1:
            raise ReportError("%r could be any of: %s; give the whole name" % (term, ", ".join(names[i] for i in hits)))
        if hits:
            return hits[0]
    raise ReportError("no term %r; this result has: %s" % (term, listed))


def _plain(name, levels):
    """A name without patsy's decoration: the sorted parts of an interaction."""
    parts = []
    for part in _split(str(name), ":"):
        factor, *rest = _split(part, "[", 1)
        level = rest[0].rstrip()[:-1] if rest else None
        factor = factor.strip()
        while re.match(r"[CQ]\(.*\)$", factor, re.S):
            inner = _split(factor[2:-1], ",", 1)[0].strip()
            factor = inner[1:-1] if factor[0] == "Q" else inner
        if level is not None and levels:
            factor += "[%s]" % re.sub(r"^[TSDH]\.", "", level)
        parts.append(re.sub(r"\s+", " ", factor))
    return sorted(parts)


def _split(text, mark, most=-1):
    """Splits at `mark` outside brackets, and outside quotes within parentheses."""
    parts, depth, quote, start = [], [], None, 0
    for i, c in enumerate(text):
        if quote:
            quote = None if c == quote else quote
        elif not depth and c == mark and len(parts) != most:
            parts.append(text[start:i])
            start = i + 1
        elif c in "([":
            depth.append(c)
        elif c in ")]":
            depth = depth[:-1]
        elif c in "'\"" and depth and depth[-1] == "(":
            quote = c
    return parts + [text[start:]]


# ---- fields


def _at(values, where):
    values = getattr(values, "values", values)
    return values[where] if len(where) > 1 else values[where[0]]


def _flat(values, at, count):
    """One row's number of a vector, or of the diagonal of a matrix."""
    if count > 1 and getattr(values, "ndim", 1) == 2 and values.shape[0] == values.shape[1]:
        return values[at, at]
    return values.ravel()[at] if hasattr(values, "ravel") else values


def _interval(estimate, se, df, level, back=float):
    if _number(estimate) is None or _number(se) is None:
        return None
    if df is None:
        reach = NormalDist().inv_cdf((1 + level) / 2)
    else:
        from scipy import stats

        reach = stats.t.ppf((1 + level) / 2, df)
    return {"lower": back(estimate - reach * se), "upper": back(estimate + reach * se), "level": level, "kind": "confidence"}


def _groups(given):
    if not hasattr(given, "items"):
        raise ReportError('groups= takes a name for each series: groups={"a": a, "b": b}')
    found = []
    for name, series in given.items():
        if hasattr(series, "keys") and not hasattr(series, "iloc"):
            found.append(dict({"name": str(name), "mean": None, "sd": None, "n": None}, **series))
            continue
        values = [x for x in map(_number, series) if x is not None]
        mean = math.fsum(values) / len(values) if values else None
        sd = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1)) if len(values) > 1 else None
        found.append({"name": str(name), "mean": mean, "sd": sd, "n": len(values)})
    return found


def _merge(line, given, groups):
    """Puts the keywords over what the object told."""
    for key in ("estimate", "se", "n", "scale", "outcome"):
        if key in given:
            line[key] = given[key]
    line["model"] = given.get("label", line.get("model"))
    line["term"] = given.get("name", line["term"])
    line["groups"] = groups
    statistic = dict(line.get("statistic") or {})
    asked = given.get("statistic")
    statistic.update(asked if hasattr(asked, "keys") else {} if asked is None else {"value": asked})
    statistic.update({key: given[key] for key in ("kind", "df") if key in given})
    if statistic.get("value") is not None and not statistic.get("kind"):
        raise ReportError("a statistic needs its kind: kind='t', 'z', 'F', 'chi2', ...")
    line["statistic"] = statistic
    if "interval" in given:
        ends = given["interval"]
        ends = dict(ends) if hasattr(ends, "keys") else {"lower": ends[0], "upper": ends[1]}
        line["interval"] = dict({"level": given.get("level", 0.95), "kind": "confidence"}, **ends)
    if line.get("interval") and "interval_kind" in given:
        line["interval"]["kind"] = given["interval_kind"]
    line["p"] = _merged_p(dict(line.get("p") or {}), given)


def _merged_p(p, given):
    asked = {key: given[key] for key in ("sides", "relation", "adjusted") if key in given}
    if "alternative" in given:
        tails = _tails(given["alternative"])
        if not tails:
            raise ReportError("alternative= is 'two-sided', 'greater' or 'less'")
        asked.update(tails)
    if "p" in given:
        p = given["p"]
        bound = re.match(r"\s*([<=])\s*(.+)", p) if isinstance(p, str) else None
        p = dict(p) if hasattr(p, "keys") else {"value": bound.group(2), "relation": bound.group(1)} if bound else {"value": p}
    elif "sides" in p and (asked.get("sides", p["sides"]), asked.get("alternative", p.get("alternative"))) != (
        p["sides"],
        p.get("alternative"),
    ):
        raise ReportError("the p of this result has sides=%d already; another p needs p= and sides=" % p["sides"])
    p.update(asked)
    if p.get("sides") == 1 and p.get("alternative") not in ("greater", "less"):
        raise ReportError("a one-sided p needs alternative='greater' or 'less'")
    return p


def _checked(line):
    """The line with plain finite numbers, without what is unknown; errors for the impossible."""
    term = _text(line["term"])
    out = {"term": term, "estimate": _number(line.get("estimate"))}
    if line.get("coefficient") not in (None, term):
        out["coefficient"] = _text(line["coefficient"])
    out["se"] = _within("se", line.get("se"), 0, math.inf)
    statistic = line["statistic"]
    value, df = _number(statistic.get("value")), statistic.get("df")
    kind = statistic.get("kind")
    if value is not None:
        parts = [_number(part) for part in df] if isinstance(df, (list, tuple)) else _number(df)
        known = None not in parts if isinstance(parts, list) else parts is not None
        out["statistic"] = dict({"kind": str(kind), "value": value}, **({"df": parts} if known else {}))
    p = dict(line["p"])
    p["value"] = _within("p", p.get("value"), 0, 1)
    if p["value"] is not None:
        if p["value"] == 0:  # below the smallest double: no p is nothing
            p.update(value=SMALLEST, relation="<")
        p.setdefault("relation", "=")
        if kind in ("F", "chi2") and p.get("sides") == 2:
            del p["sides"]
        _one_of("relation", p["relation"], ("=", "<"))
        _one_of("sides", p.get("sides", 2), (1, 2))
        if p.get("sides") != 1:
            p.pop("alternative", None)
        if "adjusted" in p:
            p["adjusted"] = _text(p["adjusted"])
        out["p"] = {key: p[key] for key in ("value", "sides", "relation", "alternative", "adjusted") if key in p}
    interval = line.get("interval") or {}
    lower, upper = _number(interval.get("lower")), _number(interval.get("upper"))
    if lower is not None and upper is not None:
        if lower > upper:
            raise ReportError("the interval's lower end %r is above its upper end %r" % (lower, upper))
        _one_of("interval_kind", interval["kind"], ("confidence", "credible"))
        level = _within("level", interval["level"], 0, 1)
        out["interval"] = {"lower": lower, "upper": upper, "level": level, "kind": interval["kind"]}
    out["n"] = _within("n", line.get("n"), 0, math.inf)
    if line["groups"]:
        out["groups"] = [
            {key: _text(group[key]) if key == "name" else _number(group[key]) for key in ("name", "mean", "sd", "n")}
            for group in line["groups"]
        ]
    if line.get("scale") is not None:
        _one_of("scale", line["scale"], SCALES)
        out["scale"] = line["scale"]
    for key in ("outcome", "model"):
        if line.get(key):
            out[key] = _text(line[key])
    return {key: value for key, value in out.items() if value is not None or key == "estimate"}


def _text(value):
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _number(value):
    """A finite int or float; `None` for what is missing, NaN or infinite."""
    value = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        value = float(value)
    except TypeError:
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            return None
        raise ReportError("%r is not a number" % (value,))
    except ValueError:
        raise ReportError("%r is not a number" % (value,))
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _within(name, value, least, most):
    value = _number(value)
    if value is None:
        return None
    if not least - 1e-9 <= value <= most + 1e-9:
        raise ReportError("%s=%r is outside %s to %s" % (name, value, least, most))
    return min(max(value, least), most)


def _one_of(name, value, known):
    if value not in known:
        raise ReportError("%s=%r is none of: %s" % (name, value, ", ".join(map(str, known))))


# ---- the line


def _append(text):
    # One write to a file opened for appending: lines of parallel processes stay whole.
    data = (text + "\n").encode("utf-8")
    try:
        file = os.open(RESULTS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            written = os.write(file, data)
        finally:
            os.close(file)
    except OSError as why:
        raise ReportError("the result could not be written to %s: %s" % (RESULTS, why.strerror)) from why
    if written != len(data):
        raise ReportError("only %d of %d bytes could be written to %s" % (written, len(data), RESULTS))


def _shown(line):
    words = ["reprise:", line["term"]]
    if "coefficient" in line:
        words.append("(%s)" % line["coefficient"])
    words += ["%s %.6g" % (key, line[key]) for key in ("estimate", "se") if line.get(key) is not None]
    if "statistic" in line:
        statistic = line["statistic"]
        df = statistic.get("df")
        df = "" if df is None else "(%s)" % ", ".join("%.6g" % x for x in (df if isinstance(df, list) else [df]))
        words.append("%s%s %.6g" % (statistic["kind"], df, statistic["value"]))
    if "p" in line:
        p = line["p"]
        words.append("p %s%.6g" % ("< " if p["relation"] == "<" else "", p["value"]))
        if p.get("sides") == 1:
            words.append("(one-sided, %s)" % p["alternative"])
        elif "sides" not in p and line.get("statistic", {}).get("kind") not in ("F", "chi2", "H"):
            words.append("(sides unknown: give sides=1 or sides=2)")
        if "adjusted" in p:
            words.append("(adjusted: %s)" % p["adjusted"])
    if "interval" in line:
        interval = line["interval"]
        words.append("%g%% [%.6g, %.6g]" % (100 * interval["level"], interval["lower"], interval["upper"]))
    words += ["n %.15g" % line["n"]] if "n" in line else []
    for group in line.get("groups", []):
        parts = ["%s %.6g" % (key, group[key]) for key in ("mean", "sd", "n") if group[key] is not None]
        words.append("| %s %s" % (group["name"], " ".join(parts)))
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda c: ascii(c.group())[1:-1], " ".join(words))


def _print(text):
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def _widen():
    """Tables printed by the script are neither wrapped nor cut."""
    try:
        import numpy

        numpy.set_printoptions(linewidth=10000, precision=10)
        import pandas

        for option, value in (("width", 10000), ("max_columns", None), ("max_rows", 1000), ("precision", 10)):
            pandas.set_option("display." + option, value)
    except Exception:  # absent, or broken in a way that is the script's to meet
        pass


_widen()
