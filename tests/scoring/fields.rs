use std::path::Path;

use reprise::scoring::fields::document::RegistrationFields;
use reprise::scoring::fields::score::compare;
use reprise::scoring::fields::statement::StatementKind;
use reprise::scoring::rouge::rouge_l;
use serde_json::{Value, json};

use crate::oracles;
use crate::shared::{files_named, released};

/// Every released post-registration with the names and values of its references.
fn released_documents() -> Vec<(Value, Vec<(String, Value)>)> {
    let Some(root) = released() else {
        return Vec::new();
    };
    let read = |path: &Path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap());
    let mut documents = Vec::new();
    for path in files_named(&root.join("results"), "post_registration.json") {
        let study = path
            .strip_prefix(root.join("results/python"))
            .unwrap()
            .iter()
            .next()
            .unwrap();
        let gold = root.join("original").join(study).join("gt");
        let references: Vec<_> = ["", "_2", "_3"]
            .iter()
            .map(|suffix| format!("expected_post_registration{suffix}.json"))
            .filter(|name| gold.join(name).exists())
            .map(|name| (name.clone(), read(&gold.join(name)).unwrap()))
            .collect();
        documents.push((read(&path).unwrap(), references));
    }
    documents
}

#[test]
fn every_released_document_is_read_whole() {
    for (document, references) in released_documents() {
        assert!(references.len() >= 2);
        let document = RegistrationFields::read(&document);
        for (_, reference) in &references {
            let score = compare(&document, &RegistrationFields::read(reference));
            assert!(score.notes.is_empty(), "{:?}", score.notes);
            let (mean, floor) = (score.means.stated.unwrap(), score.floor.stated.unwrap());
            assert!(floor == 0.0 && mean > 0.05 && mean < 0.95, "{mean} {floor}");
            let absent = (score.fields.iter()).filter(|field| {
                field.document == StatementKind::Absent && !field.path.contains("numerical_results")
            });
            assert!(absent.count() <= 1);
            assert!(score.coverage.share().unwrap() > 0.4, "{}", score.coverage);
        }
    }
}

#[test]
fn overlap_equals_googles_on_ascii_texts() {
    let mut pairs = Vec::new();
    for (document, references) in released_documents() {
        let (ours, theirs) = (
            RegistrationFields::read(&document),
            RegistrationFields::read(&references[0].1),
        );
        for ((_, ours), (_, theirs)) in ours.plain.iter().zip(&theirs.plain) {
            if ours.text().is_ascii() && theirs.text().is_ascii() {
                pairs.push((ours.text().to_owned(), theirs.text().to_owned()));
            }
        }
    }
    if pairs.is_empty() {
        return;
    }
    assert!(pairs.len() > 300, "{}", pairs.len());
    let Some(answer) = oracles::ask("rouge.py", &json!(pairs)) else {
        return;
    };
    for ((ours, theirs), expected) in pairs.iter().zip(answer.as_array().unwrap()) {
        let found = rouge_l(ours, theirs);
        for (found, at) in [(found.precision, 0), (found.recall, 1), (found.f1, 2)] {
            let expected = expected[at].as_f64().unwrap();
            assert!(
                (found - expected).abs() < 1e-12,
                "{ours:?} {theirs:?}: {found} {expected}"
            );
        }
    }
}
