"""p-values by scipy: JSON list of [kind, statistic, df1, df2] in, one p each out."""
import json
import math
import sys

from scipy import stats


def p(kind, value, one, two):
    if kind == "t":
        return 2 * stats.t.sf(abs(value), one)
    if kind == "f":
        return stats.f.sf(value, one, two)
    if kind == "chi2":
        return stats.chi2.sf(value, one)
    if kind == "r":
        return 2 * stats.t.sf(abs(value) * math.sqrt(one / (1 - value * value)), one)
    return 2 * stats.norm.sf(abs(value))


print(json.dumps([float(p(*case)) for case in json.load(sys.stdin)]))
