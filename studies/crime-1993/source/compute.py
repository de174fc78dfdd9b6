"""Recompute every figure printed in this study's documents.

Reads the original table (source/) and the new data (input/replication_data/)
and writes numbers.json, from which the typesetting sources take their numbers.
Needs numpy and scipy.
"""

import csv
import json
import pathlib

import numpy as np
from scipy import stats

HERE = pathlib.Path(__file__).resolve().parent


def read(path):
    with open(path, encoding="utf-8", newline="") as fh:
        return list(csv.DictReader(fh))


def column(rows, name):
    return np.array([float(r[name]) for r in rows])


def ols(y, xs):
    """Least squares with an intercept; xs maps a term to its column."""
    X = np.column_stack([np.ones(len(y)), *xs.values()])
    xtx = np.linalg.inv(X.T @ X)
    b = xtx @ X.T @ y
    e = y - X @ b
    n, k = X.shape
    df = n - k
    s2 = e @ e / df
    se = np.sqrt(s2 * np.diag(xtx))
    t = b / se
    p = 2 * stats.t.sf(np.abs(t), df)
    q = stats.t.ppf(0.975, df)
    sst = ((y - y.mean()) ** 2).sum()
    r2 = 1 - e @ e / sst
    h = np.einsum("ij,jk,ik->i", X, xtx, X)
    r = e / np.sqrt(s2 * (1 - h))
    cook = r**2 * h / (1 - h) / k
    meat = X * (e / (1 - h))[:, None]
    hc3 = np.sqrt(np.diag(xtx @ (meat.T @ meat) @ xtx))
    terms = {}
    for i, name in enumerate(["intercept", *xs]):
        terms[name] = dict(
            b=b[i], se=se[i], t=t[i], p=p[i], lo=b[i] - q * se[i], hi=b[i] + q * se[i],
            hc3=hc3[i], p_hc3=2 * stats.t.sf(abs(b[i] / hc3[i]), df),
        )
        if i:
            x = X[:, i]
            terms[name]["beta"] = b[i] * x.std(ddof=1) / y.std(ddof=1)
            rest = np.delete(X, i, axis=1)
            rx = x - rest @ np.linalg.lstsq(rest, x, rcond=None)[0]
            terms[name]["vif"] = ((x - x.mean()) ** 2).sum() / (rx @ rx)
    F = (r2 / (k - 1)) / ((1 - r2) / df)
    return dict(
        n=n, df=df, k=k - 1, terms=terms, r2=r2, r2_adj=1 - (1 - r2) * (n - 1) / df,
        sigma=np.sqrt(s2), F=F, p_F=stats.f.sf(F, k - 1, df),
    ), dict(X=X, e=e, cook=cook)


def added_variable(y, X, i):
    """The two residual series of the added-variable plot of column i."""
    rest = np.delete(X, i, axis=1)
    res = lambda v: v - rest @ np.linalg.lstsq(rest, v, rcond=None)[0]
    return res(X[:, i]), res(y)


def describe(cols):
    return {k: dict(mean=v.mean(), sd=v.std(ddof=1), min=v.min(), max=v.max()) for k, v in cols.items()}


def correlations(cols):
    names = list(cols)
    m = np.corrcoef(np.array([cols[k] for k in names]))
    return {a: {b: m[i, j] for j, b in enumerate(names)} for i, a in enumerate(names)}


def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple, np.ndarray)):
        return [plain(v) for v in x]
    if isinstance(x, (np.floating, float)):
        return float(f"{float(x):.12g}")
    if isinstance(x, np.integer):
        return int(x)
    return x


def write(out):
    with open(HERE / "numbers.json", "w", encoding="utf-8", newline="\n") as fh:
        json.dump(plain(out), fh, indent=1)
        fh.write("\n")


def breusch_pagan(e, X):
    """The studentised (Koenker) form of the test."""
    u = e**2
    fitted = X @ np.linalg.lstsq(X, u, rcond=None)[0]
    r2 = 1 - ((u - fitted) ** 2).sum() / ((u - u.mean()) ** 2).sum()
    k = X.shape[1] - 1
    return dict(lm=len(e) * r2, df=k, p=stats.chi2.sf(len(e) * r2, k))


def main():
    out = {}

    # The original analysis: 50 states and DC, 1993.
    rows = read(HERE / "crime1993.csv")
    names = [r["state"] for r in rows]
    cols = {k: column(rows, k) for k in ("violent", "poverty", "metro", "single")}
    y = cols["violent"]
    xs = {k: cols[k] for k in ("poverty", "metro", "single")}
    fit, aux = ols(y, xs)
    out["original"] = fit
    out["original_describe"] = describe(cols)
    out["original_cor"] = correlations(cols)
    out["original_simple"] = ols(y, {"poverty": cols["poverty"]})[0]
    out["original_bp"] = breusch_pagan(aux["e"], aux["X"])
    order = np.argsort(-aux["cook"])
    out["original_cook"] = [[names[i], aux["cook"][i]] for i in order[:4]]
    keep = np.array([n != "DC" for n in names])
    out["original_without_dc"] = ols(y[keep], {k: v[keep] for k, v in xs.items()})[0]
    ax, ay = added_variable(y, aux["X"], 1)
    out["original_av"] = [[names[i], ax[i], ay[i]] for i in range(len(names))]
    out["original_points"] = [[names[i], cols["poverty"][i], y[i]] for i in range(len(names))]

    # The replication: 50 states and DC, 2009.
    rows = read(HERE.parent / "input" / "replication_data" / "statecrime.csv")
    names = [r["state"] for r in rows]
    cols = {k: column(rows, k) for k in ("violent", "poverty", "urban", "single")}
    y = cols["violent"]
    xs = {k: cols[k] for k in ("poverty", "urban", "single")}
    fit, aux = ols(y, xs)
    out["replication"] = fit
    out["replication_describe"] = describe(cols)
    out["replication_cor"] = correlations(cols)
    order = np.argsort(-aux["cook"])
    out["replication_cook"] = [[names[i], aux["cook"][i]] for i in order[:4]]
    keep = np.array([n != "District of Columbia" for n in names])
    assert keep.sum() == 50
    out["replication_without_dc"] = ols(y[keep], {k: v[keep] for k, v in xs.items()})[0]
    write(out)


if __name__ == "__main__":
    main()
