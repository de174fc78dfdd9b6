//! The focal number as it stands in code.

use crate::domain::bare_number::{NumberForm, significant_digits};
use crate::domain::finding::{Finding, Relation};
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::plan::Interpreter;
use crate::verdict::trace::WrittenNumber;

/// Significant digits that give an estimate away alone, and beside another figure.
const ALONE: usize = 4;
const BESIDE: usize = 3;

static NUMBER: LazyRegex = LazyRegex::new(r"[-+\u{2212}]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?");

/// A literal in a code file that is the focal number, with its line: four digits of
/// it, or three where another of the finding's figures stands there, too.
///
/// The focal number is the estimate; where there is none, the statistic, then the
/// p-value. These two are often whole, or constants such as 0.05, so that they count
/// only as fractions of three digits, and a p-value only where it is no bound.
pub fn find(code: &str, language: Interpreter, finding: &Finding) -> Option<String> {
    let mut literals = literals(code, language);
    let error = finding.standard_error;
    let statistic = finding.statistic.as_ref().map(|statistic| statistic.value);
    let p_value = finding.p_value.map(|p| p.value);
    if let Some(estimate) = finding.estimate.filter(|estimate| *estimate != 0.0) {
        return stands(&literals, estimate, &[error, statistic, p_value]);
    }
    literals.retain(|literal| literal.text.contains('.'));
    let exact = finding.p_value.filter(|p| p.relation == Relation::Equal);
    let of_statistic = statistic
        .filter(|value| is_telling(*value))
        .and_then(|value| stands(&literals, value, &[error, p_value]));
    of_statistic.or_else(|| {
        let value = exact.map(|p| p.value).filter(|value| is_telling(*value))?;
        stands(&literals, value, &[error, statistic])
    })
}

/// The literal that is `number`, where its digits or one of `others` beside it tell.
fn stands(literals: &[Literal], number: f64, others: &[Option<f64>]) -> Option<String> {
    let best = literals
        .iter()
        .filter(|literal| significant_digits(&literal.text) >= BESIDE && literal.is(number))
        .max_by_key(|literal| significant_digits(&literal.text))?;
    let beside = || {
        others.iter().flatten().any(|other| {
            literals.iter().any(|literal| {
                significant_digits(&literal.text) >= 2 && literal.is(*other) && literal.at != best.at
            })
        })
    };
    (significant_digits(&best.text) >= ALONE || beside())
        .then(|| format!("`{}` in line {}", best.text, best.line))
}

/// Whether a number is a fraction with at least three significant digits.
fn is_telling(number: f64) -> bool {
    number.fract() != 0.0 && significant_digits(&format!("{number:e}")) >= BESIDE
}

/// A number in code.
struct Literal {
    text: String,
    written: WrittenNumber,
    line: usize,
    /// Byte offset.
    at: usize,
}

impl Literal {
    /// Whether it is a number at its own precision. A sign before it may be an operator.
    fn is(&self, number: f64) -> bool {
        self.written.is_of(number) || self.written.is_of(-number)
    }
}

fn literals(code: &str, language: Interpreter) -> Vec<Literal> {
    let bare = without_comments(code, language);
    let mut line = 1;
    let mut counted = 0;
    let mut found = Vec::new();
    for number in NUMBER.find_iter(&bare) {
        line += bare[counted..number.start()].matches('\n').count();
        counted = number.start();
        let named = bare[..number.start()]
            .chars()
            .next_back()
            .is_some_and(|before| before.is_alphanumeric() || before == '_' || before == '.');
        let text = number.as_str();
        if let Some(written) = WrittenNumber::parse(text, NumberForm::Plain).filter(|_| !named) {
            found.push(Literal {
                text: text.to_owned(),
                written,
                line,
                at: number.start(),
            });
        }
    }
    found
}

/// The code with blanks in place of its comments; strings stay.
fn without_comments(code: &str, language: Interpreter) -> String {
    let mut bare = String::with_capacity(code.len());
    let mut rest = code;
    let mut quote: Option<char> = None;
    let mut line_start = true;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        if let Some(open) = quote {
            bare.push(letter);
            rest = after;
            if letter == '\\' && !matches!(language, Interpreter::Stata | Interpreter::Spss) {
                if let Some(escaped) = rest.chars().next() {
                    bare.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                }
            } else if letter == open || letter == '\n' {
                quote = None;
                line_start = letter == '\n';
            }
            continue;
        }
        if let Some(end) = comment(rest, line_start, language) {
            bare.extend(
                rest[..end]
                    .chars()
                    .map(|one| if one == '\n' { '\n' } else { ' ' }),
            );
            rest = &rest[end..];
            continue;
        }
        if matches!(letter, '"' | '\'') {
            quote = Some(letter);
        }
        line_start = letter == '\n' || (line_start && letter.is_whitespace());
        bare.push(letter);
        rest = after;
    }
    bare
}

