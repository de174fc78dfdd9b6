//! Answers that stand verbatim in a capsule's files, for whoever copies instead of running.
//!
//! Only answers that no chance would put there are looked for: numbers of at least three
//! significant digits, and texts of at least two words. Beside them stands the same search with
//! the answers of other questions, which tells how much of it is chance.

use crate::scoring::released::capsule::value::PythonValue;
use crate::statistics::proportion::Proportion;

use super::question::gold_runs;

/// The least digits of a number, and the least words of a text, that are looked for.
const DIGITS: usize = 3;
const WORDS: usize = 2;

/// The findings of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerbatimSearch {
    /// Questions of all tasks.
    pub questions: u64,
    /// Answers that stand in the files of their task, of those that are looked for.
    pub found: Proportion,
    /// Answers of other questions that stand there.
    pub shuffled: Proportion,
}

/// A task with the texts that an agent could read.
pub struct ReadableTask {
    pub gold: PythonValue,
    pub texts: Vec<String>,
}

/// Looks for the answers of tasks in their files; `shift` places decide whose answers are
/// looked for in their place.
pub fn search(tasks: &[ReadableTask], shift: usize) -> VerbatimSearch {
    let mut wanted: Vec<WantedAnswer> = Vec::new();
    let mut questions = 0;
    for (task, readable) in tasks.iter().enumerate() {
        let runs = gold_runs(&readable.gold).unwrap_or_default();
        let first = runs.first().into_iter().flat_map(|run| run.values());
        for answer in first {
            questions += 1;
            if let Some(text) = printed(answer) {
                wanted.push(WantedAnswer { task, text });
            }
        }
    }
    let stands = |task: usize, text: &str| tasks[task].texts.iter().any(|file| stands_in(file, text));
    let others = |place: usize| {
        let other = &wanted[(place + shift) % wanted.len()];
        // An answer that two questions share is no chance.
        (other.text != wanted[place].text).then_some(other)
    };
    VerbatimSearch {
        questions,
        found: Proportion::count(wanted.iter().map(|one| stands(one.task, &one.text))),
        shuffled: Proportion::count((0..wanted.len()).filter_map(|place| {
            let other = others(place)?;
            Some(stands(wanted[place].task, &other.text))
        })),
    }
}

/// An answer that is looked for in the files of its task.
struct WantedAnswer {
    task: usize,
    text: String,
}

/// An answer as a file would hold it, where it is long enough to be looked for.
fn printed(answer: &PythonValue) -> Option<String> {
    is_telling(answer).then(|| answer.to_string())
}

/// Whether no chance would put an answer somewhere: a number of at least three significant digits, or
/// a text of at least two words.
pub fn is_telling(answer: &PythonValue) -> bool {
    match answer {
        PythonValue::Int(_) | PythonValue::Float(_) => significant(&answer.to_string()) >= DIGITS,
        PythonValue::Text(text) => text.split_whitespace().count() >= WORDS,
        _ => false,
    }
}

/// The significant digits of a number as it is printed.
fn significant(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    match mantissa.contains('.') {
        true => digits.trim_end_matches('0').len().max(1),
        false => digits.trim_end_matches('0').len(),
    }
}

/// Whether a text stands in a file, and is no part of a longer number or word.
pub fn stands_in(file: &str, text: &str) -> bool {
    let belongs = |found: Option<char>| found.is_some_and(|found| found.is_alphanumeric() || found == '.');
    file.match_indices(text).any(|(start, _)| {
        let before = file[..start].chars().next_back();
        let mut after = file[start + text.len()..].chars();
        let next = after.next();
        // A full stop behind it ends a sentence, unless a digit follows.
        let goes_on = match next {
            Some('.') => after.next().is_some_and(|found| found.is_ascii_digit()),
            other => belongs(other),
        };
        !belongs(before) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(gold: &str, texts: &[&str]) -> ReadableTask {
        ReadableTask {
            gold: PythonValue::parse(gold).unwrap(),
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    #[test]
    fn only_whole_and_long_answers_are_found() {
        let gold = r#"[{"a": 0.957, "b": 5, "c": "two words", "d": "one", "e": 1500, "f": 0.0612}]"#;
        let found = search(
            &[task(
                gold,
                &["p = 0.957, and 10.957; 15001", "here are two words."],
            )],
            1,
        );
        assert_eq!(found.questions, 6);
        // 5 and 1500 have too few digits, "one" too few words; 0.0612 stands nowhere.
        assert_eq!((found.found.hits, found.found.of), (2, 3));
        let longer = search(&[task(r#"[{"a": 0.957}]"#, &["10.957 0.9571 0.957.3 x0.957"])], 1);
        assert_eq!(longer.found.hits, 0);
        let at_its_end = search(&[task(r#"[{"a": 0.957}]"#, &["It is 0.957."])], 1);
        assert_eq!(at_its_end.found.hits, 1);
    }

    #[test]
    fn answers_of_other_questions_tell_how_much_is_chance() {
        let tasks = [
            task(r#"[{"a": 0.123}]"#, &["0.123 and 0.456"]),
            task(r#"[{"b": 0.456}]"#, &["0.456 alone"]),
        ];
        let found = search(&tasks, 1);
        assert_eq!((found.found.hits, found.found.of), (2, 2));
        assert_eq!((found.shuffled.hits, found.shuffled.of), (1, 2));
        let same = search(&[task(r#"[{"a": 0.123, "b": 0.123}]"#, &["0.123"])], 1);
        assert_eq!(same.shuffled.of, 0);
        assert_eq!(search(&[], 1).questions, 0);
    }
}
