"""The replication criteria by scipy: JSON list of [o, so, r, sr] in, one object each out."""
import json
import math
import sys

from scipy import optimize, stats


def sceptical(zo, zr, c):
    upper = min(zo * zo, zr * zr)
    if upper == 0.0:
        return 0.0
    gap = lambda x: (zo * zo / x - 1.0) * (zr * zr / x - 1.0) - c
    return optimize.brentq(gap, upper * 1e-12, upper, xtol=1e-300, rtol=8.9e-16, maxiter=1000)


def fieller(o, so, r, sr):
    z = stats.norm.ppf(0.975)
    if abs(o / so) <= z:
        return None
    gap = lambda ratio: (r - ratio * o) ** 2 - z * z * (sr * sr + (ratio * so) ** 2)
    far = 1e6 * (1 + abs(r / o))
    return sorted(optimize.brentq(gap, r / o, r / o + side * far, xtol=1e-14) for side in (-1, 1))


def one(o, so, r, sr):
    norm = stats.norm
    both = math.hypot(so, sr)
    sceptic = math.sqrt(sceptical(o / so, r / sr, (so / sr) ** 2))
    tail, golden = norm.sf(sceptic), norm.sf(sceptic * math.sqrt((1 + math.sqrt(5)) / 2))
    halves = norm.sf(abs(o / so)), norm.sf(abs(r / sr))
    wo, wr = so**-2, sr**-2
    pooled = (wo * o + wr * r) / (wo + wr)
    small = so * (norm.ppf(0.975) - norm.ppf(2 / 3))
    sesoi = 0.3
    return {
        "significance_and_direction": 2 * norm.sf(abs(r / sr)),
        "heterogeneity": stats.chi2.sf(((o - r) / both) ** 2, 1),
        "small_telescopes": norm.cdf((r * math.copysign(1, o) - small) / sr),
        "sceptical_p": tail if o * r > 0 else 1 - tail,
        "replication_bayes_factor": math.exp(norm.logpdf(r, o, both) - norm.logpdf(r, 0, sr)),
        "equivalence": max(norm.sf((r + sesoi) / sr), norm.cdf((r - sesoi) / sr)),
        "meta_analytic": 2 * norm.sf(abs(pooled) * math.sqrt(wo + wr)),
        "effect_ratio": r / o,
        "golden_sceptical_p": golden if o * r > 0 else 1 - golden,
        "sum_of_p_values": halves[0] + (halves[1] if o * r > 0 else 1 - halves[1]),
        "intervals": {
            "effect_ratio": fieller(o, so, r, sr),
            "prediction_interval": list(norm.interval(0.95, o, both)),
            "meta_analytic": list(norm.interval(0.95, pooled, (wo + wr) ** -0.5)),
            "original_in_replication_interval": list(norm.interval(0.95, r, sr)),
            "replication_in_original_interval": list(norm.interval(0.95, o, so)),
        },
    }


def quantiles():
    rows = []
    for df in [1, 2, 3.5, 10, 100, 999, 1000, 1001, 5e3, 1e4, 1e5, 1e6, 2e6, 1e7, 1e9, 1e12]:
        for p in [1e-6, 0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.9999]:
            rows.append([df, p, stats.t.ppf(p, df)])
    return rows


def tails():
    rows = []
    for df in [1, 5, 100, 1e4, 1e6, 1e8]:
        for t in [-3.0, 0.0, 0.5, 2.0, 5.0]:
            rows.append([df, t, stats.t.sf(t, df)])
    return rows


pairs = json.load(sys.stdin)
json.dump({"criteria": [one(*pair) for pair in pairs], "quantiles": quantiles(), "tails": tails()}, sys.stdout)
