import random

random.seed(11)
order = list(range(8))
random.shuffle(order, random.random)
print(order)
