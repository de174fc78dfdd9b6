//! The misfits of a paper and of what was extracted from it, each with its source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::documents::document::Document;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;
use crate::scoring::grounding::typography::plain;

use crate::verdict::coherence::check::check;
use crate::verdict::coherence::grim;
use crate::verdict::coherence::parse::{p_value, passages, says_one_sided};
use crate::verdict::coherence::reported::{ReportedEffect, Rounded, SurroundingWords};

/// Longest passage of a flag, in bytes.
const PASSAGE: usize = 160;
/// Bytes around a mean in which its scale is described.
const SCALE: usize = 200;

/// Numbers that no rounding brings together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flag {
    /// The page of the paper, or the field of the post-registration.
    pub source: String,
    /// What is printed there.
    pub passage: String,
    /// What does not fit, in one sentence with the numbers.
    pub detail: String,
    /// Whether the paper itself prints it.
    #[serde(default)]
    pub in_paper: bool,
    /// Whether the significance at the level .05 is another one.
    pub decides: bool,
}

/// The passages that were checked, and their flags.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ConsistencyCheck {
    /// Passages that hold at least two numbers to compare.
    pub passages: usize,
    pub flags: Vec<Flag>,
}

/// Whether a paper says that its tests are one-sided.
pub fn is_one_sided(paper: &Document) -> bool {
    says_one_sided(&plain(&paper.whole_text()).replace('\n', " "))
}

/// Checks the statistics of a paper's text.
pub fn check_paper(paper: &Document) -> ConsistencyCheck {
    let mut checked = ConsistencyCheck::default();
    let one_sided = is_one_sided(paper);
    if paper.pages.is_empty() {
        checked.text("the paper", &paper.text, one_sided);
    }
    for page in &paper.pages {
        checked.text(&format!("the paper, page {}", page.number), &page.text, one_sided);
    }
    for flag in &mut checked.flags {
        flag.in_paper = true;
    }
    checked
}

/// Checks the statistics of a post-registration, in its texts and its results;
/// `one_sided` where its paper or itself says that tests are.
pub fn check_registration(registered: &Value, one_sided: bool) -> ConsistencyCheck {
    let mut checked = ConsistencyCheck::default();
    let one_sided = one_sided || says_one_sided(&plain(&registered.to_string()));
    let study = registered.get("original_study").unwrap_or(registered);
    for pointer in ["/claim/statement", "/results/summary"] {
        if let Some(text) = study.pointer(pointer).and_then(Value::as_str) {
            checked.text(&pointer[1..].replace('/', "."), text, one_sided);
        }
    }
    let results = study
        .pointer("/results/numerical_results")
        .and_then(Value::as_array);
    for (at, result) in results.into_iter().flatten().enumerate() {
        let mut reported = read_result(result);
        reported.said.one_sided |= one_sided;
        checked.judge(&format!("results.numerical_results[{at}]"), &reported);
    }
    checked
}

impl ConsistencyCheck {
    fn text(&mut self, source: &str, text: &str, one_sided: bool) {
        let text = plain(text).replace('\n', " ");
        for mut reported in passages(&text) {
            reported.said.one_sided |= one_sided;
            self.judge(source, &reported);
        }
        self.means(source, &text);
    }

    fn judge(&mut self, source: &str, reported: &ReportedEffect) {
        self.passages += 1;
        for misfit in check(reported) {
            self.add(source, &reported.passage, misfit.detail, misfit.decides);
        }
    }

    fn add(&mut self, source: &str, passage: &str, detail: String, decides: bool) {
        let flag = Flag {
            source: source.to_owned(),
            passage: excerpt::words_between(passage, 0, PASSAGE),
            detail,
            in_paper: false,
            decides,
        };
        if !self.flags.contains(&flag) {
            self.flags.push(flag);
        }
    }

