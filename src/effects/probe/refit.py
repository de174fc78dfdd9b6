"""Fits a planned regression model again: `refit.py REQUEST` prints one JSON answer.

The answer has the estimate and the standard error of every coefficient by each kind of error that R, Stata and Python
programs print for the model, so that a recorded result can be compared with them. Columns are centred and scaled before
a fit; a maximum is believed only if the gradient vanishes and the information is positive.
"""
import json
import sys
import warnings
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy.optimize import linprog, minimize_scalar
from scipy.sparse import csr_matrix, hstack, identity
from scipy.special import expit, log_ndtr, ndtr
from statsmodels.discrete.discrete_model import MNLogit, NegativeBinomial

LEVELS, CONTRASTED, COLUMNS, PROGRAM_ROWS, CLUSTER_ROWS, RESIDUAL_CELLS = 201, 30, 500, 20_000, 400, 2e8
TRANSFORMS = {"number": lambda v: v, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt, "square": np.square,
              "center": lambda v: v - np.nanmean(v), "standardize": lambda v: (v - np.nanmean(v)) / np.nanstd(v, ddof=1)}


class Refusal(Exception):
    """The model cannot be fitted; the message is a clause for the report."""


# ---------------------------------------------------------------- columns and terms
def number(value):
    if isinstance(value, str):
        text = value.strip().lower()
        if text in ("true", "false"):
            return float(text == "true")
        if "_" in text or not np.isfinite(float(text)):
            raise ValueError(value)
    return float(value)


class Column:
    """The values of one column; `numbers` is None if a value is text that is not a number."""

    def __init__(self, name, raw):
        self.name, self.raw = name, raw
        self.missing = np.array([v is None for v in raw], bool)
        try:
            self.numbers = np.array([np.nan if v is None else number(v) for v in raw], float)
        except (ValueError, TypeError):
            self.numbers = None

    def levels(self, rows):
        """The labels of the levels in these rows in order, and the code of each row."""
        values = [v for v, used in zip(self.raw, rows) if used]
        keys = [str(v) for v in values] if any(isinstance(v, str) for v in values) else [float(v) for v in values]
        order = sorted(set(keys))
        place = {key: i for i, key in enumerate(order)}
        labels = [k if isinstance(k, str) else str(int(k)) if k.is_integer() else repr(k) for k in order]
        return labels, np.array([place[k] for k in keys], int)

    def transformed(self, how):
        """The numbers after a transformation, NaN if missing; None of a factor."""
        if how == "factor" or (how == "number" and self.numbers is None):
            return None
        if how not in TRANSFORMS or self.numbers is None:
            raise Refusal(f"the {how} of the column '{self.name}' cannot be computed")
        values = TRANSFORMS[how](self.numbers)
        if np.isinf(values).any() or (np.isnan(values) & ~self.missing).any():
            raise Refusal(f"the {how} of the column '{self.name}' is not finite in some rows")
        return values


