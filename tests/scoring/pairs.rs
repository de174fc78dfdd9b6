//! Results of a document beside those of a reference.

use reprise::scoring::fields::document::RegistrationFields;
use reprise::scoring::fields::score::{DocumentScore, compare};
use serde_json::{Value, json};

fn scored(document: &[Value], reference: &[Value]) -> DocumentScore {
    let read =
        |results: &[Value]| RegistrationFields::read(&json!({"results": {"numerical_results": results}}));
    compare(&read(document), &read(reference))
}

#[test]
fn one_result_stands_for_one_of_the_references_only() {
    let row = |name: &str| json!({"outcome_name": name, "value": 0.5});
    let both = [row("trust in others"), row("trust in courts")];
    let found = scored(&[row("trust in others")], &both);
    assert_eq!(
        (found.paired.as_slice(), found.unpaired),
        (&[Some(0), None][..], 0)
    );
    let name = |at: usize| format!("results.numerical_results[{at}].outcome_name");
    let score = |path: &str| {
        found
            .fields
            .iter()
            .find(|field| field.path == path)
            .unwrap()
            .score
    };
    assert_eq!((score(&name(0)), score(&name(1))), (1.0, 0.0));
    assert_eq!(scored(&both, &both[..1]).unpaired, 1);
}

#[test]
fn what_only_one_of_the_two_states_scores_nothing() {
    let stated = json!({"outcome_name": "trust", "value": 0.5});
    let silent = json!({"outcome_name": "trust", "value": "not stated"});
    for (document, reference) in [(&stated, &silent), (&silent, &stated)] {
        let found = scored(std::slice::from_ref(document), std::slice::from_ref(reference));
        let path = "results.numerical_results[0].value";
        let value = found.fields.iter().find(|field| field.path == path).unwrap();
        assert_eq!((value.score, value.overlap, value.same_number), (0.0, None, None));
    }
}
