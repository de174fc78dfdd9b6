import collections
import random
import time
from fractions import gcd

start = time.clock()
random.seed(2018)


def flatten(tree):
    for key, value in sorted(tree.items()):
        if isinstance(value, collections.Mapping):
            for pair in flatten(value):
                yield pair
        else:
            yield key, value


settings = {"draws": 400, "grid": {"low": 12, "high": 18}}
values = dict(flatten(settings))
step = gcd(values["low"], values["high"])
hits = sum(1 for _ in range(values["draws"]) if random.random() < 1.0 / step)
print("step %d" % step)
print("hits %d" % hits)
print("took less than a minute: %s" % (time.clock() - start < 60))