class Data:
    """The columns of a request and the rows that are used."""

    def __init__(self, raw):
        self.raw = raw
        lengths = {len(values) for values in raw["columns"].values()}
        if len(lengths) != 1:
            raise Refusal("the columns differ in length")
        self.columns = {name: Column(name, values) for name, values in raw["columns"].items()}
        self.rows = np.ones(lengths.pop(), bool)
        for name, how in self.factors("outcome", "terms", "endogenous", "instruments"):
            values = self.column(name).transformed(how)
            self.rows &= ~self.column(name).missing if values is None else ~np.isnan(values)
        for name in self.names("event", "groups", "weights", "exposure", "absorb"):
            self.rows &= ~self.column(name).missing
        self.missing = int((~self.rows).sum())
        self.singletons = self.without_singletons()
        self.separated = 0

    def factors(self, *keys):
        for key in keys:
            terms = self.raw.get(key) or []
            for term in [terms] if isinstance(terms, dict) else terms:
                for factor in term["factors"]:
                    yield factor["column"], factor.get("as", "number")

    def names(self, *keys):
        for key in keys:
            value = self.raw.get(key) or []
            yield from [value] if isinstance(value, str) else value

    def column(self, name):
        if name not in self.columns:
            raise Refusal(f"there is no column '{name}'")
        return self.columns[name]

    def without_singletons(self):
        """Drops rows whose level of an absorbed effect occurs once, until none is left."""
        before = self.rows.sum()
        while self.raw["family"] == "absorbed":
            single = np.zeros(self.rows.sum(), bool)
            for name in self.names("absorb"):
                codes = self.column(name).levels(self.rows)[1]
                single |= np.bincount(codes)[codes] == 1
            if not single.any():
                break
            self.rows[np.flatnonzero(self.rows)[single]] = False
        return int(before - self.rows.sum())

    def numbers(self, key):
        """The numbers of the column that the request names under `key`; None if it names none."""
        name = self.raw.get(key)
        if not name:
            return None
        if self.column(name).numbers is None:
            raise Refusal(f"the column '{name}' is not numbers")
        return self.column(name).numbers[self.rows]

    def outcome(self, binary=False):
        [(name, how)] = self.factors("outcome")
        values = self.column(name).transformed(how)
        if binary:
            labels, codes = self.column(name).levels(self.rows)
            if len(labels) != 2:
                raise Refusal(f"the outcome '{name}' has {len(labels)} values, and the model wants two")
            return codes.astype(float)
        if values is None:
            raise Refusal(f"the outcome '{name}' is not numbers")
        return values[self.rows]

    def expand(self, term, extra):
        """The named columns of a term; `extra` takes contrasts between the levels of a factor."""
        parts = [("", np.ones(self.rows.sum()))]
        for factor in term["factors"]:
            name, how = factor["column"], factor.get("as", "number")
            column, values = self.column(name), self.column(name).transformed(how)
            if values is not None:
                pieces = [(name if how == "number" else f"{how}({name})", values[self.rows])]
            else:
                labels, codes = column.levels(self.rows)
                if len(labels) > LEVELS:
                    raise Refusal(f"the column '{name}' has {len(labels)} levels")
                pieces = [(f"{name}[{label}]", (codes == i).astype(float)) for i, label in enumerate(labels)][1:]
                if len(term["factors"]) == 1 and len(labels) <= CONTRASTED:
                    signed = lambda one, other: [(f"{name}[{one}]", 1.0), (f"{name}[{other}]", -1.0)]
                    base = f"{name}[{labels[0]}]"
                    extra += [(f"{name}[{a}/{b}]", {k: v for k, v in signed(a, b) if k != base})
                              for a in labels for b in labels if a != b]
            parts = [(f"{a}:{b}".lstrip(":"), u * v) for a, u in parts for b, v in pieces]
            if len(parts) > COLUMNS:
                raise Refusal("the model has too many columns")
        return parts

    def design(self, *keys, constant=True):
        """The scaled columns of the terms under `keys`, without those that depend on earlier ones."""
        extra, parts = [], {}
        for key in keys:
            for term in self.raw.get(key) or []:
                parts.update(self.expand(term, extra))
        if len(parts) > COLUMNS:
            raise Refusal("the model has too many columns")
        constant = constant and self.raw.get("intercept", True)
        X = np.column_stack([np.ones((self.rows.sum(), 0)), *parts.values()])
        centre = X.mean(0) if constant or self.raw["family"] == "cox" else np.zeros(X.shape[1])
        spread = np.sqrt(((X - centre) ** 2).mean(0))
        keep = spread > 1e-12 * np.maximum(np.abs(X).max(0, initial=0), 1e-300)
        Z = (X - centre) / np.where(keep, spread, 1)
        lead = np.ones((len(Z), int(constant)))
        keep[keep] = independent(np.hstack([lead, Z[:, keep]]))[lead.shape[1]:]
        names = [name for name, kept in zip(parts, keep) if kept]
        dropped = [name for name, kept in zip(parts, keep) if not kept]
        back = np.diag(1 / spread[keep])
        Z = Z[:, keep]
        if constant:
            Z, names = np.hstack([lead, Z]), ["(Intercept)", *names]
            back = np.block([[np.ones((1, 1)), -(centre[keep] / spread[keep])[None]], [np.zeros((len(back), 1)), back]])
        place = {name: i for i, name in enumerate(names)}
        for name, combination in extra:
            if all(one in place for one in combination):
                names.append(name)
                back = np.vstack([back, sum(v * back[place[k]] for k, v in combination.items())])
        return Design(names, Z, back, dropped)


