//! Flags on a paper and on a post-registration, and sound statistics without one.

use reprise::analysis::consistency::{Flag, check_paper, check_registration};
use reprise::documents::document::Document;
use reprise::documents::kind::Kind;
use serde_json::{Value, json};

fn flags(text: &str) -> Vec<Flag> {
    let mut document = Document::new(Kind::Text);
    document.text = text.to_owned();
    check_paper(&document).flags
}

fn result(unit: &str, value: &str, lower: &str, upper: &str, p: &str) -> Value {
    json!({"results": {"numerical_results": [{
        "unit": unit, "value": value, "p_value": p,
        "confidence_interval": {"lower": lower, "upper": upper, "level": "95%"},
    }]}})
}

#[test]
fn a_wrong_p_decides_where_it_crosses_the_level_of_one_in_twenty() {
    for (passage, decides) in [
        // Recomputed: .24, .036 and below .0001.
        ("t(28) = 1.20, p < .05", true),
        ("t(28) = 1.20, p < .10", false),
        ("t(28) = 1.20, p = .049", true),
        ("t(28) = 1.20, p = .051", false),
        ("t(28) = 2.20, p > .05", true),
        ("t(28) = 2.20, p > .04", false),
        ("t(28) = 5.20, p = .001", false),
    ] {
        let found = flags(&format!("They differed, {passage}."));
        let [flag] = found.as_slice() else {
            panic!("{passage}: {found:#?}");
        };
        assert_eq!(flag.decides, decides, "{passage}: {}", flag.detail);
    }
}

#[test]
fn one_side_is_half_or_the_rest_and_only_of_statistics_with_two() {
    let one = |passage: &str| flags(&format!("They differed, {passage} (one-tailed).")).len();
    assert_eq!(one("t(28) = 1.80, p = .041"), 0);
    // Against the predicted direction: 1 - .041.
    assert_eq!(one("t(28) = -1.80, p = .959"), 0);
    assert_eq!(one("t(28) = -1.80, p = .91"), 1);
    // Half of .0535, and an F of two degrees of freedom has no direction.
    assert_eq!(one("F(2, 120) = 3.00, p = .027"), 1);
}

#[test]
fn an_interval_is_held_against_its_standard_error() {
    let of = |error: &str, lower: &str, upper: &str| {
        flags(&format!(
            "It grew (b = 1.00, SE = {error}, 95% CI [{lower}, {upper}])."
        ))
    };
    assert_eq!(of("0.50", "0.02", "1.98"), []);
    assert_eq!(of("0.50", "0.00", "2.00"), []);
    for (error, lower, upper) in [("0.50", "0.90", "1.10"), ("0.10", "0.02", "1.98")] {
        let found = of(error, lower, upper);
        assert_eq!(found.len(), 1, "{found:#?}");
        let detail = &found[0].detail;
        assert!(
            !found[0].decides && detail.contains("standard errors of"),
            "{detail}"
        );
    }
    // An interval that is not around its estimate is of another kind.
    assert_eq!(of("0.50", "0.98", "1.20"), []);
}

#[test]
fn a_ratio_is_held_against_one_and_its_logarithm_against_zero() {
    let of = |unit: &str, value: &str, lower: &str, upper: &str, p: &str| {
        let found = check_registration(&result(unit, value, lower, upper, p), false).flags;
        found.into_iter().map(|flag| flag.detail).collect::<Vec<_>>()
    };
    assert!(of("Odds Ratio", "1.50", "1.10", "2.05", "0.50")[0].contains("excludes 1"));
    assert!(of("hazard ratio", "1.50", "0.90", "2.50", "0.001")[0].contains("includes 1"));
    assert!(of("log odds ratio", "0.40", "0.10", "0.70", "0.50")[0].contains("excludes zero"));
    assert_eq!(
        of("odds ratio", "1.50", "1.10", "2.05", "0.011"),
        Vec::<String>::new()
    );
    let one_sided = result("points", "1.00", "-0.20", "2.20", "0.048");
    assert_eq!(check_registration(&one_sided, false).flags.len(), 1);
    assert_eq!(check_registration(&one_sided, true).flags, []);
}

#[test]
fn each_flag_names_the_page_or_the_field_it_is_of() {
    let wrong = "They differed, t(28) = 1.20, p = .04.";
    let registered = json!({"original_study": {
        "claim": {"statement": wrong},
        "results": {"summary": wrong, "numerical_results": [{
            "value": 0.95, "confidence_interval": {"lower": 0.3, "upper": 0.8},
        }]},
    }});
    let checked = check_registration(&registered, false);
    let sources: Vec<_> = checked.flags.iter().map(|flag| flag.source.as_str()).collect();
    let fields = [
        "claim.statement",
        "results.summary",
        "results.numerical_results[0]",
    ];
    assert_eq!((sources.as_slice(), checked.passages), (fields.as_slice(), 3));
    assert!(checked.flags.iter().all(|flag| !flag.in_paper));
    let printed = flags(wrong);
    assert!(printed.len() == 1 && printed[0].in_paper, "{printed:?}");
}

#[test]
fn a_mean_is_tested_only_where_one_whole_answer_is_described() {
    let mean = "The mean was high (M = 5.19, SD = 1.2, n = 28)";
    for scale in ["a 7-point scale", "a seven point scale", "a Likert item"] {
        assert_eq!(flags(&format!("{mean} on {scale}.")).len(), 1, "{scale}");
    }
    for several in [
        "items",
        "an index",
        "a composite",
        "an average of two",
        "two scales",
        "the sum of two",
    ] {
        let text = format!("{mean} on a 7-point scale, {several}.");
        assert_eq!(flags(&text), [], "{several}");
    }
}
