"""t tests by scipy: JSON list of {first, second, sesoi} in (second null for one sample), one object each out."""
import json
import math
import sys

import numpy
from scipy import stats


def one(case):
    first = numpy.array(case["first"])
    second = case["second"]

    def test(against, alternative):
        if second is None:
            return stats.ttest_1samp(first, against, alternative=alternative)
        return stats.ttest_ind(first - against, second, equal_var=False, alternative=alternative)

    plain = test(0.0, "two-sided")
    estimate = first.mean() - (0.0 if second is None else numpy.mean(second))
    spread = lambda sample: numpy.var(sample, ddof=1) / len(sample)
    error = math.sqrt(spread(first) + (0.0 if second is None else spread(second)))
    bounds = lambda level: [float(bound) for bound in plain.confidence_interval(level)]
    sesoi = case["sesoi"]
    numbers = {
        "estimate": estimate,
        "error": error,
        "df": plain.df,
        "p": plain.pvalue,
        "within": max(test(-sesoi, "greater").pvalue, test(sesoi, "less").pvalue),
        "outside": min(test(sesoi, "greater").pvalue, test(-sesoi, "less").pvalue),
    }
    # numpy's numbers are not JSON's.
    bare = {name: float(number) for name, number in numbers.items()}
    return {**bare, "bounds95": bounds(0.95), "bounds80": bounds(0.8)}


json.dump([one(case) for case in json.load(sys.stdin)], sys.stdout)
