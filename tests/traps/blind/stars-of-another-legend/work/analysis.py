import pandas as pd
import statsmodels.api as sm

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["murder", "poverty", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

x = sm.add_constant(used[["poverty", "single"]])
fit = sm.OLS(used["murder"], x).fit()

def stars(p):
    return "***" if p < 0.01 else "**" if p < 0.05 else "*" if p < 0.10 else ""


print("Dependent variable: murder")
for term in ["poverty", "single", "const"]:
    print(f"{term:<12} {fit.params[term]:.3f}{stars(fit.pvalues[term])}")
print(f"Observations {int(fit.nobs)}")
print("* p<0.10, ** p<0.05, *** p<0.01")
