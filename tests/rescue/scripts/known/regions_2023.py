import pandas as pd

a = pd.read_csv("data/wave1.csv")
a["note"] = ["x", "y", "x", "z", "z"]
means = a.groupby("region").mean()
print(list(means.columns), means["support"].tolist())
