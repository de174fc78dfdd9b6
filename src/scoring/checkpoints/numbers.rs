//! Whether reported numbers occur in an output.

use serde_json::Value;

/// Most numbers of an output that are kept.
const MAX_NUMBERS: usize = 500_000;

/// The numbers of a text, sorted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Numbers(Vec<f64>);

/// A reported number: its text, its value and its decimals.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    pub text: String,
    value: f64,
    /// Half a unit of the last digit given.
    tolerance: f64,
}

impl Numbers {
    /// Collects the numbers of a text, `−` read as a minus.
    pub fn of(text: &str) -> Self {
        let mut found = Vec::new();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E' | '\u{2212}');
        for word in text.split(|c: char| !is_part(c)) {
            if found.len() == MAX_NUMBERS {
                break;
            }
            if !word.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let word = word.replace('\u{2212}', "-");
            let word = word
                .trim_end_matches(|c: char| !c.is_ascii_digit() && c != '.')
                .trim_end_matches('.');
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => found.push(number),
                // Ranges and dates, such as `0.1-0.3`: each part on its own.
                _ => found.extend(
                    word.split('-')
                        .filter_map(|part| part.parse::<f64>().ok())
                        .filter(|n| n.is_finite()),
                ),
            }
        }
        found.sort_by(f64::total_cmp);
        Self(found)
    }

    /// Whether some number rounds to the reported one.
    pub fn hold(&self, reported: &Reported) -> bool {
        let slack = reported.tolerance * (1.0 + 1e-9) + reported.value.abs() * 1e-12;
        let from = self.0.partition_point(|number| *number < reported.value - slack);
        self.0
            .get(from)
            .is_some_and(|number| *number <= reported.value + slack)
    }
}

/// The numbers of an execution report's findings: value, standard error,
/// p-value, effect size and interval bounds. Bounds such as `< 0.001` are no
/// numbers of the output and are left out.
pub fn reported(report: &Value) -> Vec<Reported> {
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

fn gather(value: &Value, numbers: &mut Vec<Reported>) {
    match value {
        Value::Number(number) => numbers.extend(parse(&number.to_string())),
        Value::String(text) => {
            let text = text
                .trim()
                .trim_start_matches(['[', '('])
                .trim_end_matches([']', ')']);
            let separator = if text.contains(';') { ';' } else { ',' };
            let parts: Vec<_> = text.split(separator).map(|part| parse(part.trim())).collect();
            if parts.iter().all(Option::is_some) {
                numbers.extend(parts.into_iter().flatten());
            } else {
                // `-0.558 (0.276 vs 0.834)` means its first number; prose that only
                // mentions numbers says too little of which is meant.
                numbers.extend(text.split(" (").next().and_then(parse));
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

fn parse(text: &str) -> Option<Reported> {
    let plain = text.replace('\u{2212}', "-");
    let plain = plain.trim_start_matches('+');
    let value: f64 = plain.parse().ok().filter(|value: &f64| value.is_finite())?;
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((plain, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
    let exponent: i32 = exponent.parse().ok()?;
    let places = exponent.checked_sub(i32::try_from(decimals).ok()?)?;
    Some(Reported {
        text: text.to_owned(),
        value,
        tolerance: 0.5 * 10_f64.powi(places),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rounded_number_is_found_and_an_invented_one_is_not() {
        let output = Numbers::of("coef: −0.08253 (se=0.0123), p = 1.743e-16; N=10,071 CI [0.1-0.3], d=0.5.");
        let held = |value: &Value| {
            let mut numbers = Vec::new();
            gather(value, &mut numbers);
            numbers
                .iter()
                .map(|number| output.hold(number))
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
        assert!(Numbers::of("e-. +- 1e999 --5").0 == [5.0]);
    }
}