@dataclass
class Design:
    """Scaled columns, and the matrix that turns their coefficients into the named ones."""
    names: list
    X: np.ndarray
    back: np.ndarray
    dropped: list


def independent(X):
    """Marks the columns that do not depend on earlier ones."""
    basis, keep = np.zeros((len(X), 0)), []
    for x in X.T:
        rest = x - basis @ (basis.T @ x)
        rest -= basis @ (basis.T @ rest)
        length = np.linalg.norm(rest)
        keep.append(bool(length > 1e-7 * np.linalg.norm(x)))
        if keep[-1]:
            basis = np.column_stack([basis, rest / length])
    return np.array(keep, bool)


# ---------------------------------------------------------------- fits and their errors
@dataclass
class Fit:
    """Coefficients of scaled columns, with what every kind of error is computed from."""
    theta: np.ndarray
    names: list
    back: np.ndarray
    bread: np.ndarray
    scores: np.ndarray
    classical: dict  # member: covariance
    k: int
    variant: str = ""
    df: float = None
    white: np.ndarray = None  # weighted columns; bread is the inverse of their cross product
    residual: np.ndarray = None  # weighted residuals, for corrections by leverage
    factors: list = field(default_factory=lambda: [("", None)])  # other numbers of parameters
    apart: int = 0  # rows that other programs keep, each with a parameter of its own

    def named(self, covariance):
        estimate = self.back @ self.theta
        error = np.sqrt(np.einsum("ij,jk,ik->i", self.back, covariance, self.back))
        pairs = {n: [float(b), float(s)] for n, b, s in zip(self.names, estimate, error) if np.isfinite(b) and s > 0}
        return {n: pair for n, pair in pairs.items() if np.isfinite(pair[1])}

    def sandwich(self, scores):
        return self.bread @ (scores.T @ scores) @ self.bread

    def members(self, clusters):
        """Kind, member, degrees of freedom and covariance of each kind of error."""
        for member, covariance in self.classical.items():
            yield "classical", member, self.df, covariance
        if self.scores is None:
            return
        n, plain = len(self.scores), self.sandwich(self.scores)
        yield "robust", "HC0", self.df, plain
        yield "robust", "HC0 n/(n-1)", self.df, plain * n / (n - 1)
        for suffix, k in self.factors:
            yield "robust", "HC1" + suffix, self.df, plain * n / (n - (k or self.k))
        if self.apart:
            yield "robust", "HC1 singletons kept", self.df, plain * (n + self.apart) / (n - self.k)
        if self.white is not None:
            leverage = np.einsum("ij,jk,ik->i", self.white, self.bread, self.white)
            if leverage.max() < 1 - 1e-9:
                yield "robust", "HC2", self.df, self.sandwich(self.scores / np.sqrt(1 - leverage)[:, None])
                yield "robust", "HC3", self.df, self.sandwich(self.scores / (1 - leverage)[:, None])
        for name, codes, nested in clusters:
            yield from self.clustered(name, codes, nested)
        for (one, codes, _), (other, more, _) in combinations(clusters, 2):
            yield from self.two_way(f"({one}, {other})", codes, more)

    def two_way(self, name, one, other):
        """Errors clustered in two ways: the sum of both less those of the intersection (Cameron, Gelbach, Miller 2011)."""
        known = (one >= 0) & (other >= 0)
        parts = [np.unique(codes, axis=0, return_inverse=True)[1].ravel()
                 for codes in (one[known], other[known], np.column_stack([one, other])[known])]
        n, total, adjusted = known.sum(), 0, 0
        for codes, sign in zip(parts, (1, 1, -1)):
            groups = codes.max() + 1
            sums = np.zeros((groups, self.scores.shape[1]))
            np.add.at(sums, codes, self.scores[known])
            part = sign * self.sandwich(sums)
            total, adjusted = total + part, adjusted + part * groups / (groups - 1) * (n - 1) / (n - self.k)
        df = None if self.df is None else min(parts[0].max(), parts[1].max()) * 1.0
        yield "clustered", f"CR0{name}", df, total
        yield "clustered", f"CR1S{name}", df, adjusted

    def clustered(self, name, codes, nested):
        known = codes >= 0
        scores, codes = self.scores[known], np.unique(codes[known], return_inverse=True)[1]
        n, groups = len(scores), int(codes.max(initial=-1)) + 1
        if groups < 2:
            return
        df = None if self.df is None else groups - 1.0
        sums = np.zeros((groups, scores.shape[1]))
        np.add.at(sums, codes, scores)
        plain, ratio = self.sandwich(sums), groups / (groups - 1)
        yield "clustered", f"CR0({name})", df, plain
        yield "clustered", f"CR1({name})", df, plain * ratio
        for suffix, k in [*self.factors, *nested]:
            yield "clustered", f"CR1S{suffix}({name})", df, plain * ratio * (n - 1) / (n - (k or self.k))
        if self.apart:
            yield "clustered", f"CR1S singletons kept({name})", df, plain * ratio * (n + self.apart - 1) / (n - self.k)
        if self.residual is None or np.bincount(codes).max() > CLUSTER_ROWS:
            return
        white, residual = self.white[known], self.residual[known]
        for member, power in (("CR2", -0.5), ("CR3", -1.0)):
            sums = np.zeros((groups, scores.shape[1]))
            for group in range(groups):
                own = codes == group
                roots, axes = np.linalg.eigh(np.eye(own.sum()) - white[own] @ self.bread @ white[own].T)
                used = roots > 1e-10
                adjusted = axes[:, used] @ (roots[used] ** power * (axes[:, used].T @ residual[own]))
                sums[group] = white[own].T @ adjusted
            yield "clustered", f"{member}({name})", df, self.sandwich(sums)


