use std::collections::{BTreeMap, BTreeSet};

use reprise::environment::language::Language;
use reprise::environment::rescue::entry::{Entry, EntryLanguage, Needs};
use reprise::environment::rescue::find::{self, Evidence};
use reprise::environment::rescue::script::Script;
use reprise::environment::rescue::table::Table;
use reprise::environment::rescue::version::Version;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    hits: Vec<String>,
    misses: Vec<String>,
    script: Option<String>,
    interpreter: Option<String>,
}

const MESSAGES: [&str; 2] = [
    include_str!("examples/messages.toml"),
    include_str!("examples/r.toml"),
];

fn table() -> &'static Table {
    Table::embedded().expect("the table can be read")
}

fn entry(id: &str) -> &'static Entry {
    let found = table().entries.iter().find(|entry| entry.id == id);
    found.unwrap_or_else(|| panic!("no entry `{id}`"))
}

fn language(entry: &Entry) -> Language {
    match entry.language {
        EntryLanguage::Python | EntryLanguage::Python2 | EntryLanguage::Any => Language::Python,
        EntryLanguage::R => Language::R,
        EntryLanguage::Stata => Language::Stata,
        EntryLanguage::Spss => Language::Spss,
    }
}

fn ids(entry: &Entry, printed: &str, script: Option<&str>, interpreter: Option<&str>) -> BTreeSet<String> {
    let interpreter: Option<Version> = interpreter.map(|text| text.parse().unwrap());
    let evidence = Evidence {
        language: language(entry),
        interpreter: interpreter.as_ref(),
        printed,
        script: script.map(|text| Script { path: "a.x", text }),
        installed: &[],
    };
    find::find(table(), evidence)
        .into_iter()
        .map(|one| one.id)
        .collect()
}

#[test]
fn every_message_is_matched_and_its_near_misses_are_not() {
    let mut shown = BTreeSet::new();
    for file in MESSAGES {
        let examples: BTreeMap<String, Example> = toml::from_str(file).unwrap();
        for (id, example) in examples {
            let entry = entry(&id);
            let found = |printed: &str| {
                ids(
                    entry,
                    printed,
                    example.script.as_deref(),
                    example.interpreter.as_deref(),
                )
                .contains(&id)
            };
            for hit in &example.hits {
                assert!(found(hit), "`{id}` is not found in {hit:?}");
                let amid = format!("some output\n{hit}\nmore of it\n");
                assert!(found(&amid), "`{id}` is not found amid other lines: {hit:?}");
            }
            for miss in &example.misses {
                assert!(!found(miss), "`{id}` is found in {miss:?}");
            }
            if example.script.is_some() && entry.needs == Needs::Both {
                let alone = ids(entry, &example.hits[0], None, example.interpreter.as_deref());
                assert!(
                    !alone.contains(&id),
                    "`{id}` is found without the script that it needs"
                );
            }
            shown.insert(id);
        }
    }
    for entry in table().entries.iter().filter(|entry| entry.message.is_some()) {
        let by_script = entry.needs == Needs::Script;
        assert!(
            by_script || shown.contains(&entry.id),
            "`{}` has no example",
            entry.id
        );
    }
}

#[test]
fn every_line_is_recognised_and_its_near_misses_are_not() {
    let examples: BTreeMap<String, Example> = toml::from_str(include_str!("examples/scripts.toml")).unwrap();
    for (id, example) in &examples {
        let entry = entry(id);
        for hit in &example.hits {
            assert!(
                ids(entry, "", Some(hit), None).contains(id),
                "`{id}` is not found in {hit:?}"
            );
        }
        for miss in &example.misses {
            assert!(
                !ids(entry, "", Some(miss), None).contains(id),
                "`{id}` is found in {miss:?}"
            );
        }
    }
    for entry in table().entries.iter().filter(|entry| entry.message.is_none()) {
        assert!(examples.contains_key(&entry.id), "`{}` has no example", entry.id);
    }
}

#[test]
fn every_name_of_an_entry_is_told_with_what_stands_for_it() {
    for entry in &table().entries {
        for renamed in &entry.names {
            assert!(
                entry.renamed(&renamed.plain).is_some() || renamed.plain.contains(['(', '\\', '+']),
                "{}: {}",
                entry.id,
                renamed.plain
            );
        }
    }
    let told = ids(
        entry("numpy-python-types"),
        "AttributeError: module 'numpy' has no attribute 'object'.",
        None,
        None,
    );
    assert!(told.contains("numpy-python-types"));
}

#[test]
fn an_interpreter_that_does_not_have_the_fault_shows_none() {
    let message = "AttributeError: module 'time' has no attribute 'clock'";
    let clock = entry("python-time-clock");
    assert!(ids(clock, message, None, Some("3.11.2")).contains("python-time-clock"));
    assert!(!ids(clock, message, None, Some("3.7.16")).contains("python-time-clock"));
    let sample = "set.seed(1)\nx <- sample(10, 3)\n";
    let kind = entry("r-sample-kind");
    assert!(ids(kind, "", Some(sample), Some("4.2.2")).contains("r-sample-kind"));
    assert!(!ids(kind, "", Some(sample), Some("3.5.1")).contains("r-sample-kind"));
}

#[test]
fn a_special_cause_stands_in_place_of_the_general_one() {
    let r = entry("r-condition-length");
    let message = "Error in if (class(x) == \"matrix\") 1 : the condition has length > 1";
    let script = "if (class(x) == \"matrix\") 1\n";
    let found = ids(r, message, Some(script), None);
    assert!(
        found.contains("r-class-matrix") && !found.contains("r-condition-length"),
        "{found:?}"
    );
}

#[test]
fn a_function_or_name_that_is_lacking_is_looked_up() {
    let evidence = |language, printed| Evidence {
        language,
        interpreter: None,
        printed,
        script: None,
        installed: &[],
    };
    let found = find::find(
        table(),
        evidence(
            Language::R,
            "Error in str_detect(x, \"a\") : could not find function \"str_detect\"\n",
        ),
    );
    assert_eq!(found[0].id, "r-function-elsewhere");
    assert!(
        found[0].mend.contains("`stringr::str_detect`"),
        "{}",
        found[0].mend
    );
    let found = find::find(
        table(),
        evidence(
            Language::Python,
            "NameError: name 'np' is not defined. Did you forget to import 'np'?\n",
        ),
    );
    assert_eq!(found[0].mend, "write `import numpy as np` at the top");
    let nothing = find::find(
        table(),
        evidence(
            Language::R,
            "Error in frobnicate(x) : could not find function \"frobnicate\"\n",
        ),
    );
    assert!(nothing.is_empty(), "{nothing:?}");
}
