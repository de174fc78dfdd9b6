import numpy as np
import pandas as pd

df = pd.read_csv("data/survey.csv")
df = df.sort("age")
df["young"] = df.ix[:, "age"] < 40
print("young share: %.3f" % df["young"].mean())

trust = df["trust"].as_matrix().astype(np.float)
print("mean trust: %.3f" % trust.mean())

smooth = pd.rolling_mean(df["trust"], 3)
print("last smooth: %.4f" % smooth.iloc[-1])