def inverse(information):
    return np.linalg.inv((information + information.T) / 2)


def maximise(theta, loglike, slopes):
    """Newton's method; `slopes` gives the gradient and the information. None if there is no finite maximum."""
    value = loglike(theta)
    for _ in range(100):
        gradient, information = slopes(theta)
        roots, axes = np.linalg.eigh((information + information.T) / 2)
        floor = 1e-9 * np.abs(roots).max(initial=1e-300)
        step = axes @ (axes.T @ gradient / np.maximum(np.abs(roots), floor))
        if np.abs(step).max(initial=0) < 1e-9 * (1 + np.abs(theta).max(initial=0)):
            return theta if np.isfinite(value) and (roots > floor).all() else None
        for _ in range(40):
            reached = loglike(theta + step)
            if reached >= value - 1e-11 * (1 + abs(value)):
                break
            step = step / 2
        else:
            return None
        theta, value = theta + step, reached
        if np.abs(theta).max() > 1e3:
            return None
    return None


# ---------------------------------------------------------------- least squares
def least_squares(data):
    design, y = data.design("terms"), data.outcome()
    weights = data.numbers("weights")
    root = np.ones(len(y)) if weights is None else np.sqrt(weights)
    if not np.isfinite(root).all() or (root <= 0).any():
        raise Refusal("some weights are not above zero")
    return [linear_fit(design, design.X * root[:, None], y * root)], design.dropped


def linear_fit(design, X, y, regressors=None, more=0, **options):
    """Least squares, or two-stage least squares if `regressors` are not the fitted ones."""
    n, k = len(y), X.shape[1] + more
    if n <= k:
        raise Refusal(f"there are {n} rows for {k} coefficients")
    bread = inverse(X.T @ X)
    theta = bread @ (X.T @ y)
    theta += bread @ (X.T @ (y - (X if regressors is None else regressors) @ theta))
    residual = y - (X if regressors is None else regressors) @ theta
    squares = residual @ residual
    classical = {"n-k": bread * squares / (n - k), "n": bread * squares / n}
    return Fit(theta, design.names, design.back, bread, X * residual[:, None], classical, k, df=float(n - k), white=X,
               residual=residual, **options)


def two_stage(data):
    both, first = data.design("endogenous", "terms"), data.design("instruments", "terms")
    Z = np.linalg.qr(first.X)[0]
    fitted = Z @ (Z.T @ both.X)
    if not independent(fitted).all():
        raise Refusal("the instruments do not identify the endogenous terms")
    fit = linear_fit(both, fitted, data.outcome(), regressors=both.X)
    fit.white = fit.residual = None
    return [fit], both.dropped


