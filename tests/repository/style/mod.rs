//! The style of the sources, where a program can tell it: titles that name a thing, parameters that
//! have names.

mod expressions;
mod ground_forms;
mod rules;
mod word_searches;

use std::path::Path;
use std::sync::LazyLock;

use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericArgument, Lit, Meta, Pat, PathArguments, PathSegment, Signature,
    Type, Visibility,
};

use crate::style::expressions::{LazyExpressions, lazy_expressions};
use crate::style::ground_forms::copies;
use crate::style::word_searches::word_searches;

/// Folders of Rust sources below the root of the repository.
const SOURCES: [&str; 5] = ["src", "tests", "benches", "examples", "fuzz"];

/// Words that begin a question, not the name of a thing.
const QUESTIONS: [&str; 11] = [
    "What", "Whatever", "Whether", "How", "Why", "Where", "Which", "Who", "Whoever", "Whose", "When",
];

/// The findings in a source file.
struct Source {
    /// Its path below the root.
    path: String,
    asking: Vec<String>,
    tuples: Vec<String>,
    nameless: Vec<String>,
    expressions: LazyExpressions,
    searches: Vec<String>,
    copies: Vec<&'static str>,
}

/// Every source file: each is parsed once for all tests.
static ALL: LazyLock<Vec<Source>> =
    LazyLock::new(|| SOURCES.iter().flat_map(|folder| read_sources(folder)).collect());

/// The source files of the program and its crates.
fn sources() -> impl Iterator<Item = &'static Source> {
    ALL.iter().filter(|source| source.path.starts_with("src/"))
}

/// All source files below `folder`, build folders apart.
fn read_sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    walkdir::WalkDir::new(root.join(folder))
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.file_name() != "target")
        .map(Result::unwrap)
        .filter(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "rs")
        })
        .map(|entry| {
            let path = entry
                .path()
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            Source {
                path,
                asking: asking_titles(&file),
                tuples: tuple_takers(&file),
                nameless: nameless_returns(&file),
                expressions: lazy_expressions(&file),
                searches: word_searches(&file),
                copies: copies(&file),
            }
        })
        .collect()
}

/// The first line of the documentation among the attributes.
fn title(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    })
}

/// Titles of modules and types that ask.
#[derive(Default)]
struct AskingTitles(Vec<String>);

impl AskingTitles {
    fn note(&mut self, attributes: &[Attribute]) {
        let asks = |title: &String| QUESTIONS.contains(&title.split(' ').next().unwrap_or_default());
        self.0.extend(title(attributes).filter(asks));
    }
}

impl<'ast> Visit<'ast> for AskingTitles {
    fn visit_file(&mut self, file: &'ast syn::File) {
        self.note(&file.attrs);
        visit::visit_file(self, file);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.note(&module.attrs);
        visit::visit_item_mod(self, module);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.note(&item.attrs);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.note(&item.attrs);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.note(&item.attrs);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.note(&item.attrs);
        visit::visit_item_trait(self, item);
    }
}

fn asking_titles(file: &syn::File) -> Vec<String> {
    let mut titles = AskingTitles::default();
    titles.visit_file(file);
    titles.0
}

#[test]
fn titles_of_modules_and_types_name_a_thing() {
    let mut wrong = Vec::new();
    for source in ALL.iter() {
        for title in &source.asking {
            wrong.push(format!("{}: {title}", source.path));
        }
    }
    assert!(
        wrong.is_empty(),
        "titles that begin with a question ({}); name the thing:\n{}",
        QUESTIONS.join(", "),
        wrong.join("\n")
    );
}

#[test]
fn a_title_that_asks_is_found_at_modules_and_types_and_not_at_fields_and_functions() {
    for word in QUESTIONS {
        let text = format!(
            "//! {word} it runs.\n\
             /// {word} it ends.\npub fn ends() -> bool {{ true }}\n\
             /// {word} it holds.\npub struct Run {{\n/// {word} it says.\nsaid: String }}\n\
             mod inner {{\n/// {word} it stands.\nenum Standing {{ A }}\n}}\n\
             /// {word} it reads.\ntype Reading = u8;\n\
             /// The way; {word} is no title.\ntrait Way {{}}\n\
             /// {word}s beyond.\nstruct Beyond;\n"
        );
        let asking = ["runs", "holds", "stands", "reads"].map(|verb| format!("{word} it {verb}."));
        assert_eq!(asking_titles(&syn::parse_file(&text).unwrap()), asking);
    }
}

/// Functions that take a tuple, as a pattern or a type.
#[derive(Default)]
struct TupleTakers(Vec<String>);

impl<'ast> Visit<'ast> for TupleTakers {
    /// What tests call with rows of figures stays out.
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !module.attrs.iter().any(is_for_tests) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        let takes = |argument: &FnArg| match argument {
            FnArg::Receiver(_) => false,
            FnArg::Typed(typed) => matches!(&*typed.pat, Pat::Tuple(_)) || is_tuple(&typed.ty),
        };
        if signature.inputs.iter().any(takes) {
            self.0.push(signature.ident.to_string());
        }
        visit::visit_signature(self, signature);
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}

