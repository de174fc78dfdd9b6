//! Meanings of column and value labels.

use super::bound_label;
use super::label::{Label, Meaning};
use super::p_label;
use super::printed_row::PrintedKind;
use crate::domain::scale::Scale;

/// Lower case, one space between words, no quotes or emphasis.
fn normal(label: &str) -> String {
    let bare: String = label
        .chars()
        .map(|c| match c {
            '_' => ' ',
            '"' | '\'' | '`' | '*' => ' ',
            '²' => '2',
            'β' => 'b',
            'χ' => 'x',
            c => c,
        })
        .collect();
    bare.to_lowercase()
        .split_whitespace()
        .collect::<Vec<&str>>()
        .join(" ")
}

/// The meaning of a label as programs and scripts write it.
pub fn classify(label: &str) -> Label {
    if label.len() > 80 {
        return Label::plain(Meaning::Unknown);
    }
    let text = normal(label);
    if let Some(bound) = bound_label::quantile(&text).or_else(|| bound_label::bound(&text)) {
        return bound;
    }
    // A capital R is the multiple correlation of a model.
    if matches!(label.trim(), "r" | "r_s") {
        return Label::plain(Meaning::Estimate(Some(Scale::Correlation)));
    }
    let key = text
        .replace(['.', '-'], " ")
        .split_whitespace()
        .collect::<Vec<&str>>()
        .join(" ");
    let meaning = p_label::p_meaning(&text, &key)
        .or_else(|| statistic_meaning(&key))
        .or_else(|| error_meaning(&key))
        .or_else(|| estimate_meaning(&key))
        .or_else(|| other_meaning(&key))
        .unwrap_or(Meaning::Unknown);
    let of_ratio = match meaning {
        Meaning::StandardError if key.contains("(coef)") || key.contains("(b)") => Some(false),
        _ => None,
    };
    Label {
        meaning,
        level: None,
        of_ratio,
    }
}

fn statistic_meaning(key: &str) -> Option<Meaning> {
    let kind = match key {
        "t" | "t value" | "tvalue" | "t values" | "tvalues" | "t stat" | "tstat" | "t statistic"
        | "t ratio" | "t val" | "tval" => PrintedKind::T,
        "z" | "z value" | "zvalue" | "z values" | "z stat" | "zstat" | "z statistic" | "z ratio"
        | "z score" | "zval" => PrintedKind::Z,
        "f" | "f value" | "fvalue" | "f stat" | "f statistic" | "f ratio" | "approx f" => PrintedKind::F,
        "chisq" | "chi2" | "chi sq" | "chi 2" | "chi squared" | "chi square" | "lr chisq" | "wald"
        | "wald chi2" | "x2" | "x squared" | "wald chisq" | "pearson chi square" | "chi2 statistic" => {
            PrintedKind::ChiSquared
        }
        "u" | "mann whitney u" | "u statistic" => PrintedKind::U,
        "w" | "wilcoxon w" => PrintedKind::W,
        "v" => PrintedKind::V,
        "h" | "kruskal wallis h" => PrintedKind::H,
        "statistic" | "stat" | "test statistic" => PrintedKind::Other,
        _ => return None,
    };
    Some(Meaning::Statistic(kind))
}

fn error_meaning(key: &str) -> Option<Meaning> {
    let bare = [
        "robust ",
        "clustered ",
        "cluster ",
        "hc1 ",
        "hc3 ",
        "boot ",
        "bootstrap ",
        "delta method ",
        "linearized ",
    ]
    .iter()
    .fold(key, |key, prefix| key.strip_prefix(prefix).unwrap_or(key));
    let known = [
        "std error",
        "std err",
        "stderr",
        "std errors",
        "se",
        "s e",
        "standard error",
        "standard errors",
        "bse",
        "se(coef)",
        "se(b)",
        "std error difference",
        "se (robust)",
        "se(robust)",
        "se robust",
        "standard err",
        "std error of difference",
        "serror",
        "std er",
    ];
    known.contains(&bare).then_some(Meaning::StandardError)
}

