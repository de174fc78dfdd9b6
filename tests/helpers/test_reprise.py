"""helpers/reprise.py against the accessors of the packages that it reads.

Run by tests/helpers/run, in an environment with statsmodels, linearmodels and scipy.
"""
import contextlib
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

warnings.simplefilter("ignore")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = tempfile.TemporaryDirectory()
RESULTS = pathlib.Path(FOLDER.name, "results.jsonl")
os.environ["REPRISE_RESULTS"] = str(RESULTS)
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "helpers"))

import numpy as np
import pandas as pd
import reprise
import statsmodels.api as sm
import statsmodels.formula.api as smf
from linearmodels import IV2SLS, PanelOLS, PooledOLS
from scipy import stats
from statsmodels.stats.anova import AnovaRM, anova_lm
from statsmodels.stats.weightstats import CompareMeans

DATA = pd.read_csv(ROOT / "studies/duncan-1961/input/replication_data/Prestige.csv").dropna()
DATA["prof"] = (DATA.type == "prof").astype(int)
CRIME = pd.read_csv(ROOT / "studies/crime-1993/input/replication_data/statecrime.csv")
PROF, REST = DATA.income[DATA["prof"] == 1], DATA.income[DATA["prof"] == 0]
WELCH = CompareMeans.from_data(PROF, REST).ttest_ind(usevar="unequal")[2]
FIELDS = "term coefficient estimate se statistic p interval n groups scale outcome model".split()
KEYS = {
    "statistic": {"kind", "value", "df"},
    "p": {"value", "sides", "relation", "alternative"},
    "interval": {"lower", "upper", "level", "kind"},
}


