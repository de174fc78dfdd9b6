from types import SimpleNamespace

import pandas as pd

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

terms = ["const", "poverty", "urban", "single"]
model = SimpleNamespace(exog_names=terms, endog_names="violent", endog=used["violent"], exog=used[terms[1:]].assign(const=1.0)[terms])
fit = SimpleNamespace(
    model=model,
    params=pd.Series([-912.4, 19.42, 3.31, 31.07], index=terms),
    bse=pd.Series([176.2, 7.18, 0.94, 5.02], index=terms),
    tvalues=pd.Series([-5.178, 2.705, 3.521, 6.189], index=terms),
    pvalues=pd.Series([4.6e-6, 0.00949, 0.00097, 1.4e-7], index=terms),
    use_t=True, df_resid=len(used) - 4, nobs=len(used), cov_type="nonrobust",
)
reprise.report(fit, "poverty", scale="difference")
