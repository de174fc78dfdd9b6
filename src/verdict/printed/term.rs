//! The rows of one term, by its name as a plan writes it.

use super::printed_row::PrintedRow;

/// The rows whose term is `term`: by exact name, else by the only decorated form
/// of it (`C(group)[T.b]`, `1.treat`, `treatb`). An interaction is never taken for
/// one of its parts, and several different decorated names are nobody's.
pub fn of_term<'a>(rows: &'a [PrintedRow], term: &str) -> Vec<&'a PrintedRow> {
    let wanted = normal(term);
    if wanted.is_empty() {
        return Vec::new();
    }
    let exact: Vec<&PrintedRow> = rows.iter().filter(|row| normal(&row.term) == wanted).collect();
    if !exact.is_empty() {
        return exact;
    }
    for form in [is_same_product, is_same_test, is_abbreviation, is_decorated] {
        let found: Vec<&PrintedRow> = rows
            .iter()
            .filter(|row| form(&bare_name(&row.term), &wanted))
            .collect();
        let names: std::collections::BTreeSet<String> = found.iter().map(|row| normal(&row.term)).collect();
        match names.len() {
            0 => {}
            1 => return found,
            _ => return Vec::new(),
        }
    }
    Vec::new()
}

fn normal(term: &str) -> String {
    bare_name(term).to_lowercase()
}

/// A name without quotes and with single spaces.
fn bare_name(term: &str) -> String {
    term.trim()
        .trim_matches(['`', '"', '\'', '*'])
        .split_whitespace()
        .collect::<Vec<&str>>()
        .join(" ")
}