    /// Means with their number of people, where one whole answer on a scale of
    /// points is described and no average of several.
    fn means(&mut self, source: &str, text: &str) {
        for captures in MEAN.captures_iter(text) {
            let Some(whole) = captures.get(0) else {
                continue;
            };
            let around = excerpt::between(text, whole.start().saturating_sub(SCALE), whole.end() + SCALE);
            let single =
                around.contains("-point") || around.contains("point scale") || around.contains("Likert");
            let several = ["items", "index", "composite", "averag", "scales", "sum "]
                .iter()
                .any(|word| around.contains(word));
            let (Some(mean), Ok(n)) = (Rounded::parse(&captures[1]), captures[2].replace(',', "").parse())
            else {
                continue;
            };
            if !single || several {
                continue;
            }
            let Some(possible) = grim::possible(mean, n, 1) else {
                continue;
            };
            self.passages += 1;
            if !possible {
                let detail = format!(
                    "No {n} whole answers to one item have the mean {} (GRIM).",
                    &captures[1]
                );
                self.add(source, whole.as_str(), detail, false);
            }
        }
    }
}

static MEAN: LazyRegex = LazyRegex::new(r"\bM(?:ean)?\s?=\s?(-?\d+\.\d+)[^()]{0,40}?\b[nN]\s?=\s?(\d[\d,]*)");

