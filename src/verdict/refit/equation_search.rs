//! The one equation of a plan's text.

use super::equation::{Equation, NoEquation};
use super::equation_reader::{Reader, definitions};
use super::equation_tokens::{Token, tokens};

/// An equation with what its text says before and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEquation<'a> {
    pub equation: Equation,
    pub before: &'a str,
    pub after: &'a str,
}

/// Reads the one equation of a text, such as `Logit: y ~ a + b, errors clustered by c`.
///
/// # Errors
/// Why there is none that can be fitted.
pub fn find<'a>(text: &'a str, is_column: &dyn Fn(&str) -> bool) -> Result<FoundEquation<'a>, NoEquation> {
    let placed = tokens(text);
    let defined = definitions(&placed, is_column);
    let marks = |sign: char| {
        let all = placed.iter().enumerate();
        all.filter(move |(_, one)| one.token == Token::Sign(sign))
            .map(|(at, _)| at)
            .collect::<Vec<usize>>()
    };
    let (tildes, equals) = (marks('~'), marks('='));
    let candidates = if tildes.is_empty() { &equals } else { &tildes };
    let mut first = NoEquation::Missing;
    for mark in candidates {
        let mut reader = Reader::new(&placed, is_column, &defined, *mark);
        match reader.equation() {
            Ok(start) => {
                let end = placed[reader.at - 1].end;
                let again = candidates.iter().any(|mark| *mark >= reader.at);
                return match again && !tildes.is_empty() {
                    true => Err(NoEquation::Several),
                    false => Ok(FoundEquation {
                        equation: reader.found,
                        before: &text[..start],
                        after: &text[end..],
                    }),
                };
            }
            Err(why) if first == NoEquation::Missing => first = why,
            Err(_) => {}
        }
    }
    Err(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::refit::equation::{Form, Term};

    const COLUMNS: [&str; 8] = [
        "wage", "school", "age", "county", "near", "father", "months", "décès",
    ];

    fn read(text: &str) -> Result<FoundEquation<'_>, NoEquation> {
        find(text, &|name| COLUMNS.contains(&name) || name == "e1")
    }

    fn names(terms: &[Term]) -> Vec<String> {
        let name = |term: &Term| term.columns().collect::<Vec<_>>().join(":");
        terms.iter().map(name).collect()
    }

    #[test]
    fn equations_of_several_notations_are_read() {
        for text in [
            "OLS: wage ~ school + age",
            "wage = b0 + b1 school + b2*age + e",
            "Logit. wage_i = β0 + β1 school_i + β2 age_i + ε_i. Two-sided.",
            "lm(wage ~ school + age, data = d)",
            "wage ~ 1 + school + age, random intercept by county",
        ] {
            let found = read(text).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(found.equation.outcome.column, "wage", "{text}");
            assert_eq!(names(&found.equation.terms), ["school", "age"], "{text}");
            assert!(found.equation.intercept, "{text}");
        }
        let found = read("Poisson: décès ~ `school` * age + C(county) - 1 (HC0)").unwrap();
        assert_eq!(
            names(&found.equation.terms),
            ["school", "age", "school:age", "county"]
        );
        assert_eq!(found.equation.terms[3].factors[0].form, Form::Factor);
        assert!(!found.equation.intercept && found.after.contains("HC0"));
    }

    #[test]
    fn bars_brackets_and_functions_are_read() {
        let found = read("feols(np.log(wage) ~ age | county | school ~ near + father)")
            .unwrap()
            .equation;
        assert_eq!(found.outcome.form, Form::Log);
        assert_eq!(names(&found.bars[0]), ["county"]);
        let (left, right) = found.instrumented.unwrap();
        assert_eq!(
            (names(&left), names(&right)),
            (
                vec!["school".to_owned()],
                vec!["near".to_owned(), "father".to_owned()]
            )
        );
        let found = read("IV: wage ~ age + [school ~ near]").unwrap().equation;
        assert!(found.instrumented.is_some() && names(&found.terms) == ["age"]);
        let found = read("Cox: Surv(months, near) ~ school + I(age^2) + (1 | county)")
            .unwrap()
            .equation;
        assert_eq!(found.event.as_deref(), Some("near"));
        assert_eq!(found.groups.as_deref(), Some("county"));
        assert_eq!(found.terms[1].factors[0].form, Form::Square);
        let found = read("IV: log_wage ~ age + [school ~ near], log_wage = log(wage)").unwrap();
        assert_eq!(
            (
                found.equation.outcome.column.as_str(),
                found.equation.outcome.form
            ),
            ("wage", Form::Log)
        );
        let found = read("wage ~ school + offset(log(age))").unwrap().equation;
        assert_eq!(found.exposure.as_deref(), Some("age"));
    }

    #[test]
    fn what_is_not_plain_is_refused_with_its_reason() {
        for (text, part) in [
            ("a logit of wage on school", "no equation"),
            ("wage ~ school; wage ~ age", "more than one"),
            ("wage ~ school + region", "`region`"),
            ("wage ~ school + age / 2", "`/`"),
            ("wage ~ poly(school, 2)", "`poly(...)`"),
            ("wage ~ school + (age | county)", "`age`"),
            ("wage ~ e1 school", "`e1`"),
            ("growth ~ school", "`growth`"),
        ] {
            let why = read(text).unwrap_err().to_string();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