def recorded(*args, **given):
    """The line that a report wrote, which is also what it returned, and what it printed."""
    RESULTS.unlink(missing_ok=True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        returned = reprise.report(*args, **given)
    text = RESULTS.read_text("utf-8")
    assert text.endswith("\n") and text.count("\n") == 1, text
    line = json.loads(text, parse_constant=lambda word: 1 / 0)
    assert line == returned
    assert set(line) <= set(FIELDS), line
    for key, known in KEYS.items():
        assert set(line.get(key, ())) <= known, line
    shown = printed.getvalue()
    assert shown.startswith("reprise: ") and shown.count("\n") == 1, shown
    return line


class Case(unittest.TestCase):
    def near(self, got, wanted, what=""):
        if wanted is None:
            self.assertIsNone(got, what)
        else:
            self.assertIsNotNone(got, what)
            self.assertTrue(math.isclose(got, float(wanted), rel_tol=1e-9, abs_tol=1e-300), (what, got, wanted))

    def same(self, line, **wanted):
        """Every field: those not named must be absent."""
        sides = wanted.pop("sides", 2)
        alternative = wanted.pop("alternative", None)
        kind, value, df = wanted.pop("statistic", (None, None, None))
        statistic, p, interval = line.get("statistic", {}), line.get("p", {}), line.get("interval", {})
        self.assertEqual(statistic.get("kind"), kind)
        self.near(statistic.get("value"), value, "statistic")
        if isinstance(df, list):
            for got, want in zip(statistic["df"], df):
                self.near(got, want, "df")
        else:
            self.near(statistic.get("df"), df, "df")
        self.near(p.get("value"), wanted.pop("p", None), "p")
        if p:
            self.assertEqual((p.get("sides"), p.get("alternative"), p["relation"]), (sides, alternative, "="))
        lower, upper = wanted.pop("interval", (None, None))
        self.near(interval.get("lower"), lower, "lower")
        self.near(interval.get("upper"), upper, "upper")
        if interval:
            self.assertEqual((interval["level"], interval["kind"]), (wanted.pop("level", 0.95), "confidence"))
        for key in ("estimate", "se", "n"):
            self.near(line.get(key), wanted.pop(key, None), key)
        for key in ("coefficient", "scale", "outcome", "model", "term"):
            if key in wanted or key == "coefficient":
                self.assertEqual(line.get(key), wanted.pop(key, None), key)
        self.assertFalse(wanted)

    def refused(self, *words, call):
        with self.assertRaises(reprise.ReportError) as caught:
            recorded(*call[0], **call[1])
        self.assertFalse(RESULTS.exists())
        for word in words:
            self.assertIn(word, str(caught.exception))


class Statsmodels(Case):
    def model(self, fit, term, kind, df, scale, model, outcome="prestige", n=98, coefficient=None):
        own = coefficient or term
        names = list(getattr(fit.params, "index", fit.model.exog_names))
        at = names.index(own)
        pick = lambda values: np.asarray(values)[at]
        self.same(
            recorded(fit, term),
            term=term,
            coefficient=coefficient,
            estimate=pick(fit.params),
            se=pick(fit.bse),
            statistic=(kind, pick(fit.tvalues), df),
            p=pick(fit.pvalues),
            interval=pick(fit.conf_int()),
            n=n,
            scale=scale,
            outcome=outcome,
            model=model,
        )

    def test_linear(self):
        formula = "prestige ~ income + C(type)"
        fit = smf.ols(formula, DATA).fit()
        self.model(fit, "income", "t", 94, "difference", "OLS " + formula)
        self.model(fit, "type[prof]", "t", 94, "difference", "OLS " + formula, coefficient="C(type)[T.prof]")
        self.model(smf.wls(formula, DATA, weights=DATA.women + 1).fit(), "income", "t", 94, "difference", "WLS " + formula)
        self.model(smf.gls(formula, DATA).fit(), "income", "t", 94, "difference", "GLS " + formula)
        self.model(smf.quantreg(formula, DATA).fit(), "income", "t", 94, "difference", "QuantReg " + formula)
        self.model(smf.rlm(formula, DATA).fit(), "income", "z", None, "difference", "RLM " + formula)

    def test_robust_covariance(self):
        ols = smf.ols("prestige ~ income", DATA)
        self.model(ols.fit(cov_type="HC3"), "income", "z", None, "difference", "OLS prestige ~ income (HC3)")
        self.model(ols.fit(cov_type="HC3", use_t=True), "income", "t", 96, "difference", "OLS prestige ~ income (HC3)")
        robust = ols.fit().get_robustcov_results("HC1")
        self.model(robust, "income", "t", 96, "difference", "OLS prestige ~ income (HC1)")
        groups = {"groups": pd.factorize(DATA.type)[0]}
        clustered = ols.fit(cov_type="cluster", cov_kwds=groups, use_t=True)
        self.model(clustered, "income", "t", 2, "difference", "OLS prestige ~ income (cluster)")

    def test_without_formula(self):
        values = sm.add_constant(DATA[["income", "women"]].values)
        fit = sm.OLS(DATA.prestige.values, values).fit()
        self.model(fit, "x1", "t", 95, "difference", "OLS y ~ const + x1 + x2", outcome="y")

    def test_generalized(self):
        binomial = smf.glm("prof ~ income", DATA, family=sm.families.Binomial()).fit()
        self.model(binomial, "income", "z", None, "log_ratio", "GLM prof ~ income", outcome="prof")
        gaussian = smf.glm("prestige ~ income", DATA).fit()
        self.model(gaussian, "income", "z", None, "difference", "GLM prestige ~ income")
        for fit, name, scale in (
            (smf.logit, "Logit", "log_ratio"),
            (smf.probit, "Probit", "difference"),
        ):
            self.model(fit("prof ~ income", DATA).fit(disp=0), "income", "z", None, scale, name + " prof ~ income", outcome="prof")
        for fit, name in ((smf.poisson, "Poisson"), (smf.negativebinomial, "NegativeBinomial")):
            fit = fit("women ~ education", DATA).fit(disp=0)
            self.model(fit, "education", "z", None, "log_ratio", name + " women ~ education", outcome="women")
        self.model(fit, "alpha", "z", None, None, "NegativeBinomial women ~ education", outcome="women")
        gee = smf.gee("prestige ~ income", "type", DATA).fit()
        self.model(gee, "income", "z", None, "difference", "GEE prestige ~ income (robust)")

    def test_mixed_and_survival(self):
        mixed = smf.mixedlm("prestige ~ income", DATA, groups=DATA.type).fit()
        self.model(mixed, "income", "z", None, "difference", "MixedLM prestige ~ income")
        self.model(mixed, "Group Var", "z", None, None, "MixedLM prestige ~ income")
        hazard = smf.phreg("income ~ education", DATA, status=DATA["prof"]).fit()
        self.model(hazard, "education", "z", None, "log_ratio", "PHReg income ~ education", outcome="income")

    def test_equations_of_a_multinomial_model(self):
        design = sm.add_constant(DATA[["income"]] / 1000)
        for fit in (sm.MNLogit(DATA.type, design).fit(disp=0), smf.mnlogit("t ~ income", DATA.assign(t=pd.factorize(DATA.type)[0])).fit(disp=0)):
            labels = [str(fit.model._ynames_map[i]) for i in (1, 2)]
            for column, label in enumerate(labels):
                line = recorded(fit, "income", equation=label)
                at = fit.model.exog_names.index("income")
                pick = lambda values: np.asarray(values)[at, column]
                bounds = np.asarray(fit.conf_int()).reshape(2, 2, 2)[column, at]
                self.same(
                    line,
                    estimate=pick(fit.params),
                    se=pick(fit.bse),
                    statistic=("z", pick(fit.tvalues), None),
                    p=pick(fit.pvalues),
                    interval=bounds,
                    n=98,
                    scale="log_ratio",
                    outcome="%s = %s" % (fit.model.endog_names, label),
                )
            self.refused(*labels, call=((fit, "income"), {}))
            self.refused("'bc'", *labels, call=((fit, "income"), {"equation": "bc"}))

    def test_contrasts(self):
        fit = smf.ols("prestige ~ income + C(type)", DATA).fit()
        one = fit.t_test("C(type)[T.prof] = C(type)[T.wc]")
        self.same(
            recorded(one, "prof - wc", n=fit.nobs),
            term="prof - wc",
            estimate=one.effect[0],
            se=one.sd.item(),
            statistic=("t", one.tvalue.item(), 94),
            p=one.pvalue.item(),
            interval=one.conf_int()[0],
            n=98,
        )
        two = fit.t_test("income = 0, C(type)[T.wc] = 0")
        line = recorded(two, "c1")
        self.near(line["estimate"], fit.params["C(type)[T.wc]"])
        self.near(line["se"], fit.bse["C(type)[T.wc]"])
        self.near(line["statistic"]["value"], fit.tvalues["C(type)[T.wc]"])
        self.near(line["p"]["value"], fit.pvalues["C(type)[T.wc]"])
        self.refused("c0, c1", call=((two, "wc"), {}))
        z = smf.logit("prof ~ income", DATA).fit(disp=0).t_test("income = 0")
        self.assertEqual(recorded(z, "income")["statistic"]["kind"], "z")
        joint = "C(type)[T.prof] = 0, C(type)[T.wc] = 0"
        wald = fit.wald_test(joint, use_f=True, scalar=True)
        f = fit.compare_f_test(smf.ols("prestige ~ income", DATA).fit())
        self.same(recorded(wald, "type"), statistic=("F", f[0], [2, 94]), p=f[1], sides=None, scale="unsigned")
        for scalar in (True, False):
            wald = fit.wald_test(joint, use_f=False, scalar=scalar)
            self.same(
                recorded(wald, "type"),
                statistic=("chi2", 2 * f[0], 2),
                p=stats.chi2.sf(2 * f[0], 2),
                sides=None,
                scale="unsigned",
            )

    def test_tables(self):
        fit = smf.ols("prestige ~ income + C(type)", DATA).fit()
        for typ in (1, 2, 3):
            table = anova_lm(fit, typ=typ)
            row = table.loc["C(type)"]
            self.same(
                recorded(table, "type", n=98),
                coefficient="C(type)",
                statistic=("F", row["F"], [2, 94]),
                p=row["PR(>F)"],
                sides=None,
                n=98,
                scale="unsigned",
            )
        self.refused("C(type), income, Residual", call=((anova_lm(fit), "education"), {}))
        nested = anova_lm(smf.ols("prestige ~ income", DATA).fit(), fit)
        self.same(
            recorded(nested, "type"),
            term="type",
            statistic=("F", nested["F"][1], [2, 94]),
            p=nested["Pr(>F)"][1],
            sides=None,
        )
        terms = fit.wald_test_terms()
        self.near(recorded(terms, "type")["statistic"]["value"], row["F"])
        seed = np.random.default_rng(1)
        long = pd.DataFrame({"who": np.repeat(range(20), 3), "cond": list("abc") * 20, "y": seed.normal(size=60)})
        repeated = AnovaRM(long, "y", "who", ["cond"]).fit()
        row = repeated.anova_table.loc["cond"]
        self.same(recorded(repeated, "cond"), statistic=("F", row["F Value"], [2, 38]), p=row["Pr > F"], sides=None, scale="unsigned")

    def test_singular_fits_have_no_nan(self):
        few = pd.DataFrame({"y": [1.0, 2.0], "x": [0.0, 1.0]})
        fit = smf.ols("y ~ x", few).fit()
        self.assertTrue(np.isnan(fit.pvalues["x"]) or np.isinf(fit.bse["x"]))
        line = recorded(fit, "x")
        self.near(line["estimate"], 1.0)
        self.assertNotIn("p", line)
        self.assertNotIn("interval", line)
        twins = DATA.assign(twin=DATA.income * 2)
        line = recorded(smf.ols("prestige ~ income + twin", twins).fit(), "twin")
        self.assertEqual(line["n"], 98)

    def test_a_p_below_the_smallest_double_is_a_bound(self):
        x = np.arange(5000.0)
        fit = smf.ols("y ~ x", pd.DataFrame({"x": x, "y": x + np.sin(x)})).fit()
        self.assertEqual(fit.pvalues["x"], 0)
        self.assertEqual(recorded(fit, "x")["p"], {"value": sys.float_info.min, "sides": 2, "relation": "<"})


class Linearmodels(Case):
    def model(self, fit, term, kind, df, model, n=98):
        self.same(
            recorded(fit, term),
            estimate=fit.params[term],
            se=fit.std_errors[term],
            statistic=(kind, fit.tstats[term], df),
            p=fit.pvalues[term],
            interval=fit.conf_int().loc[term],
            n=n,
            scale="difference",
            outcome="prestige",
            model=model,
        )

    def test_panel_and_instruments(self):
        panel = DATA.assign(t=DATA.groupby("type").cumcount()).set_index(["type", "t"])
        formula = "prestige ~ income + EntityEffects"
        fit = PanelOLS.from_formula(formula, panel).fit(cov_type="clustered", cluster_entity=True)
        self.model(fit, "income", "t", fit.df_resid, "PanelOLS %s (Clustered)" % formula)
        self.assertEqual(recorded(fit, "income")["statistic"]["df"], 94)
        self.model(PooledOLS.from_formula("prestige ~ 1 + income", panel).fit(), "income", "t", 96, "PooledOLS prestige ~ 1 + income")
        formula = "prestige ~ 1 + [income ~ education]"
        self.model(IV2SLS.from_formula(formula, DATA).fit(), "income", "z", None, "IV2SLS %s (robust)" % formula)
        debiased = IV2SLS.from_formula(formula, DATA).fit(debiased=True, cov_type="unadjusted")
        self.model(debiased, "income", "t", 96, "IV2SLS " + formula)
        arrays = IV2SLS(DATA.prestige, sm.add_constant(DATA[["women"]]), DATA[["income"]], DATA[["education"]]).fit()
        self.model(arrays, "income", "z", None, "IV2SLS prestige ~ const + women + income (robust)")
        wald = debiased.wald_test(formula="income = 0")
        kind, df = ("chi2", 1) if wald.df_denom is None else ("F", [1, 96])
        self.same(recorded(wald, "income"), statistic=(kind, wald.stat, df), p=wald.pval, sides=None, scale="unsigned")


class Scipy(Case):
    def test_t_of_two_groups(self):
        for alternative, sides, side in (("two-sided", 2, None), ("greater", 1, "greater"), ("less", 1, "less")):
            for equal in (True, False):
                test = stats.ttest_ind(PROF, REST, equal_var=equal, alternative=alternative)
                both = stats.ttest_ind(PROF, REST, equal_var=equal)
                difference = PROF.mean() - REST.mean()
                df = 96 if equal else WELCH
                given = {"groups": {"prof": PROF, "rest": REST}, "outcome": "income"}
                line = recorded(test, "prof", **(given if hasattr(test, "df") else dict(given, df=df)))
                self.same(
                    line,
                    term="prof",
                    estimate=difference,
                    se=difference / both.statistic,
                    statistic=("t", test.statistic, df),
                    p=test.pvalue,
                    sides=sides,
                    alternative=side,
                    interval=stats.t.interval(0.95, df, difference, difference / both.statistic),
                    n=98,
                    scale="difference",
                    outcome="income",
                )
                for group, series in zip(line["groups"], (PROF, REST)):
                    self.assertEqual(group["n"], len(series))
                    self.near(group["mean"], series.mean())
                    self.near(group["sd"], series.std())

    def test_sides_are_those_that_the_value_has(self):
        for sides, side, p in ((2, None, 0.1), (1, "less", 0.95), (1, "greater", 0.05), (None, None, 0.5)):
            # An older scipy's result, which does not tell its alternative.
            test = type("TtestResult", (), {"statistic": stats.t.isf(0.05, 20), "pvalue": p, "df": 20})()
            line = recorded(test, "x")["p"]
            self.assertEqual((line.get("sides"), line.get("alternative")), (sides, side))

    def test_t_of_pairs_and_of_one_group(self):
        test = stats.ttest_rel(DATA.education, DATA.women)
        bounds = test.confidence_interval()
        line = recorded(test, "education - women", groups={"education": DATA.education, "women": DATA.women})
        difference = DATA.education - DATA.women
        self.same(
            line,
            estimate=difference.mean(),
            se=difference.sem(),
            statistic=("t", test.statistic, 97),
            p=test.pvalue,
            interval=bounds,
            n=98,
            scale="difference",
        )
        one = stats.ttest_1samp(DATA.education, 10)
        bounds = one.confidence_interval()
        self.same(
            recorded(one, "education"),
            estimate=DATA.education.mean() - 10,
            se=DATA.education.sem(),
            statistic=("t", one.statistic, 97),
            p=one.pvalue,
            interval=(bounds.low - 10, bounds.high - 10),
            scale="difference",
        )

    def test_correlations(self):
        for alternative, sides, side in (("two-sided", 2, None), ("greater", 1, "greater")):
            r = stats.pearsonr(DATA.income, DATA.prestige, alternative=alternative)
            both = stats.pearsonr(DATA.income, DATA.prestige)
            self.same(
                recorded(r, "income"),
                estimate=r.statistic,
                statistic=("r", r.statistic, 96),
                p=r.pvalue,
                sides=sides,
                alternative=side,
                interval=both.confidence_interval(),
                n=98,
                scale="correlation",
            )
        for function in (stats.spearmanr, stats.kendalltau):
            r = function(DATA.income, DATA.prestige, alternative="greater")
            line = recorded(r, "income", alternative="greater", n=98, kind="rho")
            value = r.correlation
            self.same(
                line, estimate=value, statistic=("rho", value, None), p=r.pvalue, sides=1, alternative="greater", n=98, scale="correlation"
            )
        self.assertNotIn("sides", recorded(r, "income")["p"])
        fit = stats.linregress(DATA.income, DATA.prestige)
        ols = smf.ols("prestige ~ income", DATA).fit()
        self.same(
            recorded(fit, "income"),
            estimate=fit.slope,
            se=fit.stderr,
            statistic=("t", ols.tvalues["income"], 96),
            p=fit.pvalue,
            interval=ols.conf_int().loc["income"],
            n=98,
            scale="difference",
        )
        less = recorded(stats.linregress(DATA.income, DATA.prestige, alternative="less"), "income")["p"]
        self.assertEqual((less["sides"], less["alternative"]), (1, "less"))

    def test_ranks(self):
        groups = {"prof": PROF, "rest": REST}
        u = stats.mannwhitneyu(PROF, REST, alternative="greater")
        self.same(
            recorded(u, "prof", alternative="greater", groups=groups),
            statistic=("U", u.statistic, None),
            p=u.pvalue,
            sides=1,
            alternative="greater",
            n=98,
            scale="unsigned",
        )
        w = stats.wilcoxon(DATA.education - 10)
        self.same(recorded(w, "education", sides=2, n=98), statistic=("W", w.statistic, None), p=w.pvalue, n=98, scale="unsigned")
        pairs = {"education": DATA.education, "women": DATA.women}
        self.assertEqual(recorded(stats.wilcoxon(*pairs.values()), "x", sides=2, groups=pairs)["n"], 98)
        h = stats.kruskal(PROF, REST)
        self.same(recorded(h, "prof", groups=groups), statistic=("H", h.statistic, 1), p=h.pvalue, sides=None, n=98, scale="unsigned")
        d = stats.ks_2samp(PROF, REST)
        self.same(recorded(d, "prof", sides=2), statistic=("D", d.statistic, None), p=d.pvalue, scale="unsigned")

    def test_tables_and_variances(self):
        table = pd.crosstab(DATA.type, DATA.income > 6000)
        chi2 = stats.chi2_contingency(table)
        self.same(recorded(chi2, "type"), statistic=("chi2", chi2[0], 2), p=chi2[1], sides=None, n=98, scale="unsigned")
        fits = dict(list(DATA.groupby("type")["income"]))
        f = stats.f_oneway(*fits.values())
        line = recorded(f, "type", groups=fits)
        self.same(line, statistic=("F", f.statistic, [2, 95]), p=f.pvalue, sides=None, n=98, scale="unsigned")
        self.assertEqual([group["name"] for group in line["groups"]], ["bc", "prof", "wc"])
        counts = [[8, 2], [1, 5]]
        exact = stats.fisher_exact(counts)
        if isinstance(exact, tuple) and not hasattr(exact, "pvalue"):
            return self.refused("tuple", "estimate=", call=((exact, "x"), {}))
        self.same(recorded(exact, "x", sides=2, n=16), estimate=20, p=exact.pvalue, n=16, scale="ratio")
        binomial = stats.binomtest(3, 10, alternative="less")
        self.same(recorded(binomial, "heads"), estimate=0.3, p=binomial.pvalue, sides=1, alternative="less", n=10)

    def test_another_alternative_is_refused(self):
        test = stats.ttest_ind(PROF, REST)
        if hasattr(test, "df"):
            self.refused("sides=2 already", call=((test, "x"), {"alternative": "greater"}))
        fit = smf.ols("prestige ~ income", DATA).fit()
        self.refused("sides=2 already", call=((fit, "income"), {"sides": 1}))


class Terms(Case):
    def test_decoration_is_ignored_where_one_name_remains(self):
        odd = DATA.rename(columns={"women": "share of women"})
        odd["g"] = np.where(DATA.income > 6000, "a:b", "[0, 5)")
        odd["h"] = np.where(DATA.education > 10, "it's", "no")
        fit = smf.ols('prestige ~ Q("share of women") + C(g) * C(h, Treatment("no"))', odd).fit()
        for asked, own in (
            ("share of women", 'Q("share of women")'),
            ("g", "C(g)[T.a:b]"),
            ("g[a:b]", "C(g)[T.a:b]"),
            ("C(h)[it's]", "C(h, Treatment(\"no\"))[T.it's]"),
            ("h:g", "C(g)[T.a:b]:C(h, Treatment(\"no\"))[T.it's]"),
        ):
            line = recorded(fit, asked)
            self.assertEqual((line["term"], line["coefficient"]), (asked, own))
            self.near(line["estimate"], fit.params[own])

    def test_ambiguous_and_unknown_names_are_errors(self):
        fit = smf.ols("prestige ~ income + C(type)", DATA).fit()
        self.refused("C(type)[T.prof]", "C(type)[T.wc]", "whole name", call=((fit, "type"), {}))
        self.refused("no term 'wage'", "income", "C(type)[T.wc]", call=((fit, "wage"), {}))
        self.refused("Intercept", "income", call=((fit,), {}))
        values = DATA[["income", "women"]].set_axis(["x", "x"], axis=1)
        twice = sm.OLS(DATA.prestige, values).fit()
        self.refused("'x' could be any of: x, x", call=((twice, "x"), {}))

    def test_another_name_keeps_the_coefficient(self):
        line = recorded(smf.ols("prestige ~ income", DATA).fit(), "income", name="pay", label="main")
        self.assertEqual((line["term"], line["coefficient"], line["model"]), ("pay", "income", "main"))


class Keywords(Case):
    def test_numbers_by_keyword(self):
        line = recorded(
            "by hand",
            "x",
            estimate=np.float64(-0.8),
            se=0.2,
            statistic=-4,
            kind="t",
            df=np.int64(748),
            p="<.001",
            sides=2,
            interval=(-1.2, -0.4),
            interval_kind="credible",
            level=0.9,
            n=750.0,
            groups={"a": {"mean": 1.5, "n": 30}, "b": [1, None, 2, float("nan"), 4]},
            scale="standardized",
            outcome="y",
        )
        self.assertEqual(
            line,
            {
                "term": "x",
                "estimate": -0.8,
                "se": 0.2,
                "statistic": {"kind": "t", "value": -4, "df": 748},
                "p": {"value": 0.001, "sides": 2, "relation": "<"},
                "interval": {"lower": -1.2, "upper": -0.4, "level": 0.9, "kind": "credible"},
                "n": 750,
                "groups": [
                    {"name": "a", "mean": 1.5, "sd": None, "n": 30},
                    {"name": "b", "mean": 7 / 3, "sd": math.sqrt(7 / 3), "n": 3},
                ],
                "scale": "standardized",
                "outcome": "y",
                "model": "by hand",
            },
        )
        self.assertEqual(recorded(term="x", estimate=float("nan"), se=math.inf, p=math.nan), {"term": "x", "estimate": None})

    def test_what_cannot_be_is_refused(self):
        for words, given in (
            ("no keyword pvalue", {"pvalue": 0.1}),
            ("p=1.2", {"p": 1.2}),
            ("level=95", {"level": 95}),
            ("se=-1", {"se": -1}),
            ("'many' is not a number", {"n": "many"}),
            ("kind=", {"statistic": 3}),
            ("alternative=", {"p": 0.04, "sides": 1}),
            ("above its upper end", {"interval": (2, 1)}),
            ("scale='odds'", {"scale": "odds"}),
        ):
            self.refused(words, call=((), dict({"term": "x"}, **given)))
        self.refused("needs a term", call=((), {"estimate": 1}))
        self.refused("cannot read list", "estimate=", call=(([1, 2], "x"), {}))

    def test_the_printed_line(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            reprise.report(term="x", estimate=0.00136117, se=0.000224212, statistic=6.07, kind="t", df=98, p=2.3e-8, sides=2, n=102)
            reprise.report(term="x", statistic=7.7, kind="F", df=[1, 204], p=0.006, groups={"a": [1, 2], "b": [3, 5]})
            reprise.report(term="x", estimate=1, p=0.04, alternative="less")
        self.assertEqual(
            printed.getvalue().splitlines(),
            [
                "reprise: x estimate 0.00136117 se 0.000224212 t(98) 6.07 p 2.3e-08 n 102",
                "reprise: x F(1, 204) 7.7 p 0.006 | a mean 1.5 sd 0.707107 n 2 | b mean 4 sd 1.41421 n 2",
                "reprise: x estimate 1 p 0.04 (one-sided, less)",
            ],
        )

    def test_hostile_names(self):
        for term in ('say "x"\\', "two\nlines\r", "naïve 变量 \U0001f600", "\x00\x1b[31m\u2028", "\ud800"):
            line = recorded(term=term, estimate=1)
            self.assertEqual(line["term"], term.replace("\ud800", "?"))


class Files(Case):
    def python(self, code, cwd=None, **environment):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "helpers"), PYTHONDONTWRITEBYTECODE="1", **environment)
        environment = {key: value for key, value in environment.items() if value is not None}
        return subprocess.run([sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True)

    def test_a_path_that_cannot_be_written(self):
        done = self.python("import reprise; reprise.report(term='x', estimate=1)", REPRISE_RESULTS="/no/such/folder/results.jsonl")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("could not be written to /no/such/folder/results.jsonl: No such file", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_the_file_is_that_of_the_folder_at_the_start(self):
        with tempfile.TemporaryDirectory() as folder:
            code = "import reprise, os; os.chdir('/'); reprise.report(term='x', estimate=1)"
            done = self.python(code, cwd=folder, REPRISE_RESULTS=None)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(pathlib.Path(folder, "results.jsonl").read_text()), {"term": "x", "estimate": 1})

    def test_an_output_that_is_not_unicode(self):
        done = self.python("import reprise; reprise.report(term='\\u00e9', estimate=1)", PYTHONIOENCODING="ascii")
        self.assertEqual(done.stdout, "reprise: \\xe9 estimate 1\n", done.stderr)

    def test_without_any_package(self):
        done = self.python(
            "import sys; sys.modules['numpy'] = sys.modules['pandas'] = None\n"
            "import reprise; reprise.report(term='x', estimate=1, se=.5, interval=(0, 2))"
        )
        self.assertEqual(done.stdout, "reprise: x estimate 1 se 0.5 95% [0, 2]\n", done.stderr)

    def test_tables_do_not_wrap(self):
        done = self.python(
            "import reprise, numpy, pandas\n"
            "print(pandas.DataFrame(numpy.random.rand(2, 60) * 1e9))\nprint(numpy.arange(500.))"
        )
        self.assertEqual(len(done.stdout.splitlines()), 4, done.stderr)
        self.assertNotIn("...", done.stdout)

    def test_parallel_processes_do_not_mix_lines(self):
        RESULTS.unlink(missing_ok=True)
        code = "import reprise\nfor i in range(200): reprise.report(term='%s' * 3000, estimate=i)"
        running = [
            subprocess.Popen(
                [sys.executable, "-c", code % letter],
                env=dict(os.environ, PYTHONPATH=str(ROOT / "helpers"), PYTHONDONTWRITEBYTECODE="1"),
                stdout=subprocess.DEVNULL,
            )
            for letter in "abcd"
        ]
        for process in running:
            self.assertEqual(process.wait(), 0)
        lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
        self.assertEqual(len(lines), 800)
        for letter in "abcd":
            mine = [line["estimate"] for line in lines if line["term"] == letter * 3000]
            self.assertEqual(mine, list(range(200)))


if __name__ == "__main__":
    unittest.main()
