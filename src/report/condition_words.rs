//! One condition of a criterion in words.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::{Condition, Test};
use crate::domain::scale::Scale;

use crate::domain::format;

/// A condition in words, as a clause that begins with `for` or `that`.
pub fn asks(condition: &Condition) -> String {
    let term = &condition.term;
    let level = format::level(condition.level);
    let sides = format::plural(condition.sides, "one-sided", "two-sided");
    let null = null(condition);
    let scale = match condition.scale {
        None | Some(Scale::Difference | Scale::Unsigned) => String::new(),
        Some(scale) => format!(" (on the scale {})", scale.key().replace('_', " ")),
    };
    let sign = match condition.sign {
        ClaimedEffect::NoEffect => String::new(),
        sign => format!("{sign} "),
    };
    match condition.test {
        Test::Significance if condition.greater.len() > 1 => format!(
            "that `{term}` is significant at α = {level} ({sides} test), with the means in the order {}",
            order(&condition.greater)
        ),
        Test::Significance => match &condition.contrast {
            Some(contrast) => format!(
                "that `{term}` is significant at α = {level} ({sides} test), and that `{contrast}` is {sign}in sign"
            ),
            None => format!(
                "for a {sign}estimate of `{term}`{scale} that differs from {null} at α = {level} ({sides} test)"
            ),
        },
        Test::Equivalence => format!(
            "that the estimate of `{term}`{scale} lies significantly within {null} ± {}, by two one-sided tests at \
             α = {level} each",
            given(condition.sesoi)
        ),
        Test::Difference => format!(
            "for a {sign}difference of `{term}` minus `{}`{scale} that differs from zero at α = {level} ({sides} test)",
            condition.minus.as_deref().unwrap_or("(not given)")
        ),
        Test::IntervalExcludes => format!(
            "that the reported {} % interval of `{term}`{scale} leaves out {null} on the {sign}side",
            format::number(100.0 * (1.0 - condition.level))
        ),
        Test::NonInferiority => format!(
            "that `{term}`{scale}, in the {sign}direction, is not worse than {null} by {}, by one one-sided test at α = \
             {level}",
            given(condition.margin)
        ),
    }
}

/// True if a condition can be met by a claim that names no sign.
pub fn is_directed(condition: &Condition) -> bool {
    condition.test == Test::Equivalence || condition.greater.len() > 1 || condition.contrast.is_some()
}

fn null(condition: &Condition) -> String {
    let scale = condition.scale.unwrap_or_default();
    match condition.null.unwrap_or_else(|| scale.null()) {
        0.0 => "zero".to_owned(),
        null => format::number(null),
    }
}

fn given(value: Option<f64>) -> String {
    value.map_or_else(|| "(not given)".to_owned(), format::number)
}

fn order(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" > ")
}
