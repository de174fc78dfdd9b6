//! A number's place in printed output, found again in another output of the same code.

use std::collections::BTreeMap;

use crate::domain::finding::Finding;
use crate::domain::number_text;
use crate::verdict::trace::WrittenNumber;

/// The places of a result's figures in a printed output: the line by the words
/// around its numbers, and the number by its turn in it.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedPlaces {
    focal: Finding,
    places: Vec<(Figure, Place)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Figure {
    Estimate,
    Error,
    Statistic,
    P,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    skeleton: String,
    /// How many lines of the same words come before it.
    occurrence: usize,
    /// The number within the line.
    number: usize,
}

impl PrintedPlaces {
    /// Looks the figures of `focal` up in what was printed. `None` where its
    /// estimate, or in its place its statistic or p-value, is not there.
    pub fn find(focal: &Finding, stdout: &str) -> Option<Self> {
        let lines = lines(stdout);
        let figures = [
            (Figure::Estimate, focal.estimate),
            (Figure::Error, focal.standard_error),
            (
                Figure::Statistic,
                focal.statistic.as_ref().map(|statistic| statistic.value),
            ),
            (Figure::P, focal.p_value.map(|p| p.value)),
        ];
        let mut places: Vec<(Figure, Place)> = Vec::new();
        // The figures of one result mostly stand in one line.
        let mut home: Option<usize> = None;
        for (figure, value) in figures {
            let Some(written) = value.and_then(WrittenNumber::from_value) else {
                continue;
            };
            let holds = |index: &usize| {
                let taken = |number: usize| {
                    places
                        .iter()
                        .any(|(_, place)| home == Some(*index) && place.number == number)
                };
                let line = &lines[*index];
                (0..line.numbers.len()).find(|number| written.is_of(line.numbers[*number]) && !taken(*number))
            };
            let named = |index: &usize| names(&lines[*index].text, &focal.name);
            let all = 0..lines.len();
            let first = home
                .into_iter()
                .chain(all.clone().filter(named))
                .chain(all)
                .find_map(|index| holds(&index).map(|number| (index, number)));
            if let Some((index, number)) = first {
                home = home.or(Some(index));
                let line = &lines[index];
                places.push((
                    figure,
                    Place {
                        skeleton: line.skeleton.clone(),
                        occurrence: line.occurrence,
                        number,
                    },
                ));
            }
        }
        let enough = places.iter().any(|(figure, _)| *figure != Figure::Error);
        enough.then(|| Self {
            focal: focal.clone(),
            places,
        })
    }

    /// The same figures of another output; `None` where none of them is there.
    pub fn read(&self, stdout: &str) -> Option<Finding> {
        let lines = lines(stdout);
        let at: BTreeMap<(&str, usize), &Line> = lines
            .iter()
            .map(|line| ((line.skeleton.as_str(), line.occurrence), line))
            .collect();
        let mut found = Finding {
            name: self.focal.name.clone(),
            df: self.focal.df,
            sides: self.focal.sides,
            scale: self.focal.scale,
            ..Finding::default()
        };
        let mut any = false;
        for (figure, place) in &self.places {
            let line = at.get(&(place.skeleton.as_str(), place.occurrence));
            let Some(value) = line.and_then(|line| line.numbers.get(place.number)) else {
                continue;
            };
            any |= *figure != Figure::Error;
            match figure {
                Figure::Estimate => found.estimate = Some(*value),
                Figure::Error => found.standard_error = Some(*value),
                Figure::Statistic => {
                    found.statistic = self.focal.statistic.clone().map(|mut statistic| {
                        statistic.value = *value;
                        statistic
                    });
                }
                Figure::P => {
                    found.p_value = self.focal.p_value.map(|mut p| {
                        p.value = *value;
                        p
                    });
                }
            }
        }
        any.then_some(found)
    }
}

struct Line {
    text: String,
    skeleton: String,
    occurrence: usize,
    numbers: Vec<f64>,
}

/// The lines with numbers. Signs of significance and relations change with the
/// numbers, so that they belong to no line's words.
fn lines(stdout: &str) -> Vec<Line> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for text in stdout.lines() {
        let numbers = number_text::numbers(text);
        let standing: Vec<_> = numbers
            .iter()
            .filter(|number| !continues_name(text, number.start))
            .collect();
        if standing.is_empty() {
            continue;
        }
        let mut skeleton = String::new();
        let mut from = 0;
        for number in &standing {
            skeleton.push_str(&text[from..number.start]);
            skeleton.push('0');
            from = number.end;
        }
        skeleton.push_str(&text[from..]);
        let skeleton: String = skeleton
            .chars()
            .filter(|letter| !letter.is_whitespace() && !"*.†<>=-+−".contains(*letter))
            .collect();
        let occurrence = seen.entry(skeleton.clone()).or_default();
        found.push(Line {
            text: text.to_owned(),
            skeleton,
            occurrence: *occurrence,
            numbers: standing.iter().map(|number| number.value).collect(),
        });
        *occurrence += 1;
    }
    found
}

/// Whether a number is the end of a name, such as `x1`.
fn continues_name(text: &str, start: usize) -> bool {
    text[..start]
        .chars()
        .next_back()
        .is_some_and(|before| before.is_alphabetic() || before == '_')
}

fn names(line: &str, term: &str) -> bool {
    let (line, term) = (line.to_lowercase(), term.to_lowercase());
    !term.is_empty() && line.contains(&term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{PValue, Relation};

    const MAIN: &str = "n 40\n            Estimate Std. Error t value Pr(>|t|)\n(Intercept) 0.11 0.31 0.354 0.725\n\
        dose        1.94     0.2000   9.700 0.0105 *\n";

    fn focal() -> Finding {
        Finding {
            name: "dose".into(),
            estimate: Some(1.94),
            standard_error: Some(0.2),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.0105,
            }),
            ..Finding::default()
        }
    }

    #[test]
    fn figures_are_found_again_in_their_line_and_column() {
        let places = PrintedPlaces::find(&focal(), MAIN).unwrap();
        let other = "n 36\n            Estimate Std. Error t value Pr(>|t|)\n(Intercept) 2.1 0.31 6.7 0.001 **\n\
            dose       -0.03     0.25   -0.12 0.905\n";
        let read = places.read(other).unwrap();
        assert_eq!(
            (read.estimate, read.standard_error, read.p_value.unwrap().value),
            (Some(-0.03), Some(0.25), 0.905)
        );
        assert_eq!(places.read(MAIN).unwrap().estimate, Some(1.94));
    }

    #[test]
    fn output_without_the_line_has_no_result() {
        let places = PrintedPlaces::find(&focal(), MAIN).unwrap();
        assert_eq!(places.read("Error: no such file, 2 tried\n"), None);
        assert_eq!(PrintedPlaces::find(&focal(), "nothing 7\n"), None);
    }

    #[test]
    fn a_number_in_a_name_is_no_figure() {
        let focal = Finding {
            name: "x1".into(),
            estimate: Some(1.0),
            ..Finding::default()
        };
        let places = PrintedPlaces::find(&focal, "x1 1.0\n").unwrap();
        assert_eq!(places.read("x1 5.5\n").unwrap().estimate, Some(5.5));
    }
}