def absorbed(data):
    design, y = data.design("terms", constant=False), data.outcome()
    codes = [data.column(name).levels(data.rows)[1] for name in data.names("absorb")]
    table = np.column_stack([y, design.X])
    for _ in range(10_000):
        before = table
        for one in codes:
            sums = np.zeros((one.max() + 1, table.shape[1]))
            np.add.at(sums, one, table)
            table = table - (sums / np.bincount(one)[:, None])[one]
        if np.abs(table - before).max() < 1e-12 * np.abs(table).max():
            break
    keep = independent(table[:, 1:])
    if not keep.all():
        raise Refusal("some terms do not vary within the absorbed effects")
    levels = [int(one.max()) + 1 for one in codes]
    effects = levels[0] + sum(level - 1 for level in levels[1:])
    if len(codes) == 2:
        effects = levels[0] + levels[1] - components(*codes)
    fit = linear_fit(design, table[:, 1:], table[:, 0], more=effects)
    fit.white = fit.residual = None
    fit.factors = [("", None), (" effects not counted", table.shape[1] - 1)]
    fit.apart = data.singletons
    fit.levels = codes
    return [fit], design.dropped


def components(one, other):
    """Connected groups of two effects."""
    label = np.arange(one.max() + 1)
    while True:
        low = np.full(other.max() + 1, len(label))
        np.minimum.at(low, other, label[one])
        new = label.copy()
        np.minimum.at(new, one, low[other])
        if (new == label).all():
            return len(np.unique(label))
        label = new


def random_intercept(data):
    """One search over the ratio of the two variances, by REML and by ML."""
    design, y = data.design("terms"), data.outcome()
    groups = data.column(data.raw["groups"]).levels(data.rows)[1]
    size, (n, p) = np.bincount(groups), design.X.shape
    sums = np.zeros((len(size), p))
    np.add.at(sums, groups, design.X)
    sum_y, zz, zy, yy = np.bincount(groups, y), design.X.T @ design.X, design.X.T @ y, y @ y
    if n <= p + 1:
        raise Refusal(f"there are {n} rows for {p} coefficients")

    def pieces(ratio):
        w = ratio / (1 + size * ratio)
        return zz - sums.T @ (sums * w[:, None]), zy - sums.T @ (w * sum_y), yy - w @ sum_y ** 2, np.log1p(size * ratio).sum()

    fits = []
    for variant, df in (("REML", n - p), ("ML", n)):
        reml = variant == "REML"

        def profile(ratio):
            a, b, c, logdet = pieces(ratio)
            squares = c - b @ np.linalg.solve(a, b)
            return df * np.log(squares / df) + logdet + (np.linalg.slogdet(a)[1] if reml else 0)

        grid = np.r_[0, np.logspace(-5, 3, 60)]
        best = int(np.argmin([profile(ratio) for ratio in grid]))
        low, high = np.log(grid[max(best - 1, 1)]), np.log(grid[min(max(best + 1, 2), 60)])
        found = np.exp(minimize_scalar(lambda t: profile(np.exp(t)), bounds=(low - 3, high), method="bounded",
                                       options={"xatol": 1e-12}).x)
        ratio = found if profile(found) < profile(0.0) else 0.0
        a, b, c, _ = pieces(ratio)
        theta = np.linalg.solve(a, b)
        sigma = (c - b @ theta) / df
        bread = inverse(a)
        classical = {"": bread * sigma}
        if not reml:
            classical["n/(n-p)"] = bread * sigma * n / (n - p)
        fits.append(Fit(theta, design.names, design.back, bread, None, classical, p, variant=variant))
    return fits, design.dropped


# ---------------------------------------------------------------- maximum likelihood
BINARY = ("logit", "probit")
LIKELIHOODS = {  # log-likelihood, its slope, minus its curvature and the expected curvature, by the linear predictor
    "logit": lambda y, eta: (y * eta - np.logaddexp(0, eta), y - expit(eta), *2 * (expit(eta) * expit(-eta),)),
    "poisson": lambda y, eta: (y * eta - np.exp(eta), y - np.exp(eta), *2 * (np.exp(eta),)),
}


def probit(y, eta):
    q = (2 * y - 1)
    density = np.exp(-eta * eta / 2) / np.sqrt(2 * np.pi)
    ratio = q * np.exp(-eta * eta / 2 - np.log(2 * np.pi) / 2 - log_ndtr(q * eta))
    return log_ndtr(q * eta), ratio, ratio * (ratio + eta), density ** 2 / np.maximum(ndtr(eta) * ndtr(-eta), 1e-300)


