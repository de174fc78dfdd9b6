//! Labels of p-values.

use super::label::Meaning;

/// The p-value that a label names; `key` is the label without points and dashes.
pub fn p_meaning(text: &str, key: &str) -> Option<Meaning> {
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
    let is_significance = key.starts_with("sig") || key.starts_with("asymp") || key.starts_with("exact sig");
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
        "sig" | "asymp sig" | "asymptotic sig" | "asymptotic significance" | "exact sig" => {
            Some(Meaning::P(None))
        }
        "p adj" | "padj" | "adj p" | "p adjusted" | "adjusted p" | "adj p value" | "p value adj"
        | "adjusted p value" | "p fdr" | "p bonf" | "p holm" | "p corr" | "p tukey" => {
            Some(Meaning::AdjustedP)
        }
        _ => None,
    }
}
