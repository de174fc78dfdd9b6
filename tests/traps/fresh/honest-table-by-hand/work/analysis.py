import pandas as pd
import statsmodels.api as sm

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "income", "education"])
print(f"rows read {len(jobs)}, dropped {len(jobs) - len(used)}, used {len(used)}")

fit = sm.OLS(used["prestige"], sm.add_constant(used[["income", "education"]])).fit()
reprise.report(fit, "income", scale="difference")
reprise.report(fit, "education", scale="difference")


def cell(name):
    b, p = fit.params[name], fit.pvalues[name]
    stars = "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""
    return f"{b:.3f}{stars}".replace("-", "\u2212"), f"({fit.bse[name]:.3f})"


print("\n| | b | SE |\n|:--|--:|--:|")
for name, title in {"const": "Constant", "income": "Income", "education": "Education"}.items():
    print("| " + " | ".join([title, *cell(name)]) + " |")
print(f"| N | {fit.nobs:.0f} | |\n\n* p < .05, ** p < .01, *** p < .001")
print(fit.summary().as_csv())
