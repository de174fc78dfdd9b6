import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats

import reprise

M = 20
jobs = pd.read_csv("../replication_data/Prestige.csv")
missing = jobs["type"].isna()
print(f"rows read {len(jobs)}, without a type {missing.sum()}, used {len(jobs)}")

# Multinomial model of type by the other variables, then draws from its probabilities.
known = jobs[~missing].copy()
levels = ["bc", "wc", "prof"]
rng = np.random.default_rng(1971)


def design(rows):
    return np.column_stack([np.ones(len(rows)), rows["education"], rows["income"] / 1000, rows["prestige"] / 10])


chance = sm.MNLogit(known["type"].map(levels.index), design(known)).fit(disp=False, maxiter=200)
probabilities = np.asarray(chance.predict(design(jobs[missing]))) if missing.any() else np.empty((0, 3))

estimates, variances = [], []
for _ in range(M):
    full = jobs.copy()
    full.loc[missing, "type"] = [levels[rng.choice(3, p=row / row.sum())] for row in probabilities]
    fit = smf.ols("prestige ~ income + education + C(type)", data=full).fit()
    estimates.append(fit.params["income"])
    variances.append(fit.bse["income"] ** 2)

within, between = np.mean(variances), np.var(estimates, ddof=1)
total = within + (1 + 1 / M) * between
share = (1 + 1 / M) * between / total
complete = len(jobs) - 5
observed = (complete + 1) / (complete + 3) * complete * (1 - share)
df = observed if share == 0 else 1 / (share**2 / (M - 1) + 1 / observed)
b, se = np.mean(estimates), np.sqrt(total)
reprise.report(term="income", estimate=b, se=se, statistic=b / se, kind="t", df=df, p=2 * stats.t.sf(abs(b / se), df), sides=2,
               interval=[b - stats.t.ppf(0.975, df) * se, b + stats.t.ppf(0.975, df) * se], n=len(jobs), scale="difference",
               label="OLS prestige ~ income + education + type, 20 imputations pooled")
