//! Whether a name in a result stands for a registered term.

use crate::domain::finding::Finding;

/// How well a name fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermMatch {
    /// The same name but for case, spaces and the order of an interaction's parts.
    Exact,
    /// The same variable in a program's own spelling, such as `C(group)[T.b]`.
    Decorated,
    /// A longer name that says the term among other words.
    Named,
}

/// Marks between the parts of an interaction.
const MARKS: [&str; 5] = [":", "*", "#", " x ", "×"];

/// How a name stands for a term; `None` where it does not. The main effect of a
/// variable is never the interaction that it is a part of, nor the reverse.
pub fn matches(term: &str, name: &str) -> Option<TermMatch> {
    let (wanted, found) = (parts(term), parts(name));
    if wanted.is_empty() || wanted.iter().any(String::is_empty) {
        return None;
    }
    if wanted == found {
        return Some(TermMatch::Exact);
    }
    if wanted.len() == found.len() {
        let bare = |parts: &[String]| {
            let mut bare: Vec<String> = parts.iter().map(|part| undecorated(part)).collect();
            bare.sort();
            bare
        };
        if bare(&wanted) == bare(&found) {
            return Some(TermMatch::Decorated);
        }
        let leveled = wanted
            .iter()
            .zip(&found)
            .all(|(wanted, found)| wanted == found || is_level_of(wanted, found));
        if leveled {
            return Some(TermMatch::Decorated);
        }
    }
    let (wanted, found) = (words(term), words(name));
    let says = !wanted.is_empty() && found.windows(wanted.len()).any(|window| window == wanted);
    (says && parts(term).len() == 1 && !is_interaction(name))
        .then_some(TermMatch::Named)
        .or_else(|| (says && parts(term).len() > 1).then_some(TermMatch::Named))
}

/// The findings that stand for a term, of the best kind of match that there is.
pub fn of_term<'a>(term: &str, findings: &'a [Finding]) -> Vec<&'a Finding> {
    let mut found: Vec<(TermMatch, &Finding)> = findings
        .iter()
        .filter_map(|finding| matches(term, &finding.name).map(|fit| (fit, finding)))
        .collect();
    let Some(best) = found.iter().map(|(fit, _)| *fit).min() else {
        return Vec::new();
    };
    found.retain(|(fit, _)| *fit == best);
    found.into_iter().map(|(_, finding)| finding).collect()
}

pub fn is_interaction(name: &str) -> bool {
    let lower = name.to_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark)) && parts(name).len() > 1 || lower.contains("interaction")
}

/// The parts of an interaction, in order; one part of a main effect.
fn parts(name: &str) -> Vec<String> {
    let mut text = name.trim().to_lowercase();
    // `a: what it is` is a label and no interaction.
    if text.contains(": ") {
        text = text.replace(": ", " ");
    }
    for mark in MARKS {
        text = text.replace(mark, "\u{0}");
    }
    let mut parts: Vec<String> = text
        .split('\u{0}')
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|part| !part.is_empty())
        .collect();
    parts.sort();
    parts
}

/// A part without what programs put around a variable.
fn undecorated(part: &str) -> String {
    let mut part = part.trim();
    for prefix in ["c(", "factor(", "as.factor(", "scale(", "q('", "q(\"", "i("] {
        if let Some(rest) = part.strip_prefix(prefix)
            && let Some(end) = rest.find([')', ',', '\'', '"'])
        {
            part = &rest[..end];
        }
    }
    if let Some(at) = part.find("[t.").or_else(|| part.find('[')) {
        part = &part[..at];
    }
    // Stata's `1.treat` and `c.age`.
    if let Some((prefix, rest)) = part.split_once('.')
        && !rest.is_empty()
        && (prefix == "c"
            || prefix == "i"
            || prefix.trim_end_matches('b').chars().all(|c| c.is_ascii_digit()))
        && !rest.chars().all(|c| c.is_ascii_digit())
    {
        part = rest;
    }
    part.trim().to_owned()
}

/// Whether R made a name of a factor and its level: `treatB`, `group2`, `TRUE`.
fn is_level_of(term: &str, name: &str) -> bool {
    name.strip_prefix(term).is_some_and(|level| {
        !level.is_empty()
            && (matches!(level, "1" | "true" | "yes") || level.chars().all(|c| c.is_ascii_digit()))
    })
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '.'))
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_known_in_each_program_s_spelling() {
        for name in ["income", "Income", " income "] {
            assert_eq!(matches("income", name), Some(TermMatch::Exact), "{name}");
        }
        for (term, name) in [
            ("group", "C(group)[T.b]"),
            ("treat", "1.treat"),
            ("treat", "treat1"),
            ("treat", "treatTRUE"),
            ("C(group)[T.b]", "group"),
            ("treat:age", "1.treat#c.age"),
        ] {
            assert_eq!(matches(term, name), Some(TermMatch::Decorated), "{term} {name}");
        }
        assert_eq!(matches("treat:age", "age:treat"), Some(TermMatch::Exact));
        assert_eq!(matches("treat x age", "age*treat"), Some(TermMatch::Exact));
    }

    #[test]
    fn a_main_effect_is_no_interaction() {
        for (term, name) in [
            ("income", "income:education"),
            ("income", "income x education"),
            ("income", "interaction of income and education"),
            ("income:education", "income"),
            ("income", "incomes"),
            ("income", "log_income"),
            ("", "income"),
        ] {
            assert_eq!(matches(term, name), None, "{term} {name}");
        }
    }

    #[test]
    fn a_report_may_name_it_among_other_words() {
        assert_eq!(
            matches("income", "income (effect on prestige)"),
            Some(TermMatch::Named)
        );
        assert_eq!(
            matches("income", "income: effect on prestige"),
            Some(TermMatch::Named)
        );
        assert_eq!(
            matches("average income", "Average income per head"),
            Some(TermMatch::Named)
        );
        let named = |name: &str| Finding {
            name: name.to_owned(),
            ..Finding::default()
        };
        let findings = [named("income of women"), named("income"), named("income:age")];
        let found = of_term("income", &findings);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "income");
    }
}
