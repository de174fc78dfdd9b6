import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf

import reprise

jobs = pd.read_csv("../replication_data/Prestige.csv")
used = jobs.dropna(subset=["prestige", "type"])
print(f"rows read {len(jobs)}, used {len(used)}")
fit = smf.ols("prestige ~ C(type, Treatment('bc'))", data=used).fit()
reprise.report(fit, "C(type, Treatment('bc'))[T.prof]", name="prof_minus_bc")
reprise.report(sm.stats.anova_lm(fit, typ=2), "C(type, Treatment('bc'))", name="type (omnibus)", n=len(used))
