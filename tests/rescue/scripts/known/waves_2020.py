import pandas as pd

a = pd.read_csv("data/wave1.csv")
b = pd.read_csv("data/wave2.csv")
both = pd.concat([a, b], keys=[1, 2], names=["wave", "row"])
both = both.drop("region", 1)
print(both.mean(level="wave")["support"].round(4).tolist())