/// The length of the comment that the text begins with.
fn comment(text: &str, line_start: bool, language: Interpreter) -> Option<usize> {
    let to_line_end = || text.find('\n').unwrap_or(text.len());
    let block = || {
        text.starts_with("/*")
            .then(|| text.find("*/").map_or(text.len(), |end| end + 2))
    };
    match language {
        Interpreter::Python | Interpreter::R | Interpreter::RMarkdown | Interpreter::Shell => {
            text.starts_with('#').then(to_line_end)
        }
        Interpreter::Stata => block()
            .or_else(|| (text.starts_with("//") || (line_start && text.starts_with('*'))).then(to_line_end)),
        Interpreter::Spss => block().or_else(|| (line_start && text.starts_with('*')).then(to_line_end)),
        Interpreter::Matlab => text.starts_with('%').then(to_line_end),
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::PValue;
    use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};

    use super::*;

    fn focal(estimate: f64, error: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            standard_error: Some(error),
            ..Finding::default()
        }
    }

    #[test]
    fn four_digits_alone_or_three_beside_another_figure() {
        let found = |code: &str| find(code, Interpreter::Python, &focal(-0.80123, 0.2041));
        assert!(found("b = -0.8012\n").is_some());
        assert!(found("print(f'x estimate -0.8012')").is_some());
        assert!(found("b = float('-0.80123')").is_some());
        assert_eq!(
            found("a = 1\nb = -0.801\nse = 0.204\n").unwrap(),
            "`-0.801` in line 2"
        );
        assert_eq!(found("b = -0.801\n"), None);
        assert_eq!(found("b = -0.8\nse = 0.2\n"), None);
        assert_eq!(found("b = 0.9012\n"), None);
    }

    #[test]
    fn comments_and_names_do_not_count() {
        let focal = focal(1.2345, 0.5);
        let found = |code: &str, language| find(code, language, &focal).is_some();
        assert!(!found("x = 1  # paper: 1.2345\n", Interpreter::Python));
        assert!(found("x = '# 1.2345'\n", Interpreter::Python));
        assert!(!found(
            "* 1.2345\ngen x = 2 // 1.2345\n/* 1.2345\n1.2345 */\n",
            Interpreter::Stata
        ));
        assert!(found("gen x = 1.2345\n", Interpreter::Stata));
        assert!(!found("x1.2345 <- 3\n", Interpreter::R));
        assert!(!found("% 1.2345\n", Interpreter::Matlab));
    }

    fn tested(statistic: Option<f64>, p_value: Option<(Relation, f64)>) -> Finding {
        Finding {
            statistic: statistic.map(|value| Statistic {
                kind: StatisticKind::F,
                value,
                df: DegreesOfFreedom::two(1.0, 98.0),
            }),
            p_value: p_value.map(|(relation, value)| PValue { relation, value }),
            ..Finding::default()
        }
    }

    #[test]
    fn a_statistic_stands_for_an_estimate_that_is_not_there() {
        let found = |code: &str, value, p| find(code, Interpreter::Python, &tested(Some(value), p));
        assert_eq!(
            found("n = 98\nf = 7.7034\n", 7.7034, None).unwrap(),
            "`7.7034` in line 2"
        );
        assert_eq!(found("f = 7.70\n", 7.7034, None), None);
        let p_value = Some((Relation::Equal, 0.00661));
        assert!(found("f, p = 7.70, 0.0066\n", 7.7034, p_value).is_some());
        // The same figure twice is not another one beside it.
        assert_eq!(found("f = 7.70\ng = 7.70\n", 7.7034, None), None);
        assert_eq!(found("k = 4\nf = 4.000\n", 4.0, None), None);
        assert_eq!(found("n = 1200\n", 1200.0, None), None);
        assert_eq!(found("n = 1200\n", 1200.4, None), None);
        assert_eq!(found("f = 2.5000\n", 2.5, None), None);
    }

    #[test]
    fn a_p_value_stands_for_both_where_it_is_no_common_constant() {
        let found = |code: &str, p| find(code, Interpreter::R, &tested(None, Some(p)));
        assert!(found("p <- 0.006612\n", (Relation::Equal, 0.006612)).is_some());
        for constant in [0.05, 0.001, 0.5] {
            let code = format!("alpha <- {constant}\nbeta <- {constant:.6}\n");
            assert_eq!(found(&code, (Relation::Equal, constant)), None, "{constant}");
        }
        assert_eq!(found("p <- 0.006612\n", (Relation::Less, 0.006612)), None);
        let both = tested(Some(4.0), Some((Relation::Equal, 0.006612)));
        assert!(find("p <- 0.006612\n", Interpreter::R, &both).is_some());
    }

    #[test]
    fn an_estimate_that_is_there_is_the_one_that_is_looked_for() {
        let finding = Finding {
            estimate: Some(-0.80123),
            ..tested(Some(7.7034), None)
        };
        assert_eq!(find("f = 7.7034\n", Interpreter::Python, &finding), None);
    }
}