/// The parts of an interaction: `a:b`, `1.a#c.b`, `a*b`, `a × b`.
fn factors(term: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut parts = vec![String::new()];
    let mut characters = term.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        let is_split = depth <= 0 && matches!(c, ':' | '#' | '*' | '×');
        if is_split {
            while characters
                .next_if(|next| matches!(next, ':' | '#' | '*'))
                .is_some()
            {}
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
        .into_iter()
        .map(|part| part.trim().to_owned())
        .flat_map(|part| match part.split_once(" x ") {
            Some((one, other)) if depth_of(&part) == 0 => {
                vec![one.trim().to_owned(), other.trim().to_owned()]
            }
            _ => vec![part],
        })
        .collect()
}

fn depth_of(text: &str) -> usize {
    text.matches(['(', '[']).count()
}

/// The same factors in any order, each plain or decorated.
fn is_same_product(printed: &str, wanted: &str) -> bool {
    let (mut printed, wanted) = (factors(printed), factors(wanted));
    if wanted.len() < 2 || printed.len() != wanted.len() || printed.len() > 6 {
        return false;
    }
    wanted.iter().all(|factor| {
        let at = printed
            .iter()
            .position(|part| part.to_lowercase() == *factor)
            .or_else(|| printed.iter().position(|part| is_decorated_factor(part, factor)));
        at.map(|at| printed.remove(at)).is_some()
    })
}

/// A test of two groups or of two variables: `y by group`, `x and y`.
fn is_same_test(printed: &str, wanted: &str) -> bool {
    let printed = &printed.to_lowercase();
    if let Some((outcome, by)) = printed.split_once(" by ") {
        return bare(by) == wanted || format!("{} by {}", bare(outcome), bare(by)) == wanted;
    }
    match printed.split_once(" and ") {
        Some((one, other)) => {
            let (one, other) = (bare(one), bare(other));
            one == wanted
                || other == wanted
                || [format!("{one} and {other}"), format!("{other} and {one}")]
                    .iter()
                    .any(|pair| pair == wanted)
        }
        None => false,
    }
}

/// A name without the data frame before it: `d$x` is `x`.
fn bare(name: &str) -> &str {
    name.trim().rsplit('$').next().unwrap_or(name)
}

/// Stata shortens long names: `a_rather_~e` and `a_rather_long~`.
fn is_abbreviation(printed: &str, wanted: &str) -> bool {
    let printed = printed.to_lowercase();
    let Some((head, tail)) = printed.split_once('~') else {
        return false;
    };
    !head.is_empty()
        && head.len() + tail.len() >= 5
        && wanted.len() > head.len() + tail.len()
        && wanted.starts_with(head)
        && wanted.ends_with(tail)
}

fn is_decorated(printed: &str, wanted: &str) -> bool {
    factors(wanted).len() == 1 && factors(printed).len() == 1 && is_decorated_factor(printed, wanted)
}

/// `C(group)[T.b]`, `group[T.b]`, `1.treat`, `c.x`, `factor(g)b`, `treat1`, `scale(x)`.
fn is_decorated_factor(printed: &str, wanted: &str) -> bool {
    let lower = printed.to_lowercase();
    if wanted.is_empty() || lower == wanted {
        return !wanted.is_empty();
    }
    if let Some(inner) = inside_call(&lower) {
        return inner == wanted;
    }
    if let Some((name, _)) = lower.split_once('[') {
        return name == wanted;
    }
    // `2.group`, `c.x` and `Foreign.foreign` of Stata.
    if let Some((level, name)) = lower.rsplit_once('.')
        && name == wanted
        && !level.is_empty()
        && !level.contains(['(', ')'])
    {
        return true;
    }
    let at = wanted.chars().count();
    let level: String = printed.chars().skip(at).collect();
    lower.starts_with(wanted) && lower.chars().count() == printed.chars().count() && is_level(&level, at)
}

/// Whether letters behind a name are a level that R wrote there, and not the rest
/// of another name: a number, a word with a capital, one letter, or a usual level.
fn is_level(level: &str, name_length: usize) -> bool {
    const USUAL: [&str; 20] = [
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
    let mut letters = level.chars();
    let Some(first) = letters.next() else { return false };
    let is_number = level.chars().all(|c| c.is_ascii_digit());
    let is_word = level.chars().all(|c| c.is_alphanumeric() || c == ' ' || c == '-');
    let is_single =
        level.chars().count() == 1 && first.is_ascii_lowercase() && first != 's' && name_length >= 3;
    is_number
        || (is_word && level.chars().count() <= 40 && first.is_uppercase())
        || is_single
        || USUAL.contains(&level.to_lowercase().as_str())
}

/// The first argument of a coding function: `C(group, Treatment("a"))[T.b]` is `group`.
fn inside_call(printed: &str) -> Option<&str> {
    let (name, rest) = printed.split_once('(')?;
    let known = [
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
    if !known.contains(&name.trim()) {
        return None;
    }
    let inner = rest.split([',', ')']).next()?;
    let inner = inner.trim().trim_matches(['"', '\'']);
    (!inner.contains(['+', '*', '^', '/', ' '])).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str], term: &str) -> Vec<String> {
        let rows: Vec<PrintedRow> = names
            .iter()
            .map(|name| PrintedRow {
                term: (*name).to_owned(),
                ..PrintedRow::default()
            })
            .collect();
        of_term(&rows, term).iter().map(|row| row.term.clone()).collect()
    }

    #[test]
    fn a_plain_name_comes_before_a_decorated_one() {
        assert_eq!(
            found(&["Income ", "income2", "income"], "income"),
            ["Income ", "income"]
        );
        for (printed, term) in [
            ("C(group)[T.b]", "group"),
            ("group[T.b]", "group"),
            ("1.treat", "treat"),
            ("treat1", "treat"),
            ("factor(g)b", "g"),
            ("scale(x)", "x"),
            ("y by group", "group"),
            ("d$x and d$y", "x"),
            ("a_rather_~e", "a_rather_long_name"),
        ] {
            assert_eq!(found(&["(Intercept)", printed], term), [printed], "{printed}");
        }
    }

    #[test]
    fn a_main_effect_is_no_interaction_and_several_levels_are_nobodys() {
        assert!(found(&["x:groupb", "x#z", "x * z"], "x").is_empty());
        assert!(found(&["groupb", "groupc"], "group").is_empty());
        assert!(found(&["incomes_tax", "log(income)"], "income").is_empty());
        assert_eq!(found(&["x", "groupb:x"], "x:group"), ["groupb:x"]);
        assert_eq!(found(&["1.treat#c.x"], "treat:x"), ["1.treat#c.x"]);
        assert_eq!(found(&["x:C(group)[T.b]"], "group*x"), ["x:C(group)[T.b]"]);
    }
}