LIKELIHOODS["probit"] = probit


def generalised(data):
    """Logit, probit and Poisson."""
    family, infinite = data.raw["family"], []
    while True:
        design, y = data.design("terms"), data.outcome(binary=family in BINARY)
        X, weights, exposure = design.X, data.numbers("weights"), data.numbers("exposure")
        weights = np.ones(len(y)) if weights is None else weights
        if (weights < 0).any() or family == "poisson" and (y < 0).any() or exposure is not None and (exposure <= 0).any():
            raise Refusal("the outcome, a weight or an exposure is below zero")
        if len(y) <= X.shape[1]:
            raise Refusal(f"there are {len(y)} rows for {X.shape[1]} coefficients")
        offset = np.zeros(len(y)) if exposure is None else np.log(exposure)
        pieces = lambda theta: LIKELIHOODS[family](y, offset + X @ theta)

        def slopes(theta):
            _, slope, curvature, _ = pieces(theta)
            return X.T @ (weights * slope), X.T @ (X * (weights * curvature)[:, None])

        start = np.zeros(X.shape[1])
        if family == "poisson" and design.names[:1] == ["(Intercept)"]:
            start[0] = np.log(max(y.mean(), 1e-8)) - offset.mean()
        theta = maximise(start, lambda theta: weights @ pieces(theta)[0], slopes)
        if theta is not None and np.abs(X @ theta).max() < 25:
            break
        lost = separated(X, y, family)
        if not lost.any():
            if theta is None:
                raise Refusal("the likelihood has no maximum that was found")
            break
        data.rows[np.flatnonzero(data.rows)[lost]] = False
        data.separated += int(lost.sum())
        infinite = sorted(set(design.names) - set(data.design("terms").names) - {"(Intercept)"})
        if not data.rows.any():
            raise Refusal("the outcome is predicted perfectly by the terms")
    _, slope, curvature, expected = pieces(theta)
    observed = inverse(X.T @ (X * (weights * curvature)[:, None]))
    by_expected = inverse(X.T @ (X * (weights * expected)[:, None]))
    n, k = X.shape
    classical = {"observed": observed, "expected": by_expected}
    if family in ("poisson", "logit"):
        pearson = float(weights @ (slope ** 2 / np.maximum(expected, 1e-300)))
        classical["quasi"] = by_expected * pearson / (n - k)
    scores = X * (weights * slope)[:, None]
    fit = Fit(theta, design.names, design.back, observed, scores, classical, k,
              white=X * np.sqrt(weights * curvature)[:, None])
    by_expectation = Fit(theta, design.names, design.back, by_expected, scores, {}, k, variant="expected information")
    return [fit, *([by_expectation] if family == "probit" else [])], design.dropped, infinite


def separated(X, y, family):
    """The rows whose likelihood rises for ever in some direction, by a linear program after Konis (2007)."""
    if family == "poisson":
        equal, A = X[y > 0], -X[y == 0]
        rows = np.flatnonzero(y == 0)
    else:
        equal, A, rows = X[:0], X * (2 * y[:, None] - 1), np.arange(len(y))
    unique, place = np.unique(np.round(A, 12), axis=0, return_inverse=True)
    if len(unique) > PROGRAM_ROWS:
        raise Refusal("the likelihood has no maximum that was found")
    n, k = unique.shape
    equal = np.unique(np.round(equal, 12), axis=0)[:PROGRAM_ROWS]
    limits = {"A_eq": np.hstack([equal, np.zeros((len(equal), n))]), "b_eq": np.zeros(len(equal))} if len(equal) else {}
    best = linprog(np.r_[np.zeros(k), -np.ones(n)], A_ub=hstack([csr_matrix(-unique), identity(n)]), b_ub=np.zeros(n),
                   bounds=[(None, None)] * k + [(0, 1)] * n, method="highs", **limits)
    lost = np.zeros(len(y), bool)
    if best.x is not None:
        lost[rows] = (best.x[k:] > 0.5)[place.ravel()]
    return lost


