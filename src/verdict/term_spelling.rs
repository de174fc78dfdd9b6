//! Spellings of a variable by programs: around it, before it and behind it.

/// Functions around a variable that leave it the same variable.
const CODINGS: [&str; 10] = [
    "c",
    "factor",
    "as.factor",
    "scale",
    "i",
    "center",
    "standardize",
    "as.numeric",
    "q",
    "relevel",
];

/// Levels that R writes right behind a factor's name.
const USUAL_LEVELS: [&str; 20] = [
    "treatment",
    "treated",
    "treat",
    "control",
    "high",
    "low",
    "yes",
    "no",
    "male",
    "female",
    "true",
    "false",
    "post",
    "pre",
    "old",
    "young",
    "exp",
    "experimental",
    "placebo",
    "medium",
];

/// One part of a name: its variable, and its level where the spelling sets it apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// With its case, which tells a level from the rest of a name.
    variable: String,
    level: Option<String>,
}

impl Spelling {
    /// Reads `C(group)[T.b]`, `group[b]`, `2.group`, `c.age`, `factor(g)b`, `scale(x)`.
    pub fn parse(part: &str) -> Self {
        let (part, bracket) = match part.split_once('[') {
            Some((before, level)) => {
                let level = level.trim_end_matches(']');
                let level = level
                    .strip_prefix("T.")
                    .or(level.strip_prefix("S."))
                    .unwrap_or(level);
                (before, Some(level))
            }
            None => (part, None),
        };
        let (variable, behind) = inside_coding(part).unwrap_or((part, ""));
        let (variable, prefix) = match variable.rsplit_once('.') {
            Some((prefix, variable)) if is_prefix(prefix, variable) => (
                variable,
                Some(prefix).filter(|prefix| !matches!(*prefix, "c" | "i")),
            ),
            _ => (variable, None),
        };
        let level = bracket
            .or(Some(behind).filter(|behind| !behind.is_empty()))
            .or(prefix);
        Self {
            variable: variable.trim().to_owned(),
            level: level.map(str::to_lowercase),
        }
    }

    /// Whether a name so spelled stands for a term so spelled: the same variable
    /// and no other level than the term's.
    pub fn stands_for(&self, term: &Self) -> bool {
        let (found, wanted) = (self.variable.to_lowercase(), term.variable.to_lowercase());
        if wanted.is_empty() {
            return false;
        }
        if found == wanted {
            return self.level.is_none() || term.level.is_none() || self.level == term.level;
        }
        let length = wanted.chars().count();
        let rest: String = self.variable.chars().skip(length).collect();
        let stated = term
            .level
            .as_ref()
            .is_none_or(|level| *level == rest.to_lowercase());
        found.starts_with(&wanted) && self.level.is_none() && stated && is_level(&rest, length)
    }
}

/// A name without quotes and with single spaces.
pub fn plain(name: &str) -> String {
    name.trim()
        .trim_matches(['`', '"', '\'', '*'])
        .split_whitespace()
        .collect::<Vec<&str>>()
        .join(" ")
}

/// A test of two groups or of two variables: `y by group`, `x and y`.
pub fn is_same_test(name: &str, term: &str) -> bool {
    let (name, term) = (name.to_lowercase(), term.to_lowercase());
    if let Some((outcome, by)) = name.split_once(" by ") {
        return without_frame(by) == term
            || format!("{} by {}", without_frame(outcome), without_frame(by)) == term;
    }
    let Some((one, other)) = name.split_once(" and ") else {
        return false;
    };
    let (one, other) = (without_frame(one), without_frame(other));
    let is_name = |text: &str| !text.contains(' ');
    is_name(one)
        && is_name(other)
        && (one == term
            || other == term
            || format!("{one} and {other}") == term
            || format!("{other} and {one}") == term)
}

/// Stata shortens long names: `a_rather_~e` and `a_rather_long~`.
pub fn is_abbreviation(name: &str, term: &str) -> bool {
    let (name, term) = (name.to_lowercase(), term.to_lowercase());
    let Some((head, tail)) = name.split_once('~') else {
        return false;
    };
    !head.is_empty()
        && head.len() + tail.len() >= 5
        && term.len() > head.len() + tail.len()
        && term.starts_with(head)
        && term.ends_with(tail)
}

/// A name without the data frame before it: `d$x` is `x`.
fn without_frame(name: &str) -> &str {
    name.trim().rsplit('$').next().unwrap_or(name)
}

/// The first argument of a coding function and what follows its closing bracket.
fn inside_coding(part: &str) -> Option<(&str, &str)> {
    let (function, rest) = part.split_once('(')?;
    if !CODINGS.contains(&function.trim().to_lowercase().as_str()) {
        return None;
    }
    let inner = rest.split([',', ')']).next()?.trim().trim_matches(['"', '\'']);
    let behind = rest.rsplit_once(')').map_or("", |(_, behind)| behind.trim());
    (!inner.contains(['+', '*', '^', '/', ' '])).then_some((inner, behind))
}

/// What Stata writes before a variable: `2.group`, `1b.treat`, `c.age`, and the
/// label of a level as in `Foreign.foreign`. `log.income` and `Sepal.Length` are
/// names of their own.
fn is_prefix(prefix: &str, variable: &str) -> bool {
    let begins = |text: &str, is: fn(char) -> bool| text.chars().next().is_some_and(is);
    let is_code = matches!(prefix, "c" | "i") || is_number(prefix.trim_end_matches('b'));
    let is_label = begins(prefix, char::is_uppercase) && begins(variable, char::is_lowercase);
    !prefix.is_empty() && !prefix.contains(['(', ')']) && !is_number(variable) && (is_code || is_label)
}

fn is_number(text: &str) -> bool {
    text.is_empty() || text.chars().all(|c| c.is_ascii_digit())
}

/// Whether letters behind a name are a level that R wrote there, and not the rest
/// of another name: a number, a word with a capital, one letter, or a usual level.
fn is_level(level: &str, name_length: usize) -> bool {
    let mut letters = level.chars();
    let Some(first) = letters.next() else { return false };
    let is_word = level.chars().all(|c| c.is_alphanumeric() || c == ' ' || c == '-');
    let is_single =
        level.chars().count() == 1 && first.is_ascii_lowercase() && first != 's' && name_length >= 3;
    is_number(level)
        || (is_word && level.chars().count() <= 40 && first.is_uppercase())
        || is_single
        || USUAL_LEVELS.contains(&level.to_lowercase().as_str())
}
