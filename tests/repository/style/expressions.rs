//! The regular expressions of the code.

use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprLit, Lit};

/// The expressions of the code that are compiled when they are first used.
#[derive(Default)]
pub struct LazyExpressions {
    pub found: usize,
    pub wrong: Vec<String>,
}

impl<'ast> Visit<'ast> for LazyExpressions {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let called = match &*call.func {
            Expr::Path(path) => path.path.segments.iter().rev().nth(1),
            _ => None,
        };
        let over_bytes = match called.map(|segment| segment.ident.to_string()).as_deref() {
            Some("LazyRegex") => Some(false),
            Some("LazyBytesRegex") => Some(true),
            _ => None,
        };
        if let Some(over_bytes) = over_bytes {
            self.found += 1;
            self.wrong
                .extend(call.args.iter().filter_map(|source| fault(source, over_bytes)));
        }
        visit::visit_expr_call(self, call);
    }

    /// What stands in a macro is not parsed, so that no expression may stand there.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let tokens = item.tokens.to_string();
        if tokens.contains("LazyRegex") || tokens.contains("LazyBytesRegex") {
            self.wrong.push(format!("within a macro: {tokens}"));
        }
    }
}

/// The fault of an expression that does not compile, or that is not written out.
fn fault(source: &Expr, over_bytes: bool) -> Option<String> {
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text), ..
    }) = source
    else {
        return Some("not written out".to_owned());
    };
    let compiled = if over_bytes {
        regex::bytes::Regex::new(&text.value()).map(|_| ())
    } else {
        regex::Regex::new(&text.value()).map(|_| ())
    };
    compiled.err().map(|error| error.to_string())
}

pub fn lazy_expressions(file: &syn::File) -> LazyExpressions {
    let mut expressions = LazyExpressions::default();
    expressions.visit_file(file);
    expressions
}

#[test]
fn a_wrong_expression_is_found_wherever_it_stands() {
    let text = r#"
        static ONE: LazyRegex = LazyRegex::new("(a");
        static TWO: [LazyRegex; 2] = [LazyRegex::new("a"), LazyRegex::new("a{2")];
        static THREE: Patterns = Patterns { name: LazyRegex::new("[") };
        static FOUR: LazyBytesRegex = LazyBytesRegex::new(r"(?-u)\xff");
        static FIVE: LazyRegex = LazyRegex::new(r"(?-u)\xff");
        fn six() { static SIX: LazyRegex = domain::lazy_regex::LazyRegex::new(SOURCE); }
        static SEVEN: Vec<LazyRegex> = list![LazyRegex::new("a")];
    "#;
    let expressions = lazy_expressions(&syn::parse_file(text).unwrap());
    assert_eq!(expressions.found, 7);
    assert_eq!(expressions.wrong.len(), 6, "{:#?}", expressions.wrong);
}
