//! A module imports only from rows above it in `ARCHITECTURE.md`'s table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The rows, from the top.
const ROWS: [&str; 29] = [
    "domain",
    "statistics",
    "addresses",
    "policy",
    "verdict",
    "study",
    "capsule",
    "notebook",
    "documents",
    "catalog",
    "settings",
    "run",
    "artifacts",
    "journal",
    "environment",
    "model",
    "sandbox",
    "tools",
    "agent",
    "scoring",
    "analysis",
    "network",
    "engine",
    "effects",
    "grading",
    "report",
    "app",
    "cli",
    "main",
];

fn row(module: &str) -> usize {
    ROWS.iter()
        .position(|row| *row == module)
        .unwrap_or_else(|| panic!("`{module}` has no row in the table"))
}

/// A path below a crate, in text.
static PATH: LazyLock<regex::Regex> =
    LazyLock::new(|| regex::Regex::new(r"\b(?:crate|super|self)(?:\s*::\s*[A-Za-z_0-9]+)+").unwrap());

/// The paths below a crate that a file names: what stands in `use` and in paths that begin with
/// `crate`, `self` or `super`, those in macros and attributes too.
struct Uses {
    /// The module that is looked at, with those inside the file.
    module: Vec<String>,
    with_tests: bool,
    found: Vec<Vec<String>>,
}

impl Uses {
    fn of(text: &str, module: &[String], with_tests: bool) -> Vec<Vec<String>> {
        let mut uses = Self {
            module: module.to_vec(),
            with_tests,
            found: Vec::new(),
        };
        syn::visit::Visit::visit_file(&mut uses, &syn::parse_file(text).unwrap());
        uses.found
    }

    fn add(&mut self, parts: &[String]) {
        let mut parts = parts.to_vec();
        let mut base = match parts.first().map(String::as_str) {
            Some("crate") => {
                parts.remove(0);
                Vec::new()
            }
            Some("self") => {
                parts.remove(0);
                self.module.clone()
            }
            _ => self.module.clone(),
        };
        while parts.first().is_some_and(|part| part == "super") {
            parts.remove(0);
            base.pop();
        }
        base.extend(parts);
        self.found.push(base);
    }

    fn add_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, before);
                }
            }
            syn::UseTree::Name(syn::UseName { ident })
            | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
                before.push(ident.to_string());
                self.add(before);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.add(before),
        }
    }

    /// The paths in what is not parsed, such as `assert!(crate::a::b())`.
    fn add_tokens(&mut self, tokens: &str) {
        for found in PATH.find_iter(tokens) {
            let parts: Vec<String> = (found.as_str().split("::"))
                .map(|part| part.trim().to_owned())
                .collect();
            self.add(&parts);
        }
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|ident| ident == "test")
    })
}

impl<'ast> syn::visit::Visit<'ast> for Uses {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if self.with_tests || !is_for_tests(&item.attrs) {
            self.add_tree(&item.tree, &mut Vec::new());
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.with_tests || !is_for_tests(&item.attrs) {
            self.module.push(item.ident.to_string());
            syn::visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if ["crate", "super", "self"].contains(&parts[0].as_str()) && parts.len() > 1 {
            self.add(&parts);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.add_tokens(&item.tokens.to_string());
        syn::visit::visit_macro(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.add_tokens(&list.tokens.to_string());
        }
    }
}

/// Every file below `src` by its module.
fn files() -> BTreeMap<Vec<String>, PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&root) {
        let path = entry.unwrap().into_path();
        // The root of a crate names its modules and uses none.
        if path.extension().is_none_or(|extension| extension != "rs") || path.ends_with("lib.rs") {
            continue;
        }
        let below = path.strip_prefix(&root).unwrap().with_extension("");
        let mut module: Vec<String> = below
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if module.last().is_some_and(|last| last == "mod") {
            module.pop();
        }
        files.insert(module, path);
    }
    assert!(files.len() > 100, "only {} files were looked at", files.len());
    files
}

/// The paths of a file that lead to rows below its own.
fn downwards(text: &str, module: &[String]) -> Vec<String> {
    let own = row(&module[0]);
    Uses::of(text, module, true)
        .into_iter()
        // What tests need of a machine is no part of the crate.
        .filter(|used| used.first().is_some_and(|first| first != "need"))
        .filter(|used| row(&used[0]) > own)
        .map(|used| format!("crate::{}", used.join("::")))
        .collect()
}

