//! Meanings of column and value labels.

use super::printed_row::{PrintedScale, StatisticKind};

/// The quantity that a label names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meaning {
    Term,
    Outcome,
    Model,
    Estimate(Option<PrintedScale>),
    StandardError,
    Statistic(StatisticKind),
    Df,
    NumeratorDf,
    DenominatorDf,
    /// With the number of sides, where the label says it.
    P(Option<u8>),
    /// A p-value adjusted for several comparisons.
    AdjustedP,
    Lower,
    Upper,
    /// Both bounds of an interval under one label.
    Bounds,
    Count,
    Unknown,
}

/// A label with what it says beside the quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    pub meaning: Meaning,
    /// Coverage of an interval, between 0 and 1.
    pub level: Option<f64>,
    /// The scale that a bound or a standard error says it is on: `Some(true)` for a ratio.
    pub of_ratio: Option<bool>,
}

impl Label {
    const fn plain(meaning: Meaning) -> Self {
        Self {
            meaning,
            level: None,
            of_ratio: None,
        }
    }

    pub fn is_known(self) -> bool {
        self.meaning != Meaning::Unknown
    }

    /// Whether the label is of a number that tells a result.
    pub fn is_result(self) -> bool {
        matches!(
            self.meaning,
            Meaning::Estimate(_)
                | Meaning::StandardError
                | Meaning::Statistic(_)
                | Meaning::P(_)
                | Meaning::AdjustedP
                | Meaning::Lower
                | Meaning::Upper
                | Meaning::Bounds
        )
    }
}

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
    if let Some(bound) = quantile(&text).or_else(|| bound(&text)) {
        return bound;
    }
    let key = text
        .replace(['.', '-'], " ")
        .split_whitespace()
        .collect::<Vec<&str>>()
        .join(" ");
    let meaning = p_meaning(&text, &key)
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

/// `[0.025`, `0.975]`, `2.5 %`, `97.5%`: the quantile that a bound stands at.
fn quantile(text: &str) -> Option<Label> {
    let digits = text.trim_matches(['[', ']', ' ']);
    let share = match digits.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None if digits.starts_with("0.") || digits.starts_with('.') => digits.parse::<f64>().ok()?,
        None => return None,
    };
    let is_bracketed = digits.len() != text.len();
    if !(0.0..1.0).contains(&share) || share == 0.0 {
        return None;
    }
    let is_tail = share <= 0.1 || share >= 0.9;
    if !is_tail && !is_bracketed {
        return None;
    }
    let (meaning, tail) = if share < 0.5 {
        (Meaning::Lower, share)
    } else {
        (Meaning::Upper, 1.0 - share)
    };
    Some(Label {
        meaning,
        level: Some(rounded(1.0 - 2.0 * tail)),
        of_ratio: None,
    })
}

fn rounded(level: f64) -> f64 {
    (level * 1e9).round() / 1e9
}

/// `[95% Conf. Interval]`, `lower.CL`, `CI_high`, `95% C.I. for EXP(B) Lower`.
fn bound(text: &str) -> Option<Label> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '.' && c != '%')
        .flat_map(|word| {
            word.split(|c: char| c == '.' && !word.starts_with(|d: char| d.is_ascii_digit() || d == '.'))
        })
        .filter(|word| !word.is_empty())
        .collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let is_lower = has(&[
        "lower", "lwr", "low", "lcl", "ll", "lo", "lb", "cilow", "lowerci", "lci", "cil", "ci95low",
    ]);
    let is_upper = has(&[
        "upper", "upr", "high", "ucl", "ul", "hi", "ub", "cihigh", "upperci", "uci", "ciu", "ci95high",
    ]);
    let is_interval = has(&["ci", "conf", "confidence", "interval", "credible", "hdi", "c"]) && {
        has(&["ci", "interval", "hdi"]) || text.contains("c.i") || has(&["conf", "confidence"])
    };
    let meaning = match (is_lower, is_upper, is_interval) {
        (true, false, _) => Meaning::Lower,
        (false, true, _) => Meaning::Upper,
        (false, false, true) if !has(&["level", "width"]) => Meaning::Bounds,
        _ => return None,
    };
    // A label such as 'low group' is a name; a bound says nothing else.
    let known = [
        "lower",
        "lwr",
        "low",
        "lcl",
        "ll",
        "lo",
        "lb",
        "upper",
        "upr",
        "high",
        "ucl",
        "ul",
        "hi",
        "ub",
        "ci",
        "conf",
        "confidence",
        "interval",
        "credible",
        "hdi",
        "c",
        "i",
        "cl",
        "bound",
        "limit",
        "asymp",
        "for",
        "of",
        "the",
        "difference",
        "b",
        "exp",
        "or",
        "hr",
        "irr",
        "rr",
        "coef",
        "estimate",
        "est",
        "level",
        "normal",
        "based",
        "wald",
        "lci",
        "uci",
        "cil",
        "ciu",
        "cilow",
        "cihigh",
        "lowerci",
        "upperci",
        "ci95",
        "ci95low",
        "ci95high",
        "ratio",
        "odds",
        "profile",
        "robust",
        "mean",
        "bootstrap",
        "percentile",
    ];
    let is_name = words
        .iter()
        .any(|word| !known.contains(word) && level_of(word).is_none() && !word.chars().all(|c| c == '%'));
    if is_name {
        return None;
    }
    let level = words.iter().find_map(|word| level_of(word));
    let is_ratio = has(&["or", "hr", "irr", "rr", "odds"]) || text.contains("exp(");
    let is_plain = has(&["coef", "b"]) && !is_ratio;
    let of_ratio = match (is_ratio, is_plain) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    Some(Label {
        meaning,
        level,
        of_ratio,
    })
}

