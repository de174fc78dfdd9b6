//! Rules of the code about regular expressions and about decisions.

use crate::style::sources;
use crate::style::word_searches::{FOREIGN_WORDS, READERS};

#[test]
fn every_regular_expression_of_the_code_compiles() {
    let mut found = 0;
    let mut wrong = Vec::new();
    for source in sources() {
        let expressions = &source.expressions;
        found += expressions.found;
        wrong.extend(
            expressions
                .wrong
                .iter()
                .map(|fault| format!("{}: {fault}", source.path)),
        );
    }
    assert!(found > 100, "only {found} expressions were looked at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_decision_searches_for_words_of_our_own() {
    let mut unexplained = Vec::new();
    let mut searched = Vec::new();
    for source in sources() {
        let is_test = source.path.ends_with("tests.rs")
            || source.path.contains("/tests/")
            || source.path == "src/catalog/released.rs";
        if is_test || READERS.iter().any(|reader| source.path.starts_with(reader)) {
            continue;
        }
        let searches = &source.searches;
        if searches.is_empty() {
            continue;
        }
        if !FOREIGN_WORDS.iter().any(|(path, _)| *path == source.path) {
            unexplained.push(format!("{}: {searches:?}", source.path));
        }
        searched.push(&source.path);
    }
    assert!(
        unexplained.is_empty(),
        "a search for words needs closed data in their place, or a reason in FOREIGN_WORDS:\n{}",
        unexplained.join("\n")
    );
    let gone: Vec<_> = FOREIGN_WORDS
        .iter()
        .filter(|(path, _)| !searched.iter().any(|one| *one == path))
        .collect();
    assert!(gone.is_empty(), "nothing is searched there: {gone:?}");
}
