//! Header lines of tables whose columns are set apart by spaces.

use super::alignment::ColumnSpan;
use super::label::{Label, Meaning};
use super::meaning::classify;
use super::number;
use super::source_line::{Token, tokens};
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::scale::Scale;

/// One column of a header line and the display columns of its label.
#[derive(Debug, Clone, PartialEq)]
pub struct HeaderColumn {
    pub text: String,
    pub label: Label,
    pub start: usize,
    pub end: usize,
}

/// Labels of more than one word, the longer first.
static SEVERAL_WORDS: LazyRegex = LazyRegex::new(
    r"(?ix)^(
          \[\s?\d+(\.\d+)?\s?%\s+(conf\.?|cred\.?|confidence|credible)\s+(interval|int\.?)\s?\]
        | (coef|exp\(coef\))\s+(lower|upper)\s+\d+% | (lower|upper)\s+0?\.\d+ | \d+(\.\d+)?\s%
        | (robust|boot(strap)?\.?|clustered|delta-method|linearized)?\s?(std|standard)\.?\s(error|errors|err)\b\.?
        | (robust|clustered)\s(se|s\.e\.)
        | (observed|obs\.?)\s(coef\.?|coefficient)
        | (t|z|f|p)[\s-](value|stat\.?|statistic|ratio|adj)\b | mean\sdiff(erence|\.)? | (sum|mean)\sSq
        | (odds|haz\.|hazard|risk|rate|incidence-rate)\sratio | rel\.\srisk
        | p\s?>\s?\|\s?[tz]\s?\| | pr\(>\s?\|[tz]\|\) | pr\s>\s\|?[tzF]\|?
        | (lr|wald)\s(chisq|chi2|chi-square) | (num|den)\s?df | res(id)?\.?\s(df|dev) | sum\sof\s(sq|squares)
        | (lower|upper|low|high)\s(ci|cl|bound|limit) | ci\s(lower|upper|low|high|lo|hi)
        | \d+%\s?ci(\s(lower|upper|low|high))? | dep(endent|\.)\s(variable|var\.?) | std\.?\s(dev|deviation)\b\.?
        | no\.?\sobs(ervations|\.)? | degrees\sof\sfreedom | sig\.\s\([12]-tailed\)
        )",
);

/// The columns of a header line, or nothing where the line names no result.
pub fn columns(line: &str) -> Option<Vec<HeaderColumn>> {
    any_columns(line).filter(|found| found.iter().any(|column| column.label.is_result()))
}

/// The columns of a line that is known to be a header.
pub fn any_columns(line: &str) -> Option<Vec<HeaderColumn>> {
    if line.len() > 2_000 {
        return None;
    }
    let words = tokens(line);
    let mut found: Vec<HeaderColumn> = Vec::new();
    for phrase in phrases(&words) {
        push_phrase(phrase, &mut found);
    }
    resolve(&mut found);
    (!found.is_empty()).then_some(found)
}

/// Words joined by one space.
fn phrases(words: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut first = 0;
    for (index, pair) in words.windows(2).enumerate() {
        if pair[1].start > pair[0].end + 1 {
            found.push(&words[first..=index]);
            first = index + 1;
        }
    }
    if first < words.len() {
        found.push(&words[first..]);
    }
    found
}

fn join(words: &[Token]) -> String {
    words
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<&str>>()
        .join(" ")
}

fn push_phrase(phrase: &[Token], found: &mut Vec<HeaderColumn>) {
    let whole = join(phrase);
    let whole_label = classify(&whole);
    if whole_label.is_known() || phrase.len() == 1 {
        push(phrase, whole, whole_label, found);
        return;
    }
    let mut rest = phrase;
    while !rest.is_empty() {
        let text = join(rest);
        let taken = SEVERAL_WORDS
            .find(&text)
            .map_or(1, |label| words_within(rest, label.end()));
        let (label_words, tail) = rest.split_at(taken);
        let label_text = join(label_words);
        let label = classify(&label_text);
        push(label_words, label_text, label, found);
        rest = tail;
    }
}

/// The number of words that the first `bytes` bytes of the joined words cover.
fn words_within(words: &[Token], bytes: usize) -> usize {
    let mut length = 0;
    for (index, word) in words.iter().enumerate() {
        length += word.text.len() + usize::from(index > 0);
        if length >= bytes {
            // A match that ends inside a word is not a label.
            return if length == bytes { index + 1 } else { 1 };
        }
    }
    words.len()
}

fn push(words: &[Token], text: String, label: Label, found: &mut Vec<HeaderColumn>) {
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        found.push(HeaderColumn {
            text,
            label,
            start: first.start,
            end: last.end,
        });
    }
}