/// `95%`, `95`, `.95`, `0.95`, `ci95` as a coverage.
fn level_of(word: &str) -> Option<f64> {
    let digits = word.strip_prefix("ci").unwrap_or(word);
    let value: f64 = digits.strip_suffix('%').unwrap_or(digits).parse().ok()?;
    let level = if value > 1.0 { value / 100.0 } else { value };
    (0.5..1.0).contains(&level).then(|| rounded(level))
}

fn p_meaning(text: &str, key: &str) -> Option<Meaning> {
    let tight: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let two = [
        "pr(>|t|)", "pr(>|z|)", "p>|t|", "p>|z|", "pr>|t|", "pr>|z|", "p(>|t|)", "p(>|z|)", "p>|wald|",
    ];
    if two.contains(&tight.as_str()) {
        return Some(Meaning::P(Some(2)));
    }
    let unsided = [
        "pr(>f)",
        "pr(>chisq)",
        "pr(>chi)",
        "pr(chi)",
        "p>f",
        "p>chi2",
        "prob>f",
        "prob>chi2",
        "pr(>|w|)",
    ];
    if unsided.contains(&tight.as_str()) {
        return Some(Meaning::P(None));
    }
    let is_significance =
        key.starts_with("sig") || key.starts_with("asymp sig") || key.starts_with("exact sig");
    let is_p = matches!(
        key,
        "p" | "p value"
            | "pvalue"
            | "pval"
            | "p val"
            | "pvalues"
            | "p values"
            | "pr"
            | "prob"
            | "significance"
    );
    if is_p {
        return Some(Meaning::P(None));
    }
    let tailed = |words: [&str; 6]| words.iter().any(|word| key.contains(word));
    if is_significance
        || key.contains("p value")
        || key.starts_with("p ")
        || key.ends_with(" p")
        || key.contains("pvalue")
    {
        if tailed([
            "2 tailed",
            "2 sided",
            "two tailed",
            "two sided",
            "2tailed",
            "twosided",
        ]) {
            return Some(Meaning::P(Some(2)));
        }
        if tailed([
            "1 tailed",
            "1 sided",
            "one tailed",
            "one sided",
            "1tailed",
            "onesided",
        ]) {
            return Some(Meaning::P(Some(1)));
        }
    }
    match key {
        "sig" | "asymp sig" | "exact sig" => Some(Meaning::P(None)),
        "p adj" | "padj" | "adj p" | "p adjusted" | "adjusted p" | "adj p value" | "p value adj"
        | "adjusted p value" | "p fdr" | "p bonf" | "p holm" | "p corr" | "p tukey" => {
            Some(Meaning::AdjustedP)
        }
        _ => None,
    }
}

fn statistic_meaning(key: &str) -> Option<Meaning> {
    let kind = match key {
        "t" | "t value" | "tvalue" | "t values" | "tvalues" | "t stat" | "tstat" | "t statistic"
        | "t ratio" | "t val" => StatisticKind::T,
        "z" | "z value" | "zvalue" | "z values" | "z stat" | "zstat" | "z statistic" | "z ratio"
        | "z score" => StatisticKind::Z,
        "f" | "f value" | "fvalue" | "f stat" | "f statistic" | "f ratio" | "approx f" => StatisticKind::F,
        "chisq" | "chi2" | "chi sq" | "chi 2" | "chi squared" | "chi square" | "lr chisq" | "wald"
        | "wald chi2" | "x2" | "x squared" | "wald chisq" | "pearson chi square" | "chi2 statistic" => {
            StatisticKind::ChiSquared
        }
        "u" | "mann whitney u" | "u statistic" => StatisticKind::U,
        "w" | "wilcoxon w" => StatisticKind::W,
        "v" => StatisticKind::V,
        "h" | "kruskal wallis h" => StatisticKind::H,
        "statistic" | "stat" | "test statistic" => StatisticKind::Other,
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
        | "exp(coef )" => Some(PrintedScale::Ratio),
        "cor"
        | "corr"
        | "correlation"
        | "pearson r"
        | "pearson correlation"
        | "rho"
        | "spearman rho"
        | "correlation coefficient"
        | "kendall tau" => Some(PrintedScale::Correlation),
        "std beta"
        | "standardized beta"
        | "standardized coefficient"
        | "standardized coefficients beta"
        | "std coef"
        | "standardized coef" => Some(PrintedScale::Standardized),
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
        "outcome" | "dv" | "dependent variable" | "dependent" | "dep var" => Meaning::Outcome,
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
            ("t.ratio", Statistic(StatisticKind::T)),
            ("Wald", Statistic(StatisticKind::ChiSquared)),
            ("Exp(B)", Estimate(Some(PrintedScale::Ratio))),
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
