# %% [markdown]
# Replication: poverty and violent crime, 2009

# %%
import pandas as pd
import statsmodels.formula.api as smf

import reprise

df = pd.read_csv("../replication_data/statecrime.csv")
df.head()

# %%
print(df.describe().T)
print(df[["violent", "poverty", "urban", "single"]].corr().round(2))

# %%
m0 = smf.ols("violent ~ poverty", data=df).fit()
print(m0.summary().tables[1])

# %%
m1 = smf.ols("violent ~ poverty + urban + single", data=df).fit()
print(m1.summary())

# %%
try:
    import matplotlib.pyplot as plt

    df.plot.scatter("poverty", "violent")
    plt.savefig("scatter.png")
except ImportError:
    print("no matplotlib; the plot is skipped")

# %%
reprise.report(m1, "poverty")