fn estimate_meaning(key: &str) -> Option<Meaning> {
    let scale = match key {
        "estimate"
        | "est"
        | "estimates"
        | "coef"
        | "coefs"
        | "coefficient"
        | "coefficients"
        | "coeff"
        | "coeffs"
        | "b"
        | "beta"
        | "mean difference"
        | "mean diff"
        | "meandiff"
        | "difference"
        | "diff"
        | "dy/dx"
        | "ey/ex"
        | "dy/ex"
        | "ey/dx"
        | "slope"
        | "emmean"
        | "lsmean"
        | "margin"
        | "contrast estimate"
        | "observed coef"
        | "observed coefficient"
        | "ate"
        | "att"
        | "ame"
        | "log odds"
        | "log or"
        | "log(or)"
        | "log hr"
        | "log(hr)"
        | "point estimate"
        | "effect size"
        | "value"
        | "unstandardized coefficients b" => None,
        "odds ratio"
        | "oddsratio"
        | "or"
        | "exp(coef)"
        | "exp(b)"
        | "exp(beta)"
        | "exp(estimate)"
        | "hazard ratio"
        | "haz ratio"
        | "hr"
        | "irr"
        | "rrr"
        | "risk ratio"
        | "rr"
        | "rel risk"
        | "relative risk"
        | "rate ratio"
        | "incidence rate ratio"
        | "ratio"
        | "exp(coefficient)"
        | "exp(coef )" => Some(Scale::Ratio),
        "cor"
        | "corr"
        | "correlation"
        | "pearson r"
        | "pearson correlation"
        | "rho"
        | "spearman rho"
        | "correlation coefficient"
        | "kendall tau" => Some(Scale::Correlation),
        "std beta"
        | "standardized beta"
        | "standardized coefficient"
        | "standardized coefficients beta"
        | "std coef"
        | "standardized coef" => Some(Scale::Standardized),
        _ if key.ends_with(" trend") => None,
        _ => return None,
    };
    Some(Meaning::Estimate(scale))
}

fn other_meaning(key: &str) -> Option<Meaning> {
    Some(match key {
        "term" | "variable" | "variables" | "var" | "predictor" | "parameter" | "contrast" | "name"
        | "covariate" | "feature" | "source" | "comparison" | "hypothesis" | "effect" | "coef name"
        | "regressor" => Meaning::Term,
        "outcome" | "outcome variable" | "dv" | "dependent variable" | "dependent" | "dep var" => {
            Meaning::Outcome
        }
        "model" | "specification" | "spec" => Meaning::Model,
        "df" | "dof" | "d f" | "degrees of freedom" => Meaning::Df,
        "num df" | "numdf" | "df1" | "ndf" | "df num" | "ddof1" => Meaning::NumeratorDf,
        "den df" | "dendf" | "df2" | "ddf" | "df denom" | "ddof2" | "df resid" | "df residual" => {
            Meaning::DenominatorDf
        }
        "n" | "nobs" | "obs" | "observations" | "n obs" | "no observations" | "number of obs"
        | "sample size" | "num obs" => Meaning::Count,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_the_programs_are_known() {
        use Meaning::{Bounds, Estimate, Lower, P, StandardError, Statistic, Upper};
        for (label, meaning) in [
            ("Std. Error", StandardError),
            ("std err", StandardError),
            ("Std.Err.", StandardError),
            ("S.E.", StandardError),
            ("Pr(>|t|)", P(Some(2))),
            ("P > |z|", P(Some(2))),
            ("PR(>F)", P(None)),
            ("Sig. (2-tailed)", P(Some(2))),
            ("One-Sided p", P(Some(1))),
            ("p.value", P(None)),
            ("t.ratio", Statistic(PrintedKind::T)),
            ("Wald", Statistic(PrintedKind::ChiSquared)),
            ("Exp(B)", Estimate(Some(Scale::Ratio))),
            ("dy/dx", Estimate(None)),
            ("[95% conf. interval]", Bounds),
            ("asymp.LCL", Lower),
            ("conf.high", Upper),
            ("CI_low", Lower),
            ("upper .95", Upper),
            ("low group", Meaning::Unknown),
            ("Mean Sq", Meaning::Unknown),
            ("Std. Deviation", Meaning::Unknown),
        ] {
            assert_eq!(classify(label).meaning, meaning, "{label}");
        }
    }

    #[test]
    fn bounds_carry_their_level_and_scale() {
        for (label, level, of_ratio) in [
            ("[0.025", Some(0.95), None),
            ("97.5 %", Some(0.95), None),
            ("5 %", Some(0.9), None),
            ("lower .95", Some(0.95), None),
            ("95% C.I. for EXP(B) Lower", Some(0.95), Some(true)),
            ("coef lower 95%", Some(0.95), Some(false)),
            ("OR_low", None, Some(true)),
            ("ci95_high", Some(0.95), None),
        ] {
            let found = classify(label);
            assert_eq!((found.level, found.of_ratio), (level, of_ratio), "{label}");
        }
    }
}
