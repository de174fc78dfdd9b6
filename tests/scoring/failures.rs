use std::collections::BTreeMap;

use reprise::scoring::failures::Breakdown;
use reprise::scoring::released::failures::read_log;
use serde_json::{Value, json};

use crate::oracles;
use crate::shared::{files_named, released};

#[test]
fn released_logs_are_counted_as_by_an_independent_reader() {
    let Some(root) = released() else { return };
    let names = [
        "execute_easy__python.log",
        "design_easy__python.log",
        "interpret_easy.log",
    ];
    let paths: Vec<_> = (names.iter())
        .flat_map(|name| files_named(&root.join("results"), name))
        .collect();
    let Some(answer) = oracles::ask("failures.py", &json!(paths)) else {
        return;
    };
    let mut total = 0;
    for (path, expected) in paths.iter().zip(answer.as_array().unwrap()) {
        let log = String::from_utf8_lossy(&std::fs::read(path).unwrap()).replace('\u{fffd}', "");
        let counts = Breakdown::count(read_log(&log).into_iter().map(|error| error.cause)).by_cause;
        let found: BTreeMap<String, u64> = (counts.iter())
            .map(|(cause, count)| {
                (
                    serde_json::to_value(cause).unwrap().as_str().unwrap().to_owned(),
                    *count,
                )
            })
            .collect();
        total += found.values().sum::<u64>();
        assert_eq!(
            serde_json::to_value(&found).unwrap(),
            sorted(expected),
            "{}",
            path.display()
        );
    }
    println!("{total} errors in {} logs", paths.len());
    assert!(total > 0);
}

fn sorted(counts: &Value) -> Value {
    let members: BTreeMap<_, _> = counts.as_object().unwrap().iter().collect();
    serde_json::to_value(members).unwrap()
}
