//! Token counts, as servers write them.

use serde_json::Value;

/// The first count found at one of the JSON pointers, or 0.
pub fn tokens(document: &Value, pointers: &[&str]) -> u64 {
    pointers
        .iter()
        .find_map(|pointer| count(document.pointer(pointer)?))
        .unwrap_or(0)
}

fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        // Some gateways write whole numbers as floats; more than this is no count.
        (0.0..=1e15).contains(&number).then_some(number as u64)
    })
}
