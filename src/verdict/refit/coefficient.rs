//! The coefficients of a fit that stand for a term of the plan.

use std::collections::BTreeSet;

use crate::verdict::plan_words::identifiers;

/// The names that stand for `term` among those of a fit of `columns`: `age`, `region[north]`,
/// `log(x):group[b/a]` or, of a multinomial model, `bus/car:income`. A level that the term names leaves out
/// those of other levels.
pub fn of_term<'a>(names: impl Iterator<Item = &'a String>, term: &str, columns: &[&str]) -> Vec<&'a String> {
    let words = identifiers(term);
    let mut wanted: BTreeSet<&str> = columns
        .iter()
        .copied()
        .filter(|column| words.contains(column))
        .collect();
    if wanted.is_empty() {
        // R's `regionnorth`, and `log_income`.
        let is_made_of = |column: &str| {
            let made = |word: &&str| word.starts_with(column) || word.ends_with(&format!("_{column}"));
            words.iter().any(made)
        };
        wanted = columns
            .iter()
            .copied()
            .filter(|column| is_made_of(column))
            .max_by_key(|column| column.len())
            .into_iter()
            .collect();
    }
    let found: Vec<&String> = names
        .filter(|name| !wanted.is_empty() && columns_of(name, columns) == wanted)
        .collect();
    let levelled: Vec<&String> = found
        .iter()
        .copied()
        .filter(|name| levels(name).any(|level| term.contains(level)))
        .collect();
    if levelled.is_empty() { found } else { levelled }
}

/// The columns that a coefficient's name has.
fn columns_of<'a>(name: &str, columns: &[&'a str]) -> BTreeSet<&'a str> {
    let parts = name.split(':').filter_map(|part| {
        let bare = part.split_once('[').map_or(part, |(bare, _)| bare);
        let inner = bare
            .rsplit_once('(')
            .map_or(bare, |(_, inner)| inner.trim_end_matches(')'));
        columns.iter().copied().find(|column| *column == inner)
    });
    parts.collect()
}

/// The levels in the brackets of a name.
fn levels(name: &str) -> impl Iterator<Item = &str> {
    name.split('[')
        .skip(1)
        .filter_map(|part| part.split_once(']'))
        .map(|(level, _)| level.split('/').next().unwrap_or(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_finds_its_coefficients() {
        let names: Vec<String> = [
            "age",
            "log(income)",
            "region[north]",
            "region[south]",
            "age:region[north]",
            "bus/car:income",
        ]
        .map(str::to_owned)
        .to_vec();
        let columns = ["age", "income", "region"];
        let found = |term: &str| of_term(names.iter(), term, &columns);
        assert_eq!(found("age"), ["age"]);
        assert_eq!(found("log_income"), ["log(income)", "bus/car:income"]);
        assert_eq!(found("C(region)[T.south]"), ["region[south]"]);
        assert_eq!(found("regionnorth"), ["region[north]"]);
        assert_eq!(found("region"), ["region[north]", "region[south]"]);
        assert_eq!(found("age x region"), ["age:region[north]"]);
        assert!(found("dose").is_empty());
    }
}