/// The numbers of one result, where they are written as numbers alone.
fn read_result(result: &Value) -> ReportedEffect {
    let text = |pointer: &str| match result.pointer(pointer) {
        Some(Value::String(text)) => plain(text).trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let number = |pointer: &str| Rounded::parse(text(pointer).trim_end_matches(['*', ' ', '%']));
    let limits = number("/confidence_interval/lower").zip(number("/confidence_interval/upper"));
    let level = number("/confidence_interval/level").map(|level| level.value);
    let parts = [
        ("", text("/value")),
        ("SE ", text("/standard_error")),
        ("from ", text("/confidence_interval/lower")),
        ("to ", text("/confidence_interval/upper")),
        ("p ", text("/p_value")),
    ];
    let passage: Vec<String> = parts
        .into_iter()
        .filter(|(_, text)| !text.is_empty() && text.chars().any(|c| c.is_ascii_digit()))
        .map(|(name, text)| format!("{name}{text}"))
        .collect();
    ReportedEffect {
        passage: passage.join(", "),
        estimate: number("/value"),
        is_ratio: is_ratio(&text("/unit")) || is_ratio(&text("/outcome_name")),
        standard_error: number("/standard_error"),
        statistic: None,
        p: p_value(&text("/p_value")),
        interval: limits,
        level: level.map(|level| if level > 1.0 { level / 100.0 } else { level }),
        said: SurroundingWords::default(),
    }
}

/// Whether a unit or a name speaks of a ratio whose interval holds 1 where there is no effect.
fn is_ratio(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "odds ratio",
        "hazard ratio",
        "risk ratio",
        "rate ratio",
        "relative risk",
    ]
    .iter()
    .any(|ratio| name.contains(ratio))
        && !name.contains("log")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::documents::kind::Kind;

    fn flags(text: &str) -> Vec<Flag> {
        let mut document = Document::new(Kind::Text);
        document.text = text.to_owned();
        check_paper(&document).flags
    }

    #[test]
    fn what_does_not_fit_is_flagged_with_its_source() {
        // Statcheck's manual gives t(28) = 2.20 a p of .036.
        let found = flags("They differed, t(28) = 2.20, p = .03, and not t(28) = 1.20, p = .04.");
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(!found[0].decides && found[1].decides);
        assert!(
            found[0].detail.contains("p from 0.0358 to 0.0366"),
            "{}",
            found[0].detail
        );
        assert_eq!(found[0].source, "the paper");
        let grim = flags("On a 7-point scale the mean was high (M = 5.19, SD = 1.2, n = 28).");
        assert!(grim[0].detail.contains("GRIM"), "{grim:#?}");
        assert!(flags("The mean age was high (M = 5.19, n = 28).").is_empty());
    }

    #[test]
    fn half_a_p_is_flagged_unless_the_text_speaks_of_one_side() {
        for half in [
            "t(28) = 1.80, p = .041",
            "F(1, 120) = 3.00, p = .043",
            "r(50) = .25, p = .037",
        ] {
            let found = flags(&format!("Two-tailed tests throughout. They differed, {half}."));
            assert_eq!(found.len(), 1, "{half}: {found:#?}");
            assert!(
                found[0].decides && found[0].detail.contains("half of the recomputed"),
                "{found:#?}"
            );
            assert!(flags(&format!("They differed, {half}, one-tailed.")).is_empty());
            let far = "As said. ".repeat(60);
            assert!(
                flags(&format!(
                    "All p-values are one-sided. {far} They differed, {half}."
                ))
                .is_empty()
            );
            let all = format!(
                "We avoid one-sided tests; two-tailed tests throughout. {far} They differed, {half}."
            );
            assert_eq!(flags(&all).len(), 1);
        }
        let error = flags("It grew (b = 1.00, SE = 0.60, p = .048).");
        assert!(error[0].detail.contains("half of the recomputed"), "{error:#?}");
        let interval = flags("It grew (b = 1.00, 95% CI [-0.20, 2.20], p = .048).");
        assert!(interval[0].detail.contains("includes zero"), "{interval:#?}");
        assert!(flags("It grew (b = 1.00, 95% CI [-0.20, 2.20], one-sided p = .048).").is_empty());
    }

    #[test]
    fn what_the_words_explain_is_not_flagged() {
        for text in [
            "It grew (b = 0.69, exp(b) = 1.99, 95% CI [1.10, 3.60], p = .02).",
            "It grew (b = 0.50, OR = 1.65, 95% CI [1.10, 2.48], p = .016).",
            "They differed, t(28) = 2.20, Bonferroni-adjusted p = .11.",
            "They differed, χ2(1) = 3.00, p = .042 (one-sided).",
            "It grew (b = 0,599, SE = 0,120, 95% CI [0,36; 0,84], p < ,001).",
        ] {
            assert!(flags(text).is_empty(), "{text}: {:#?}", flags(text));
        }
        assert_eq!(
            flags("They differed, t(28) = 2.20, Bonferroni-adjusted p = .010.").len(),
            1
        );
    }

    #[test]
    fn an_interval_is_compared_with_its_p() {
        let found = flags("It grew (b = 1.00, 95% CI [0.20, 1.80], t(20) = 0.5, p = .62).");
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].detail.contains("excludes zero"), "{found:#?}");
        let ratio = flags("It grew (OR = 1.50, CI [1.10, 2.05], p = .50).");
        assert!(ratio[0].detail.contains("excludes 1, and p = 0.50"), "{ratio:#?}");
        let within = flags("It grew (HR = 1.50, 95% CI [0.90, 2.50], p < .01).");
        assert!(
            within[0].decides && within[0].detail.contains("includes 1"),
            "{within:#?}"
        );
        assert!(flags("It grew (OR = 1.50, 95% CI [1.10, 2.05], p = .011).").is_empty());
    }

    #[test]
    fn a_result_is_compared_with_itself() {
        let result = |value: &str, lower: &str, upper: &str, p: &str| {
            json!({"original_study": {"results": {"numerical_results": [{
                "value": value, "p_value": p,
                "confidence_interval": {"lower": lower, "upper": upper, "level": "95%"},
            }]}}})
        };
        assert!(
            check_registration(&result("0.599", "0.357", "0.840", "< .001"), false)
                .flags
                .is_empty()
        );
        let outside = check_registration(&result("0.959", "0.357", "0.840", "< .001"), false).flags;
        assert!(outside[0].detail.contains("outside its interval"), "{outside:#?}");
        let includes = check_registration(&result("0.20", "-0.10", "0.50", "< .001"), false).flags;
        assert!(
            includes[0].decides && includes[0].detail.contains("includes zero"),
            "{includes:#?}"
        );
    }
}