/// True of a tuple of two or more, and of a reference to one.
fn is_tuple(parameter: &Type) -> bool {
    match parameter {
        Type::Reference(reference) => is_tuple(&reference.elem),
        Type::Tuple(tuple) => tuple.elems.len() > 1,
        _ => false,
    }
}

fn tuple_takers(file: &syn::File) -> Vec<String> {
    let mut takers = TupleTakers::default();
    takers.visit_file(file);
    takers.0
}

#[test]
fn no_function_takes_a_tuple() {
    let mut wrong = Vec::new();
    for source in sources() {
        for name in &source.tuples {
            wrong.push(format!("{}: {name}", source.path));
        }
    }
    assert!(
        wrong.is_empty(),
        "functions with a tuple in place of parameters or a struct:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_tuple_is_found_as_a_pattern_and_as_a_type_and_not_in_a_closure() {
    let text = "fn one((a, b): (u8, u8)) {}\n\
                fn two(pair: &(u8, u8)) {}\n\
                struct S;\nimpl S { fn three(&self, (a, _): Pair) {} }\n\
                trait T { fn four(pair: (u8, u8)); }\n\
                fn five(pairs: &[(u8, u8)], unit: ()) { pairs.iter().map(|(a, _)| a); }\n\
                #[cfg(test)]\nmod tests { fn six(row: (u8, u8)) {} }\n";
    assert_eq!(
        tuple_takers(&syn::parse_file(text).unwrap()),
        ["one", "two", "three", "four"]
    );
}

/// Functions for other modules whose returned type leaves parts without a name.
#[derive(Default)]
struct NamelessReturns(Vec<String>);

impl NamelessReturns {
    fn note(&mut self, signature: &Signature) {
        let mut parts = NamelessParts::default();
        parts.visit_return_type(&signature.output);
        if parts.tuple {
            self.0.push(format!("{} returns a tuple", signature.ident));
        }
        if parts.text_as_error {
            self.0
                .push(format!("{} returns text as its error", signature.ident));
        }
    }
}

impl<'ast> Visit<'ast> for NamelessReturns {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !module.attrs.iter().any(is_for_tests) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if is_public(&function.vis) && !function.attrs.iter().any(is_for_tests) {
            self.note(&function.sig);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if is_public(&function.vis) && !function.attrs.iter().any(is_for_tests) {
            self.note(&function.sig);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.note(&function.sig);
    }
}

/// The parts of a type that say nothing of what they hold.
#[derive(Default)]
struct NamelessParts {
    /// It has a tuple of three or more.
    tuple: bool,
    /// It has a result whose error is a `String`.
    text_as_error: bool,
}

impl<'ast> Visit<'ast> for NamelessParts {
    fn visit_type_tuple(&mut self, tuple: &'ast syn::TypeTuple) {
        self.tuple |= tuple.elems.len() > 2;
        visit::visit_type_tuple(self, tuple);
    }

    fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
        if segment.ident == "Result"
            && let PathArguments::AngleBracketed(arguments) = &segment.arguments
            && let Some(GenericArgument::Type(Type::Path(error))) = arguments.args.get(1)
        {
            self.text_as_error |= error
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "String");
        }
        visit::visit_path_segment(self, segment);
    }
}

/// True of all that other modules can call.
fn is_public(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

fn nameless_returns(file: &syn::File) -> Vec<String> {
    let mut returns = NamelessReturns::default();
    returns.visit_file(file);
    returns.0
}

#[test]
fn what_a_public_function_returns_has_names() {
    let mut wrong = Vec::new();
    for source in sources() {
        for name in &source.nameless {
            wrong.push(format!("{}: {name}", source.path));
        }
    }
    assert!(
        wrong.is_empty(),
        "return a struct with named fields, an error of the module's own:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_nameless_return_is_found_in_public_functions_and_traits_and_not_in_private_ones() {
    let text = "pub fn one() -> (u8, u8, u8) {}\n\
                pub(super) fn two() -> Option<Vec<(u8, u8, u8)>> {}\n\
                struct S;\nimpl S { pub(crate) async fn three() -> Result<u8, String> {} fn own() -> Result<u8, String> {} }\n\
                trait T { fn four() -> Result<Result<u8, std::string::String>, Error>; }\n\
                fn private() -> (u8, u8, u8) {}\n\
                pub fn pair() -> Result<(u8, u8), Error> {}\n\
                #[cfg(test)]\nmod tests { pub fn inner() -> (u8, u8, u8) {} }\n";
    assert_eq!(
        nameless_returns(&syn::parse_file(text).unwrap()),
        [
            "one returns a tuple",
            "two returns a tuple",
            "three returns text as its error",
            "four returns text as its error"
        ]
    );
}
