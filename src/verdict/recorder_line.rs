//! The line that the recorder printed of a result, compared with the results file.

use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;

use super::trace::Output;

/// What the recorder begins its lines with.
const MARK: &str = "reprise: ";
/// The recorder prints six digits.
const ROUNDING: f64 = 1e-5;

/// Estimate and standard error of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PrintedFigures {
    estimate: f64,
    error: Option<f64>,
}

impl PrintedFigures {
    /// The figures of a term's line, such as `reprise: dose (C(dose)[T.2]) estimate 0.41 se 0.12 ...`.
    fn from_line(line: &str, term: &str) -> Option<Self> {
        let rest = line.strip_prefix(MARK)?.strip_prefix(term)?;
        // The term ends where the coefficient's own name or the estimate follows.
        if !rest.starts_with(" (") && !rest.starts_with(" estimate ") {
            return None;
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        let after = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        Some(Self {
            estimate: after("estimate")?,
            error: after("se"),
        })
    }

    fn is_of(self, finding: &Finding) -> bool {
        let near = |printed: Option<f64>, recorded: Option<f64>| match (printed, recorded) {
            (Some(printed), Some(recorded)) => (printed - recorded).abs() <= ROUNDING * printed.abs(),
            _ => true,
        };
        near(Some(self.estimate), finding.estimate) && near(self.error, finding.standard_error)
    }
}

/// A recorded result that differs from every line that the recorder printed of its term: the
/// results file was changed after the recorder had written it.
pub fn doubt(finding: &Finding, outputs: &Output) -> Option<Doubt> {
    let term = finding.name.as_str();
    let mut printed = outputs
        .lines()
        .filter_map(|line| Some((line, PrintedFigures::from_line(&line.text, term)?)))
        .peekable();
    let (line, _) = *printed.peek()?;
    if printed.any(|(_, figures)| figures.is_of(finding)) {
        return None;
    }
    Some(Doubt::deciding(
        DoubtCause::Report,
        format!(
            "The recorder printed other figures of `{term}` than the results file has ({}, line {}: `{}`).",
            line.execution, line.line, line.text
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::ExecutionId;

    #[test]
    fn a_record_that_was_changed_after_it_was_printed_decides() {
        let mut outputs = Output::default();
        outputs.add(
            ExecutionId(1),
            "rows 573\nreprise: reminder (reminder[T.yes]) estimate 0.334812 se 0.0639001 z 5.24 p 1.6e-07 n 573\n\
             reprise: age of entry estimate 2 se 1 n 573\n",
        );
        let of = |name: &str, estimate: f64, error: f64| {
            let finding = Finding {
                name: name.to_owned(),
                estimate: Some(estimate),
                standard_error: Some(error),
                ..Finding::default()
            };
            doubt(&finding, &outputs)
        };
        assert_eq!(of("reminder", 0.334_812_3, 0.063_900_12), None, "as printed");
        assert!(of("reminder", 0.334_812_3, 0.0463).unwrap().decides);
        assert!(of("reminder", 0.3349, 0.063_900_12).unwrap().decides);
        assert_eq!(of("age", 9.0, 9.0), None, "not printed by the recorder");
    }
}
