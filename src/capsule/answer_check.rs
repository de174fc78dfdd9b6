//! Answers against what their agent was shown, which says nothing of whether they are right.

use serde_json::{Number, Value};

use super::submission;
use crate::domain::bare_number::decimals;
use crate::domain::format;
use crate::domain::lazy_regex::LazyRegex;

/// A number as programs print it, with commas between thousands or without.
static NUMBER: LazyRegex =
    LazyRegex::new(r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?");

/// The difference that the same number may have after it was written in another way, by its size.
const SAME: f64 = 1e-12;

/// The numbers of all that an agent was shown, without their signs: programs print minus signs of
/// several kinds.
#[derive(Debug, Clone, Default)]
pub struct ShownNumbers {
    values: Vec<f64>,
}

impl ShownNumbers {
    /// Adds the numbers of a text.
    pub fn read(&mut self, text: &str) {
        let found = NUMBER.find_iter(text);
        let values = found.filter_map(|found| found.as_str().replace(',', "").parse::<f64>().ok());
        self.values.extend(values.filter(|value| value.is_finite()));
    }

    fn standing(&self, value: f64) -> NumberStanding {
        let value = value.abs();
        let is_same = |shown: f64, other: f64| (shown - other).abs() <= SAME * shown.max(other);
        // A share is asked for in percent, or the other way about.
        let forms = [value, value * 100.0, value / 100.0];
        if (self.values.iter()).any(|shown| forms.iter().any(|form| is_same(*shown, *form))) {
            return NumberStanding::Shown;
        }
        let unit = 10_f64.powi(-i32::try_from(decimals(value)).unwrap_or(0));
        let longer = (self.values.iter()).find(|shown| {
            (**shown - value).abs() <= unit / 2.0 && decimals(**shown) > decimals(value) && value != 0.0
        });
        match longer {
            Some(longer) => NumberStanding::Rounded(*longer),
            None => NumberStanding::Unseen,
        }
    }
}

/// The standing of a number among those that were shown.
#[derive(Debug, Clone, Copy, PartialEq)]
enum NumberStanding {
    Shown,
    /// It is this one with fewer digits.
    Rounded(f64),
    Unseen,
}

/// The looks of an agent at pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// Nobody could have looked.
    Impossible,
    /// So many were answered.
    Answered(usize),
}

/// What is to be mended in answers, a sentence each: their form, numbers that nothing printed or that
/// were rounded, percent signs, and figures that nobody looked at.
pub fn faults(questions: &[String], answers: &Value, shown: &ShownNumbers, looks: Looks) -> Vec<String> {
    let mut faults = submission::faults(questions, answers);
    let Some(members) = answers.as_object() else {
        return faults;
    };
    for question in questions {
        if let Some(answer) = members.get(question) {
            faults.extend(fault(question, answer, shown));
        }
    }
    let figures: Vec<&String> = questions
        .iter()
        .filter(|question| is_about_figure(question))
        .collect();
    if looks == Looks::Answered(0) && !figures.is_empty() {
        faults.push(format!(
            "{} of the questions {} about a figure, and no picture was looked at: put the question to `look_at_image`.",
            figures.len(),
            format::plural(figures.len(), "is", "are")
        ));
    }
    faults
}

/// Whether a question is about a figure, by CORE-Bench's convention.
fn is_about_figure(question: &str) -> bool {
    question.contains("fig")
}

fn fault(question: &str, answer: &Value, shown: &ShownNumbers) -> Option<String> {
    let numbers: Vec<&Number> = match answer {
        Value::Number(number) => vec![number],
        Value::Array(items) => items
            .iter()
            .filter_map(|item| match item {
                Value::Number(number) => Some(number),
                _ => None,
            })
            .collect(),
        Value::String(text) if text.trim_end().ends_with('%') => {
            return Some(format!(
                "The answer to {} ends with a percent sign: give the number alone.",
                submission::quoted(question)
            ));
        }
        _ => Vec::new(),
    };
    numbers.into_iter().find_map(|number| {
        let question = submission::quoted(question);
        match shown.standing(number.as_f64()?) {
            NumberStanding::Shown => None,
            NumberStanding::Rounded(longer) => Some(format!(
                "The answer to {question} is {number}, and {longer} was printed: give all its digits."
            )),
            NumberStanding::Unseen => Some(format!(
                "The answer to {question} is {number}, which stands in nothing that was printed or seen in this \
                 session: let the code print it, or work it out in the shell."
            )),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(answer: Value, printed: &str, looks: Looks) -> Vec<String> {
        let mut shown = ShownNumbers::default();
        shown.read(printed);
        let questions = ["fig Report it.".to_owned()];
        faults(&questions, &json!({ "fig Report it.": answer }), &shown, looks)
    }

    #[test]
    fn a_number_stands_as_it_was_printed() {
        let looked = Looks::Answered(1);
        for (answer, printed) in [
            (json!(0.957), "p = 0.957\n"),
            (json!(-0.5), "b \u{2212}0.50"),
            (json!(96.3), "accuracy: 0.963"),
            (json!(0.963), "96.3%"),
            (json!(1234567), "n=1,234,567 rows"),
            (json!(1e-5), "p: 1e-05"),
            (json!([3, 4]), "3 and 4"),
            (json!("blue"), ""),
            (json!(true), ""),
        ] {
            assert_eq!(
                said(answer.clone(), printed, looked),
                Vec::<String>::new(),
                "{answer}"
            );
        }
        for (answer, printed, words) in [
            (
                json!(0.96),
                "p = 0.957\n",
                "0.957 was printed: give all its digits",
            ),
            (json!(3), "3.14159", "3.14159 was printed"),
            (json!(0.95), "p = 0.957\n", "stands in nothing that was printed"),
            (json!([3, 5]), "3 and 4", "is 5, which stands in nothing"),
            (json!("96.3 %"), "96.3", "ends with a percent sign"),
            (json!(null), "", "is null"),
        ] {
            let faults = said(answer.clone(), printed, looked);
            assert!(
                faults.len() == 1 && faults[0].contains(words),
                "{answer}: {faults:?}"
            );
        }
    }

    #[test]
    fn a_figure_is_looked_at_where_that_can_be() {
        assert_eq!(said(json!("blue"), "", Looks::Impossible), Vec::<String>::new());
        assert_eq!(said(json!("blue"), "", Looks::Answered(2)), Vec::<String>::new());
        let faults = said(json!("blue"), "", Looks::Answered(0));
        assert!(
            faults.len() == 1 && faults[0].contains("no picture was looked at"),
            "{faults:?}"
        );
    }
}