def negative_binomial(data):
    design, y, exposure = data.design("terms"), data.outcome(), data.numbers("exposure")
    if (y < 0).any() or len(y) <= design.X.shape[1] + 1:
        raise Refusal("the outcome is below zero, or there are too few rows")
    model = NegativeBinomial(y, design.X, loglike_method="nb2", exposure=exposure)
    model._transparams = False
    theta = np.r_[np.zeros(design.X.shape[1]), max((y.var() - y.mean()) / max(y.mean(), 1e-8) ** 2, 0.05)]
    theta[0] = np.log(max(y.mean(), 1e-8)) - (0 if exposure is None else np.log(exposure).mean())
    loglike = lambda t: float(model.loglike(t)) if t[-1] > 0 else -np.inf
    theta = maximise(theta, loglike, lambda t: (model.score_obs(t).sum(0), -model.hessian(t)))
    if theta is None:
        raise Refusal("the likelihood has no maximum that was found, as without overdispersion")
    full = inverse(-model.hessian(theta))
    k = design.X.shape[1]
    mean = np.exp(design.X @ theta[:-1]) * (1 if exposure is None else exposure)
    fixed = inverse(design.X.T @ (design.X * (mean / (1 + theta[-1] * mean))[:, None]))
    scores = model.score_obs(theta)
    whole = np.hstack([design.back, np.zeros((len(design.back), 1))])
    return [Fit(theta, design.names, whole, full, scores, {"observed": full}, k + 1, factors=[("", None), (" without dispersion", k)]),
            Fit(theta[:-1], design.names, design.back, fixed, scores[:, :-1], {"dispersion fixed": fixed}, k,
                variant="dispersion fixed")], design.dropped


def multinomial(data):
    [(name, _)] = data.factors("outcome")
    labels, codes = data.column(name).levels(data.rows)
    design = data.design("terms")
    k = design.X.shape[1]
    if not 2 < len(labels) <= CONTRASTED or len(codes) <= k * (len(labels) - 1):
        raise Refusal(f"the outcome '{name}' has {len(labels)} values")
    model = MNLogit(codes, design.X)
    wide = lambda flat: flat.reshape(len(labels) - 1, k).T
    loglike = lambda flat: float(model.loglike(wide(flat)))
    slopes = lambda flat: (model.score_obs(wide(flat)).sum(0), -model.hessian(wide(flat)))
    theta = maximise(np.zeros(k * (len(labels) - 1)), loglike, slopes)
    if theta is None:
        raise Refusal("the likelihood has no maximum that was found")
    names, back = [], []
    for i, level in enumerate(labels):
        for j, base in enumerate(labels):
            if i != j:
                block = np.zeros((len(design.back), theta.size))
                for at, sign in ((i, 1), (j, -1)):
                    if at:
                        block[:, (at - 1) * k:at * k] += sign * design.back
                names += [f"{level}/{base}:{term}" for term in design.names]
                back.append(block)
    bread = inverse(-model.hessian(wide(theta)))
    return [Fit(theta, names, np.vstack(back), bread, model.score_obs(wide(theta)), {"observed": bread}, theta.size)], design.dropped


# ---------------------------------------------------------------- Cox regression
def cox(data):
    design, time, event = data.design("terms", constant=False), data.outcome(), data.numbers("event")
    if event is None or not np.isin(event, (0, 1)).all():
        raise Refusal("the column of events is not 0 and 1")
    order = np.argsort(-time, kind="stable")
    X, time, event = design.X[order], time[order], event[order] == 1
    ends = np.searchsorted(-time, -np.unique(time[event]), side="right")  # rows at risk at each time of an event
    dead = [np.flatnonzero(event & (time == t)) for t in np.unique(time[event])]
    fits = []
    for variant in ("Efron", "Breslow"):
        shares = [np.arange(len(d)) / len(d) if variant == "Efron" else np.zeros(len(d)) for d in dead]

        def pieces(theta, wanted):
            risk = np.exp(X @ theta)
            total, first = np.cumsum(risk), np.cumsum(risk[:, None] * X, 0)
            second = np.cumsum(risk[:, None, None] * X[:, :, None] * X[:, None, :], 0) if wanted else None
            value, gradient, information = 0.0, np.zeros(len(theta)), np.zeros((len(theta), len(theta)))
            for end, d, share in zip(ends, dead, shares):
                own = risk[d, None] * X[d]
                s0 = total[end - 1] - share * risk[d].sum()
                value += (X[d] @ theta).sum() - np.log(s0).sum()
                if wanted:
                    s1 = first[end - 1] - share[:, None] * own.sum(0)
                    mean = s1 / s0[:, None]
                    gradient += X[d].sum(0) - mean.sum(0)
                    tied = (own[:, :, None] * X[d][:, None, :]).sum(0)
                    information += second[end - 1] * (1 / s0).sum() - tied * (share / s0).sum() - mean.T @ mean
            return value, gradient, information

        theta = maximise(np.zeros(X.shape[1]), lambda t: pieces(t, False)[0], lambda t: pieces(t, True)[1:])
        if theta is None or np.abs(X @ theta).max() > 25:
            raise Refusal("the partial likelihood has no finite maximum, as if a group has no event")
        bread = inverse(pieces(theta, True)[2])
        scores = None
        if len(ends) * len(X) <= RESIDUAL_CELLS:
            scores = np.zeros(X.shape)
            scores[order] = cox_residuals(X, np.exp(X @ theta), event, zip(ends, dead, shares))
        fits.append(Fit(theta, design.names, design.back, bread, scores, {"observed": bread}, len(theta), variant=variant))
    return fits, design.dropped


