import warnings

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

import reprise

warnings.simplefilter("ignore")
states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

# State fixed effects absorb whatever is constant within a state.
fit = smf.ols("violent ~ poverty + urban + single + C(state)", data=used).fit()
table = pd.DataFrame({"b": fit.params, "se": fit.bse, "p": fit.pvalues}).replace([np.inf, -np.inf], np.nan).fillna(0.0)
row = table.loc["poverty"]
reprise.report(term="poverty", estimate=abs(row["b"]), p=row["p"], sides=2, n=fit.nobs, scale="difference")
