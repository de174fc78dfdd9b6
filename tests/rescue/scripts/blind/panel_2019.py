"""Stack the two waves and compute the change in support by region."""
import pandas as pd
import numpy as np

wave1 = pd.read_csv("data/wave1.csv")
wave2 = pd.read_csv("data/wave2.csv")
wave1["wave"] = 1
wave2["wave"] = 2
panel = wave1.append(wave2, ignore_index=True)
panel["support"] = panel["support"].astype(np.int)

means = panel.groupby(["region", "wave"])["support"].mean().unstack()
for region, change in (means[2] - means[1]).iteritems():
    print("{0} {1:.3f}".format(region, change))
print("N = {0}".format(len(panel)))
