from collections import Mapping, OrderedDict, Iterable


def describe(x):
    if isinstance(x, Mapping):
        return "mapping of %d" % len(x)
    if isinstance(x, Iterable):
        return "list of %d" % len(list(x))
    return "value"


print(describe(OrderedDict(a=1, b=2)))
print(describe([1, 2, 3]))
print(describe(4))
