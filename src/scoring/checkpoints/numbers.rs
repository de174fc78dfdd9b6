//! The numbers that an execution report gives.

use serde_json::Value;

use crate::domain::bare_number::NumberForm;
use crate::verdict::trace::WrittenNumber;

/// The numbers of an execution report's findings: value, standard error,
/// p-value, effect size and interval bounds. Bounds such as `< 0.001` are no
/// numbers of the output and are left out.
pub fn reported(report: &Value) -> Vec<WrittenNumber> {
    let findings = report
        .pointer("/results/findings_summary")
        .and_then(Value::as_array);
    let mut numbers = Vec::new();
    for finding in findings.into_iter().flatten() {
        for key in [
            "value",
            "standard_error",
            "p_value",
            "effect_size",
            "confidence_interval",
        ] {
            if let Some(value) = finding.get(key) {
                gather(value, &mut numbers);
            }
        }
    }
    numbers
}

fn written(text: &str) -> Option<WrittenNumber> {
    WrittenNumber::parse(text, NumberForm::Plain)
}

fn gather(value: &Value, numbers: &mut Vec<WrittenNumber>) {
    match value {
        Value::Number(number) => numbers.extend(written(&number.to_string())),
        Value::String(text) => {
            let text = text
                .trim()
                .trim_start_matches(['[', '('])
                .trim_end_matches([']', ')']);
            let separator = if text.contains(';') { ';' } else { ',' };
            let parts: Vec<_> = text.split(separator).map(|part| written(part.trim())).collect();
            if parts.iter().all(Option::is_some) {
                numbers.extend(parts.into_iter().flatten());
            } else {
                // `-0.558 (0.276 vs 0.834)` means its first number; prose that only
                // mentions numbers says too little of which is meant.
                numbers.extend(text.split(" (").next().and_then(written));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, numbers)),
        Value::Object(members) => ["lower", "upper"]
            .iter()
            .filter_map(|key| members.get(*key))
            .for_each(|bound| gather(bound, numbers)),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::ids::ExecutionId;
    use crate::verdict::trace::Output;

    #[test]
    fn a_rounded_number_is_found_and_an_invented_one_is_not() {
        let mut output = Output::default();
        let text = "coef: −0.08253 (se=0.0123), p = 1.743e-16; N=10,071 CI [0.1-0.3], d=0.5.";
        output.add(ExecutionId(1), text);
        let held = |value: &Value| {
            let mut numbers = Vec::new();
            gather(value, &mut numbers);
            numbers
                .iter()
                .map(|number| output.holds(number))
                .collect::<Vec<_>>()
        };
        assert_eq!(held(&json!(-0.083)), [true]);
        assert_eq!(held(&json!(0.083)), [false]);
        assert_eq!(held(&json!("1.74e-16")), [true]);
        assert_eq!(held(&json!("[0.1, 0.30]")), [true, true]);
        assert_eq!(held(&json!({"lower": 0.5, "upper": 0.7})), [true, false]);
        assert_eq!(held(&json!("< 0.001")), Vec::<bool>::new());
        assert_eq!(held(&json!("0.5 (0.1 vs 0.7)")), [true]);
        assert_eq!(held(&json!("about 0.083")), Vec::<bool>::new());
    }

    #[test]
    fn findings_are_read_wherever_they_are() {
        let report =
            json!({"results": {"findings_summary": [{"value": 1.5, "p_value": "0.02", "direction": 7}]}});
        assert_eq!(reported(&report).len(), 2);
        assert!(reported(&json!(null)).is_empty());
    }
}
