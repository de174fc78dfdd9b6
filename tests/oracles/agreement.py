"""Agreement by scikit-learn, krippendorff and scipy: [{judge, human}] in, measures out."""
import json
import math
import sys

import krippendorff
import numpy
from scipy import stats
from sklearn.metrics import cohen_kappa_score, recall_score

answers = []
for case in json.load(sys.stdin):
    judge = [math.nan if v is None else v for v in case["judge"]]
    human = [math.nan if v is None else v for v in case["human"]]
    both = [(a, b) for a, b in zip(case["judge"], case["human"]) if a is not None and b is not None]
    a, b = map(list, zip(*both))
    table = numpy.array([judge, human], dtype=float)
    alpha = krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal", value_domain=[0, 1, 2, 3])
    binary = set(a) | set(b) <= {0, 1}
    answers.append(
        {
            "sensitivity": recall_score(b, a, pos_label=1) if binary else None,
            "specificity": recall_score(b, a, pos_label=0) if binary else None,
            "quadratic_kappa": cohen_kappa_score(a, b, weights="quadratic", labels=[0, 1, 2, 3]),
            "ordinal_alpha": alpha,
            "spearman": stats.spearmanr(a, b).statistic,
            "kendall": stats.kendalltau(a, b).statistic,
            "bias": float(numpy.mean(numpy.array(a) - numpy.array(b))),
        }
    )
json.dump(answers, sys.stdout)
