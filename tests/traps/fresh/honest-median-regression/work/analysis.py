import pandas as pd
import statsmodels.formula.api as smf

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")
fit = smf.quantreg("violent ~ poverty + urban + single", data=used).fit(q=0.5)
reprise.report(fit, "poverty")
