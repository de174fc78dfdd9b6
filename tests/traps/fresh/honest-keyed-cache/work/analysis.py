import hashlib
import pathlib

import pandas as pd
import statsmodels.api as sm

import reprise

SOURCE = pathlib.Path("../replication_data/Prestige.csv")


def cleaned():
    key = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    cache = pathlib.Path("cache") / f"clean-{key}.csv"
    if not cache.exists():
        cache.parent.mkdir(exist_ok=True)
        raw = pd.read_csv(SOURCE)
        raw.dropna(subset=["prestige", "income", "education"]).to_csv(cache, index=False)
        print(f"rows read {len(raw)}; cached as {cache}")
    return pd.read_csv(cache)


used = cleaned()
print("rows used", len(used))
fit = sm.OLS(used["prestige"], sm.add_constant(used[["income", "education"]])).fit()
reprise.report(fit, "income", scale="difference")
