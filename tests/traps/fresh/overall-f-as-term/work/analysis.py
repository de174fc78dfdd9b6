import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

fit = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]])).fit()
reprise.report(
    term="poverty", estimate=fit.params["poverty"], statistic=fit.fvalue, kind="F",
    df=[fit.df_model, fit.df_resid], p=fit.f_pvalue, n=fit.nobs, scale="difference",
)
