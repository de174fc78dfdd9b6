//! Matching of names in a result with registered terms.

use super::term_spelling::{Spelling, is_abbreviation, is_same_test, plain};
use crate::domain::finding::Finding;

/// The closeness of a name to a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermMatch {
    /// The same name but for case, spaces, quotes and the order of an interaction's parts.
    Exact,
    /// The same variable in a program's own spelling, such as `C(group)[T.b]`.
    Decorated,
    /// A longer name that says the term among other words.
    Named,
}

/// Marks between the parts of an interaction.
const MARKS: [char; 4] = [':', '#', '*', '×'];

/// How a name stands for a term; `None` where it does not. The main effect of a
/// variable is never the interaction that it is a part of, nor the reverse.
pub fn matches(term: &str, name: &str) -> Option<TermMatch> {
    let (term, name) = (plain(term), plain(name));
    let (wanted, found) = (parts(&term), parts(&name));
    if wanted.is_empty() {
        return None;
    }
    if is_same(&wanted, &found, |one, other| {
        one.to_lowercase() == other.to_lowercase()
    }) {
        return Some(TermMatch::Exact);
    }
    let is_spelled = |wanted: &str, found: &str| Spelling::parse(found).stands_for(&Spelling::parse(wanted));
    let is_test = wanted.len() == 1 && is_same_test(&name, &term);
    if is_same(&wanted, &found, is_spelled) || is_test || is_abbreviation(&name, &term) {
        return Some(TermMatch::Decorated);
    }
    let (spoken, among) = (words(&term), words(&name));
    let says = !spoken.is_empty() && among.windows(spoken.len()).any(|window| window == spoken);
    (says && (wanted.len() > 1 || !is_interaction(&name))).then_some(TermMatch::Named)
}

/// The items whose name stands for a term, of the best kind of match that there is.
pub fn best<'a, T>(term: &str, items: &'a [T], name: impl Fn(&T) -> &str) -> Vec<&'a T> {
    let mut found: Vec<(TermMatch, &T)> = items
        .iter()
        .filter_map(|item| matches(term, name(item)).map(|fit| (fit, item)))
        .collect();
    let Some(best) = found.iter().map(|(fit, _)| *fit).min() else {
        return Vec::new();
    };
    found.retain(|(fit, _)| *fit == best);
    found.into_iter().map(|(_, item)| item).collect()
}

/// The findings that stand for a term.
pub fn findings_for_term<'a>(term: &str, findings: &'a [Finding]) -> Vec<&'a Finding> {
    best(term, findings, |finding| &finding.name)
}

/// The same parts in any order.
fn is_same(wanted: &[String], found: &[String], fits: impl Fn(&str, &str) -> bool) -> bool {
    let mut left: Vec<&String> = found.iter().collect();
    wanted.len() == found.len()
        && wanted.iter().all(|part| {
            let exact = left
                .iter()
                .position(|one| one.to_lowercase() == part.to_lowercase());
            let at = exact.or_else(|| left.iter().position(|one| fits(part, one)));
            at.map(|at| left.remove(at)).is_some()
        })
}

/// Whether a name is of an interaction.
pub fn is_interaction(name: &str) -> bool {
    parts(name).len() > 1 || name.to_lowercase().contains("interaction")
}

/// The parts of an interaction, one of a main effect: `a:b`, `1.a#c.b`, `a × b`.
/// A mark between brackets parts nothing.
fn parts(name: &str) -> Vec<String> {
    // `a: what it is` is a label and no interaction.
    let name = name
        .replace(": ", " ")
        .replace(" x ", " × ")
        .replace(" X ", " × ");
    let mut depth = 0_i32;
    let mut parts = vec![String::new()];
    for character in name.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth <= 0 && MARKS.contains(&character) {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts
        .iter()
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
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
        for name in ["income", "Income", " income ", "`income`"] {
            assert_eq!(matches("income", name), Some(TermMatch::Exact), "{name}");
        }
        for (term, name) in [
            ("group", "C(group)[T.b]"),
            ("group", "C(group, Treatment(\"a\"))[T.b]"),
            ("group", "group[T.b]"),
            ("C(group)[T.b]", "group[T.b]"),
            ("treat", "1.treat"),
            ("treat", "treat1"),
            ("treat", "treatTRUE"),
            ("treat", "treatControl"),
            ("g", "factor(g)b"),
            ("x", "scale(x)"),
            ("age", "c.age"),
            ("C(group)[T.b]", "group"),
            ("treat:age", "1.treat#c.age"),
            ("group*x", "x:C(group)[T.b]"),
            ("x:group", "groupb:x"),
            ("group", "y by group"),
            ("x", "d$x and d$y"),
            ("a_rather_long_name", "a_rather_~e"),
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
            ("income", "incomes_tax"),
            ("income", "log_income"),
            ("income", "log.income"),
            ("Length", "Sepal.Length"),
            ("x", "x:groupb"),
            ("x", "x#z"),
            ("", "income"),
        ] {
            assert_eq!(matches(term, name), None, "{term} {name}");
        }
    }

    #[test]
    fn another_level_is_another_term() {
        for (term, name) in [
            ("C(group)[T.b]", "C(group)[T.c]"),
            ("group[T.b]", "C(group)[T.c]"),
            ("2.group", "3.group"),
        ] {
            assert_ne!(matches(term, name), Some(TermMatch::Decorated), "{term} {name}");
            assert_ne!(matches(term, name), Some(TermMatch::Exact), "{term} {name}");
        }
        let levels = ["groupb", "groupc"];
        assert_eq!(best("group", &levels, |name| name).len(), 2);
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
        let found = findings_for_term("income", &findings);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "income");
    }
}
