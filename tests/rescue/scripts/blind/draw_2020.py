import random
import re

lines = open("data/ids.txt", "rU").read().splitlines()
ids = set(int(re.match("id(?i)_([0-9]+)", line).group(1)) for line in lines)
random.seed(7)
control = random.sample(ids, 3)
print("ids: %d" % len(ids))
print("drawn: %d" % len(control))
print("all known: %s" % set(control).issubset(ids))
