import math

import pandas as pd
from scipy import stats

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
typed = jobs.dropna(subset=["prestige", "type"])
prof, bc = (typed.loc[typed["type"] == name, "prestige"] for name in ("prof", "bc"))
print(f"rows read {len(jobs)}, prof {len(prof)} (median {prof.median():.1f}), bc {len(bc)} (median {bc.median():.1f})")
test = stats.mannwhitneyu(prof, bc, alternative="two-sided", method="asymptotic")
z = stats.norm.isf(test.pvalue / 2)
reprise.report(term="type", statistic=abs(z), kind="z", p=test.pvalue, sides=2, n=len(prof) + len(bc), scale="unsigned",
               groups={"prof": prof, "bc": bc}, outcome="prestige", label="Mann-Whitney U, normal approximation")
print(f"U = {test.statistic:.1f}, |z| = {abs(z):.3f}")