/// Labels that mean another thing beside certain others.
pub fn resolve(columns: &mut [HeaderColumn]) {
    let mut labels: Vec<Label> = columns.iter().map(|column| column.label).collect();
    let texts: Vec<String> = columns.iter().map(|column| column.text.to_lowercase()).collect();
    resolve_labels(&texts, &mut labels);
    for (column, label) in columns.iter_mut().zip(labels) {
        column.label = label;
    }
}

/// The rule of [`resolve`], for labels of any table.
pub fn resolve_labels(texts: &[String], labels: &mut [Label]) {
    let unknown = Label {
        meaning: Meaning::Unknown,
        level: None,
        of_ratio: None,
    };
    let is_plain = |label: &Label| label.meaning == Meaning::Estimate(None);
    let has_error = labels.iter().any(|label| label.meaning == Meaning::StandardError);
    let plain: Vec<usize> = (0..labels.len())
        .filter(|index| is_plain(&labels[*index]))
        .collect();
    let named = |index: usize, name: &str| texts.get(index).is_some_and(|text| text.trim() == name);
    // linearmodels heads its estimates 'Parameter'.
    let parameter = (0..labels.len()).find(|index| named(*index, "parameter"));
    if let Some(index) = parameter.filter(|_| plain.is_empty() && has_error) {
        labels[index].meaning = Meaning::Estimate(None);
        return;
    }
    match plain.as_slice() {
        // 'Coefficient' before 'Estimate' heads the names.
        [first, second] if *first == 0 && *second == 1 && !named(1, "beta") => {
            labels[0].meaning = Meaning::Term;
        }
        [_, second] if named(*second, "beta") => {
            labels[*second].meaning = Meaning::Estimate(Some(Scale::Standardized));
        }
        // 'Value' is an estimate only beside a standard error.
        [only] if named(*only, "value") && !has_error => labels[*only] = unknown,
        [_, _, ..] => {
            for index in plain {
                if named(index, "value") {
                    labels[index] = unknown;
                }
            }
        }
        [] => {
            let effect = (0..labels.len()).find(|index| *index > 0 && named(*index, "effect"));
            if let Some(index) = effect.filter(|_| has_error) {
                labels[index].meaning = Meaning::Estimate(None);
            }
        }
        [_] => {}
    }
}

/// Whether a column label is itself a number, as in a row of values.
pub fn has_numbers(columns: &[HeaderColumn]) -> bool {
    columns
        .iter()
        .any(|column| !column.label.is_known() && number::parse(&column.text).is_some())
}

/// The display columns of each label; the label of two bounds covers both.
pub fn value_spans(columns: &[HeaderColumn]) -> Vec<ColumnSpan> {
    columns
        .iter()
        .flat_map(|column| {
            let middle = usize::midpoint(column.start, column.end);
            match column.label.meaning {
                Meaning::Bounds => vec![
                    ColumnSpan {
                        start: column.start,
                        end: middle,
                    },
                    ColumnSpan {
                        start: middle,
                        end: column.end,
                    },
                ],
                _ => vec![ColumnSpan {
                    start: column.start,
                    end: column.end,
                }],
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        columns(line)
            .unwrap_or_default()
            .into_iter()
            .map(|column| column.text)
            .collect()
    }

    #[test]
    fn labels_of_several_words_stay_together() {
        assert_eq!(
            texts("            Estimate Std. Error t value Pr(>|t|)    "),
            ["Estimate", "Std. Error", "t value", "Pr(>|t|)"]
        );
        assert_eq!(
            texts("  Coefficient  Std. err.      t    P>|t|     [95% conf. interval]"),
            ["Coefficient", "Std. err.", "t", "P>|t|", "[95% conf. interval]"]
        );
        assert_eq!(
            texts("          Df Sum Sq Mean Sq F value    Pr(>F)"),
            ["Df", "Sum Sq", "Mean Sq", "F value", "Pr(>F)"]
        );
        assert_eq!(texts("   OR     2.5 %   97.5 %"), ["OR", "2.5 %", "97.5 %"]);
        assert_eq!(texts("  exp(coef) exp(-coef) lower .95 upper .95").len(), 4);
        assert!(texts("Call: lm of y").is_empty());
    }

    #[test]
    fn a_label_is_read_beside_the_others() {
        let of = |line: &str| {
            columns(line)
                .unwrap()
                .iter()
                .map(|column| column.label.meaning)
                .collect::<Vec<_>>()
        };
        assert_eq!(of("Parameter  Std. Err.  T-stat")[0], Meaning::Estimate(None));
        assert_eq!(of("parameter  estimate  p")[0], Meaning::Term);
        assert_eq!(of("Coefficient  Estimate  SE")[0], Meaning::Term);
        assert_eq!(of("name  value  p")[1], Meaning::Unknown);
    }
}
