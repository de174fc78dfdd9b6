//! Token counts, as servers write them.

use serde_json::Value;

/// Most tokens that one call can take; whoever counts more has not counted.
const MOST: u64 = 100_000_000;

/// The first count found at one of the JSON pointers, or 0.
pub fn tokens(document: &Value, pointers: &[&str]) -> u64 {
    counted(document, pointers).unwrap_or(0)
}

/// The first count found at one of the JSON pointers. What is negative, broken or beyond
/// reason is none.
pub fn counted(document: &Value, pointers: &[&str]) -> Option<u64> {
    pointers
        .iter()
        .find_map(|pointer| count(document.pointer(pointer)?))
}

fn count(value: &Value) -> Option<u64> {
    let whole = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        // Some gateways write whole numbers as floats.
        let is_whole = number.fract() == 0.0 && (0.0..=MOST as f64).contains(&number);
        is_whole.then_some(number as u64)
    })?;
    (whole <= MOST).then_some(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_no_call_can_take_is_no_count() {
        for (written, count) in [
            (json!(12), Some(12)),
            (json!(12.0), Some(12)),
            (json!(0), Some(0)),
            (json!(12.5), None),
            (json!(-3), None),
            (json!(1e30), None),
            (json!(u64::MAX), None),
            (json!(MOST + 1), None),
            (json!("12"), None),
            (json!(null), None),
        ] {
            assert_eq!(counted(&json!({ "n": written }), &["/n"]), count, "{written}");
        }
    }
}