#[test]
fn every_import_points_upwards() {
    let mut wrong = Vec::new();
    for (module, path) in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        for used in downwards(&text, &module) {
            wrong.push(format!("{}: `{used}` lies below `{}`", path.display(), module[0]));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn an_import_is_seen_however_it_is_written() {
    for import in [
        "use crate::report::view;",
        "use crate::{domain::ids, report::view};",
        "use crate::{\n    domain::ids,\n    report::{self, view},\n};",
        "use super::super::report;",
        "fn f() { crate::report::view() }",
        "fn f() { assert!(crate::report::view()) }",
        "#[serde(with = \"crate::report::view\")]\nstruct S;",
        "#[cfg(test)]\nmod tests { use super::super::super::report::*; }",
    ] {
        let module = ["policy", "fixed"].map(str::to_owned);
        let found = downwards(import, &module);
        assert!(!found.is_empty(), "{import}");
        assert!(
            found.iter().all(|used| used.starts_with("crate::report")),
            "{found:?}"
        );
    }
    let module = ["policy", "fixed"].map(str::to_owned);
    let upwards =
        "use crate::{addresses, domain::ids};\nuse super::subject;\n/// [`crate::report`]\nstruct S;";
    assert!(downwards(upwards, &module).is_empty());
}

type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// Every file below `src` by its module, with the modules of other files that it uses. Tests
/// are left out.
static GRAPH: LazyLock<Graph> = LazyLock::new(graph);

fn graph() -> Graph {
    let files = files();
    let uses = |module: &Vec<String>, path: &Path| {
        Uses::of(&std::fs::read_to_string(path).unwrap(), module, false)
            .iter()
            .filter_map(|found| {
                // The longest part of a path that is a file.
                (1..=found.len())
                    .rev()
                    .map(|length| found[..length].to_vec())
                    .find(|part| files.contains_key(part))
            })
            .filter(|used| used != module)
            .collect()
    };
    files
        .iter()
        .map(|(module, path)| (module.clone(), uses(module, path)))
        .collect()
}

/// Plain data that the frozen scripts share with code that can change.
const SHARED_WITH_FROZEN: [&str; 10] = [
    "domain::failure::FailureCause",
    "domain::lazy_regex::LazyRegex",
    "scoring::aggregate::grading::",
    "scoring::aggregate::summary::",
    "scoring::url_match::case::CaseId",
    "scoring::url_match::files::Predict",
    "scoring::url_match::gold::Gold",
    "scoring::url_match::metrics::",
    "notebook::gold::",
    "notebook::history::step::",
];

#[test]
fn frozen_scripts_use_plain_data_alone() {
    let mut wrong = Vec::new();
    for (module, path) in files() {
        if !module.starts_with(&["scoring".to_owned(), "released".to_owned()]) {
            continue;
        }
        for used in Uses::of(&std::fs::read_to_string(&path).unwrap(), &module, false) {
            let used = used.join("::");
            let names_a_type = used.rsplit("::").next().unwrap().starts_with(char::is_uppercase);
            let is_shared = SHARED_WITH_FROZEN.iter().any(|shared| used.starts_with(shared));
            let is_inside = used.starts_with("scoring::released");
            if !(is_inside || is_shared && names_a_type || used == "scoring") {
                wrong.push(format!("{}: `crate::{used}`", path.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "frozen scripts use what can change:\n{}",
        wrong.join("\n")
    );
}

/// A walk from a module back to itself, where there is one.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    // What uses nothing that is left is in no circle.
    let mut left: BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> = graph
        .iter()
        .map(|(module, used)| (module, used.iter().collect()))
        .collect();
    while let Some(leaf) = left
        .iter()
        .find(|(_, used)| used.is_empty())
        .map(|(module, _)| *module)
    {
        left.remove(leaf);
        for used in left.values_mut() {
            used.remove(leaf);
        }
    }
    let mut at = *left.keys().next()?;
    let mut walk = Vec::new();
    while !walk.contains(&at) {
        walk.push(at);
        at = left[at].iter().next().copied()?;
    }
    let begins = walk.iter().position(|module| *module == at)?;
    walk.push(at);
    Some(walk[begins..].iter().map(|module| module.join("/")).collect())
}

#[test]
fn no_files_use_one_another_in_a_circle() {
    assert_eq!(circle(&GRAPH), None);
    let module = |name: &str| vec![name.to_owned()];
    let round = BTreeMap::from([
        (module("a"), BTreeSet::from([module("b")])),
        (module("b"), BTreeSet::from([module("c")])),
        (module("c"), BTreeSet::from([module("b")])),
    ]);
    assert!(circle(&round).is_some());
}

#[test]
fn no_verb_uses_the_file_of_another() {
    let graph = &*GRAPH;
    // The arguments of the command line name every verb.
    let args = ["cli", "args"].map(str::to_owned).to_vec();
    let verbs: BTreeSet<&String> = graph[&args].iter().filter_map(|used| used.get(1)).collect();
    assert!(verbs.len() > 15, "only {verbs:?} are verbs");
    let mut wrong = Vec::new();
    for (module, used) in graph {
        let (Some("cli"), Some(own)) = (module.first().map(String::as_str), module.get(1)) else {
            continue;
        };
        if ["args", "program"].contains(&own.as_str()) {
            continue;
        }
        let others = used.iter().filter(|other| {
            let other = other.get(1).filter(|_| other[0] == "cli");
            other.is_some_and(|other| other != own && verbs.contains(other))
        });
        wrong.extend(others.map(|other| format!("{} uses {}", module.join("/"), other.join("/"))));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_row_of_the_table_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for row in ROWS {
        assert!(
            root.join(row).is_dir() || root.join(row).with_extension("rs").is_file(),
            "`{row}` is a row of the table and no module"
        );
    }
}

#[test]
fn the_table_in_the_repository_names_the_same_rows() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let mut at = 0;
    for module in ROWS.iter().filter(|module| **module != "main") {
        let found = text[at..]
            .find(&format!("\n{module}"))
            .unwrap_or_else(|| panic!("{module} is missing or out of order"));
        at += found + 1;
    }
}

#[test]
fn no_file_is_longer_than_800_lines() {
    for folder in ["src", "tests"] {
        for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
            let entry = entry.unwrap();
            if entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "rs")
            {
                let lines = std::fs::read_to_string(entry.path()).unwrap().lines().count();
                assert!(lines <= 800, "{} has {lines} lines", entry.path().display());
            }
        }
    }
}
