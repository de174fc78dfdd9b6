//! Searches for words in texts: a decision goes by closed data, never by the words of a message of our own.

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, ExprMethodCall, Lit};

/// Readers of foreign texts: printed tables, documents, scripts.
pub const READERS: [&str; 6] = [
    "src/capsule/dockerfile/",
    "src/documents/",
    "src/environment/evidence_files/",
    "src/environment/scripts/",
    "src/scoring/released/",
    "src/verdict/printed/",
];

/// Files with another search, and whose words they are.
pub const FOREIGN_WORDS: &[(&str, &str)] = &[
    (
        "src/analysis/consistency.rs",
        "the paper's own words about a scale",
    ),
    (
        "src/network/guard.rs",
        "the C library's words for a name system that does not answer",
    ),
    ("src/notebook/pre_cell.rs", "a command in a task file's cell"),
    ("src/policy/diagnose.rs", "R's messages"),
    (
        "src/sandbox/docker/container/ending.rs",
        "messages of catatonit and Docker",
    ),
    ("src/sandbox/docker/container/execute.rs", "Docker's messages"),
    (
        "src/scoring/failed_calls.rs",
        "Python's messages in released logs",
    ),
    ("src/scoring/failures.rs", "the marks of released logs"),
];

/// Searches for a text of several words outside tests.
#[derive(Default)]
struct WordSearches(Vec<String>);

pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    let mentions_test = |attribute: &Attribute| match &attribute.meta {
        syn::Meta::List(list) => list.tokens.to_string() == "test",
        meta => meta.path().is_ident("test"),
    };
    attributes.iter().any(mentions_test)
}

impl<'ast> Visit<'ast> for WordSearches {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if let (
            true,
            Some(Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            })),
        ) = (call.method == "contains", call.args.first())
            && text.value().split_whitespace().count() > 1
        {
            self.0.push(text.value());
        }
        visit::visit_expr_method_call(self, call);
    }
}

pub fn word_searches(file: &syn::File) -> Vec<String> {
    let mut searches = WordSearches::default();
    searches.visit_file(file);
    searches.0
}

#[test]
fn a_search_for_words_is_found_outside_tests() {
    let text = r#"
        fn one(text: &str) -> bool { text.contains("no such file") && text.contains("word") }
        #[test]
        fn two() { assert_eq!("a b".contains("a b"), true); }
        #[cfg(test)]
        mod tests { fn three(text: &str) -> bool { text.contains("a b") } }
    "#;
    assert_eq!(word_searches(&syn::parse_file(text).unwrap()), ["no such file"]);
}
