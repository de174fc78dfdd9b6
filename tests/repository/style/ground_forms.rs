//! Copies of what the ground layer has: `domain/excerpt.rs` shortens texts, and `domain/format.rs` lets
//! words agree with a count.

use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ExprIf, ExprLit, ExprMethodCall, Lit, Stmt};

use crate::style::sources;
use crate::style::word_searches::is_for_tests;

/// Files with such code of their own, and why.
const OWN: &[(&str, &str)] = &[
    ("src/domain/excerpt.rs", "the module itself"),
    (
        "src/documents/pdf/glyph_outlines.rs",
        "the crate of documents has no `format`",
    ),
    (
        "src/documents/pdf/read.rs",
        "the crate of documents has no `format`",
    ),
    ("src/scoring/released/capsule/tallies.rs", "a frozen script"),
    ("src/scoring/released/failures.rs", "a frozen script"),
];

/// Private ways of shortening texts and of choosing words, outside tests.
#[derive(Default)]
struct Copies(Vec<&'static str>);

impl<'ast> Visit<'ast> for Copies {
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
        let of = match &*call.receiver {
            Expr::MethodCall(receiver) => receiver.method.to_string(),
            _ => String::new(),
        };
        match (of.as_str(), call.method.to_string().as_str()) {
            ("chars", "take") => self.0.push("chars().take(..): excerpt::start or shortened"),
            ("char_indices", "nth") => self.0.push("char_indices().nth(..): excerpt::start or shortened"),
            (_, "is_char_boundary") => self.0.push("is_char_boundary: excerpt::between"),
            _ => {}
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_if(&mut self, choice: &'ast ExprIf) {
        let is_of_one = match &*choice.cond {
            Expr::Binary(equation) => matches!(equation.op, BinOp::Eq(_)) && is_one(&equation.right),
            _ => false,
        };
        let has_other_word = choice
            .else_branch
            .as_ref()
            .is_some_and(|(_, other)| match &**other {
                Expr::Block(other) => is_text(&other.block),
                _ => false,
            });
        if is_of_one && is_text(&choice.then_branch) && has_other_word {
            self.0.push("a word by a count: format::plural or counted");
        }
        visit::visit_expr_if(self, choice);
    }
}

fn is_one(value: &Expr) -> bool {
    matches!(value, Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.base10_digits() == "1")
}

fn is_text(block: &Block) -> bool {
    matches!(
        block.stmts.as_slice(),
        [Stmt::Expr(Expr::Lit(ExprLit { lit: Lit::Str(_), .. }), None)]
    )
}

pub(super) fn copies(file: &syn::File) -> Vec<&'static str> {
    let mut copies = Copies::default();
    copies.visit_file(file);
    copies.0
}

#[test]
fn texts_are_shortened_and_counts_written_in_the_ground_layer() {
    let (mut unexplained, mut found) = (Vec::new(), Vec::new());
    for source in sources() {
        let is_test = source.path.ends_with("tests.rs") || source.path.contains("/tests/");
        let copies = &source.copies;
        if is_test || copies.is_empty() {
            continue;
        }
        if !OWN.iter().any(|(path, _)| *path == source.path) {
            unexplained.push(format!("{}: {copies:?}", source.path));
        }
        found.push(&source.path);
    }
    assert!(
        unexplained.is_empty(),
        "the ground layer has these already:\n{}",
        unexplained.join("\n")
    );
    let gone: Vec<_> = OWN
        .iter()
        .filter(|(path, _)| !found.iter().any(|one| *one == path))
        .collect();
    assert!(gone.is_empty(), "nothing of its own is there: {gone:?}");
}

#[test]
fn a_private_copy_is_found_outside_tests() {
    let text = r#"
        fn one(text: &str) -> String { text.chars().take(3).collect() }
        fn two(count: u64) -> &'static str { if count == 1 { "file" } else { "files" } }
        fn three(count: u64) -> u64 { if count == 1 { 2 } else { 3 } }
        #[cfg(test)]
        mod tests { fn four(text: &str) -> String { text.chars().take(3).collect() } }
    "#;
    assert_eq!(copies(&syn::parse_file(text).unwrap()).len(), 2);
}