def cox_residuals(X, risk, event, steps):
    """Score residuals, with Efron's weights of tied events if they have shares."""
    out = np.zeros(X.shape)
    for end, dead, shares in steps:
        s0, s1 = risk[:end].sum(), risk[:end] @ X[:end]
        d0, d1 = risk[dead].sum(), risk[dead] @ X[dead]
        for share in shares:
            denominator = s0 - share * d0
            mean = (s1 - share * d1) / denominator
            left = np.ones(end)
            left[dead] = 1 - share
            out[:end] -= (risk[:end] * left / denominator)[:, None] * (X[:end] - mean)
            out[dead] += (X[dead] - mean) / len(dead)
    return out


FAMILIES = {"linear": least_squares, "iv": two_stage, "absorbed": absorbed, "random_intercept": random_intercept,
            "logit": generalised, "probit": generalised, "poisson": generalised, "negative_binomial": negative_binomial,
            "multinomial": multinomial, "cox": cox}
WEIGHTED, EXPOSED = ("linear", "logit", "probit", "poisson"), ("poisson", "negative_binomial")


def answer(raw):
    if raw.get("format") != 1 or raw.get("family") not in FAMILIES:
        raise Refusal("the request is not of a family and format that is known")
    if raw.get("weights") and raw["family"] not in WEIGHTED or raw.get("exposure") and raw["family"] not in EXPOSED:
        raise Refusal("this family is not fitted with weights or an exposure")
    data = Data(raw)
    if not data.rows.any():
        raise Refusal("no row has a value in every column")
    fits, dropped, *infinite = FAMILIES[raw["family"]](data)
    clusters = []
    for name in data.names("clusters"):
        column = data.column(name)
        known = data.rows & ~column.missing
        codes = np.full(len(known), -1)
        codes[known] = column.levels(known)[1]
        clusters.append((name, codes[data.rows], ()))
    out = []
    for fit in fits:
        levels = getattr(fit, "levels", [])
        own = [(name, codes, [(" nested effects not counted", unnested(fit, levels, codes))] if levels else ())
               for name, codes, _ in clusters]
        for kind, member, df, covariance in fit.members(own):
            out.append({"kind": kind, "member": member, "variant": fit.variant, "df": df,
                        "coefficients": fit.named(covariance)})
    return {"format": 1, "n": int(data.rows.sum()), "collinear": dropped,
            "dropped": {"missing": data.missing, "singletons": data.singletons, "separated": data.separated},
            "infinite": infinite[0] if infinite else [], "fits": out}


def unnested(fit, levels, clusters):
    """Parameters without the effects whose levels each lie in one cluster."""
    k = fit.factors[1][1] + 1
    for codes in levels:
        spread = len(np.unique(np.column_stack([codes, clusters]), axis=0))
        if spread > codes.max() + 1:
            k += int(codes.max())
    return k


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            result = answer(json.load(file))
    except Refusal as refusal:
        result = {"format": 1, "error": str(refusal)}
    except (np.linalg.LinAlgError, ArithmeticError, KeyError, TypeError, ValueError, IndexError, AttributeError, MemoryError) as error:
        result = {"format": 1, "error": f"the fit failed ({type(error).__name__}: {error})"}
    print(json.dumps(result, allow_nan=False))


main()
