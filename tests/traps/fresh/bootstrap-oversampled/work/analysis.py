import numpy as np
import pandas as pd

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")


def slope(rows):
    x = np.column_stack([np.ones(len(rows)), rows[["poverty", "single"]]])
    return np.linalg.lstsq(x, rows["murder"].to_numpy(), rcond=None)[0][1]


rng = np.random.default_rng(2009)
draws = [slope(used.iloc[rng.integers(0, len(used), 10 * len(used))]) for _ in range(2000)]
low, high = np.quantile(draws, [0.025, 0.975])
reprise.report(term="poverty", estimate=slope(used), interval=[low, high], n=len(used), scale="difference", label="bootstrap of OLS murder ~ poverty + single")
