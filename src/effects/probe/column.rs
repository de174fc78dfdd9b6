//! The column that a plan's focal term stands for.

use crate::domain::lazy_regex::LazyRegex;
use crate::verdict::probe::case::FocalColumn;

/// Words of formulas that are no columns.
const FUNCTIONS: [&str; 24] = [
    "c",
    "i",
    "as",
    "factor",
    "log",
    "log2",
    "log10",
    "ln",
    "exp",
    "sqrt",
    "scale",
    "center",
    "standardize",
    "poly",
    "bs",
    "ns",
    "np",
    "abs",
    "treatment",
    "sum",
    "t",
    "on",
    "of",
    "the",
];
/// The shortest name that a term may begin with, as R names the level of a factor.
const SHORTEST: usize = 3;

static NAME: LazyRegex = LazyRegex::new(r"[\p{L}_.][\p{L}\p{N}_.]*");
static LEVEL: LazyRegex = LazyRegex::new(r"\[[^\]]*\]|Treatment\([^)]*\)");

/// The column for a focal term among the columns of the opened files, or, where
/// the term names none, for the first of the plan's predictors.
pub fn find(term: &str, predictors: &str, headers: &[String]) -> FocalColumn {
    let whole = header_like(term.trim(), headers);
    let parts = names(term);
    let exact = whole.or_else(|| parts.iter().find_map(|part| header_like(part, headers)));
    if let Some(name) = exact {
        return FocalColumn::Named(name);
    }
    let prefix = parts.iter().find_map(|part| {
        let begins =
            |header: &&String| header.chars().count() >= SHORTEST && part.starts_with(header.as_str());
        headers
            .iter()
            .filter(begins)
            .max_by_key(|header| header.len())
            .cloned()
    });
    let first = predictors
        .split([',', ';', '(', ':', '\n'])
        .next()
        .unwrap_or_default();
    let planned = || names(first).iter().find_map(|name| header_like(name, headers));
    match prefix.or_else(planned) {
        Some(name) => FocalColumn::Likely(name),
        None => FocalColumn::Absent(format!("no opened data file has a column for `{term}`")),
    }
}

/// The columns of an interaction beside the focal one: `a:b`, `a * b`, `a × b` and
/// `a#b` are of two.
pub fn parts(term: &str, focal: &FocalColumn, headers: &[String]) -> Vec<String> {
    let FocalColumn::Named(focal) = focal else {
        return Vec::new();
    };
    let plain = LEVEL.replace_all(term, "");
    let mut found: Vec<String> = Vec::new();
    for part in plain.split([':', '*', '×', '#']) {
        let header = names(part).iter().find_map(|name| header_like(name, headers));
        if let Some(header) = header.filter(|header| header != focal && !found.contains(header)) {
            found.push(header);
        }
    }
    found
}

/// Whether the estimate of a term is of the column itself, or of a growing function
/// of it, and not of a level or a product.
pub fn is_of_itself(term: &str, focal: &FocalColumn) -> bool {
    const GROWING: [&str; 10] = [
        "log",
        "log2",
        "log10",
        "log1p",
        "ln",
        "sqrt",
        "exp",
        "scale",
        "center",
        "standardize",
    ];
    let FocalColumn::Named(focal) = focal else {
        return false;
    };
    let term = term.trim().trim_start_matches("np.");
    let inner = term
        .split_once('(')
        .filter(|(function, _)| GROWING.contains(&function.to_lowercase().as_str()))
        .and_then(|(_, rest)| rest.strip_suffix(')'))
        .unwrap_or(term);
    inner.trim().eq_ignore_ascii_case(focal)
}

/// The header that is the name: exactly, or but for the case of its letters.
pub fn header_like(name: &str, headers: &[String]) -> Option<String> {
    headers
        .iter()
        .find(|header| *header == name)
        .or_else(|| headers.iter().find(|header| header.eq_ignore_ascii_case(name)))
        .cloned()
}

/// The names in a term, without levels and functions: `C(a)[T.b]:x` has `a` and `x`.
fn names(term: &str) -> Vec<String> {
    let plain = LEVEL.replace_all(term, "");
    NAME.find_iter(&plain)
        .flat_map(|found| {
            let called = plain[found.end()..].starts_with('(');
            let text = found.as_str().trim_matches('.');
            // Stata writes `c.x` and `i.x`, R `as.factor`.
            let bare = text
                .strip_prefix("c.")
                .or_else(|| text.strip_prefix("i."))
                .unwrap_or(text);
            let function = called || FUNCTIONS.contains(&bare.to_lowercase().as_str());
            (!function && !bare.is_empty()).then(|| bare.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(term: &str, predictors: &str) -> FocalColumn {
        let headers = ["id", "Income", "treat", "age", "treat_x_age", "group"].map(str::to_owned);
        find(term, predictors, &headers)
    }

    #[test]
    fn decoration_of_formulas_is_taken_off() {
        let named = |name: &str| FocalColumn::Named(name.to_owned());
        for (term, column) in [
            ("income", "Income"),
            ("C(treat)[T.yes]", "treat"),
            ("C(group, Treatment(reference='a'))[T.b]", "group"),
            ("treat:age", "treat"),
            ("age × treat", "age"),
            ("1.treat#c.age", "treat"),
            ("log(Income)", "Income"),
            ("as.factor(group)", "group"),
            ("treat_x_age", "treat_x_age"),
            ("effect of treat on y", "treat"),
        ] {
            assert_eq!(found(term, ""), named(column), "{term}");
        }
    }

    #[test]
    fn an_interaction_has_further_parts() {
        let headers = ["treat", "age", "y"].map(str::to_owned);
        let of = |term: &str| parts(term, &find(term, "", &headers), &headers);
        assert_eq!(of("treat:age"), ["age"]);
        assert_eq!(of("C(treat)[T.1]:age"), ["age"]);
        assert_eq!(of("age × treat"), ["treat"]);
        assert_eq!(of("treat#c.age"), ["age"]);
        assert!(of("treat").is_empty() && of("effect of treat on y").is_empty());
        assert!(of("C(treat, Treatment(reference='a:y'))[T.b:y]").is_empty());
    }

    #[test]
    fn levels_and_products_are_not_the_column_itself() {
        let headers = ["treat", "age"].map(str::to_owned);
        let itself = |term: &str| is_of_itself(term, &find(term, "", &headers));
        assert!(itself("age") && itself(" Age ") && itself("log(age)") && itself("np.log(age)"));
        assert!(
            !itself("C(treat)[T.0]")
                && !itself("age:treat")
                && !itself("I(-age)")
                && !itself("factor(treat)1")
        );
    }

    #[test]
    fn weaker_ties_are_said_to_be_such() {
        assert_eq!(found("treatB", ""), FocalColumn::Likely("treat".into()));
        assert_eq!(
            found("dose", "age (years), group: a or b"),
            FocalColumn::Likely("age".into())
        );
        assert!(matches!(found("dose", "wealth (age)"), FocalColumn::Absent(_)));
    }
}
