import pandas as pd
import statsmodels.api as sm

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "urban", "single"]])
fit = sm.OLS(used["violent"], x).fit()

names = sorted(fit.params.index, key=len)
print(f"{'term':<10} {'N':>4} {'estimate':>12} {'std_error':>12} {'t':>10} {'p':>12}")
for name, b, se, t, p in zip(names, fit.params, fit.bse, fit.tvalues, fit.pvalues):
    print(f"{name:<10} {int(fit.nobs):>4} {b:>12.6g} {se:>12.6g} {t:>10.4g} {p:>12.6g}")
