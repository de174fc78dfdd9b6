//! `RUN`: each of its commands to the reader of its installer.

use super::instructions::Instruction;
use super::placed_word::PlacedWord;
use super::published::NotFollowedReason;
use super::reading::{CapsuleFiles, Reading};
use super::shell::{self, ShellCommand};
use super::variables::Variables;
use super::{apt, conda, pip, r_code};

/// Shells inside of one another at most, as in `RUN ["bash", "-c", "..."]`.
const DEEPEST: usize = 2;
/// Options of littler's `install2.r` that take the next word.
const LITTLER_VALUED: [&str; 8] = ["-d", "--deps", "-l", "--libloc", "-n", "--ncpus", "-r", "--repos"];

/// The place of commands, with the files that they may look into.
struct Place<'a, 'b> {
    instruction: &'a Instruction,
    /// Whether the text is the instruction's own, so that its lines are known.
    is_own_text: bool,
    files: CapsuleFiles<'b>,
    deepest: usize,
}

/// Takes what an instruction installs.
pub fn read(
    instruction: &Instruction,
    variables: &mut Variables,
    files: CapsuleFiles<'_>,
    reading: &mut Reading,
) {
    let text = instruction.text.as_str();
    let place = Place {
        instruction,
        is_own_text: true,
        files,
        deepest: DEEPEST,
    };
    let words: Option<Vec<String>> = text
        .trim_start()
        .starts_with('[')
        .then(|| serde_json::from_str(text.trim()).ok())
        .flatten();
    match words {
        Some(words) => {
            let placed: Vec<PlacedWord<'_>> =
                words.iter().map(|text| placed(instruction.line, text)).collect();
            let place = Place {
                is_own_text: false,
                ..place
            };
            if !followed(&placed, &place, variables, reading) {
                reading.refuse(instruction.line, text, NotFollowedReason::Command);
            }
        }
        None => script(text, &place, variables, reading),
    }
    variables.end_run();
}

fn placed(line: usize, text: &str) -> PlacedWord<'_> {
    PlacedWord {
        line,
        text,
        is_dynamic: false,
    }
}

fn script(text: &str, place: &Place<'_, '_>, variables: &mut Variables, reading: &mut Reading) {
    for command in shell::commands(text, variables) {
        let line_at = |offset| match place.is_own_text {
            true => place.instruction.line_at(offset),
            false => place.instruction.line,
        };
        let words = words(&command, &line_at);
        let Some(first) = words.first() else { continue };
        let written = text.get(command.from..command.to).unwrap_or_default();
        if command.has_open_quote {
            reading.refuse(first.line, written, NotFollowedReason::OpenQuote);
        } else if !followed(&words, place, variables, reading) {
            reading.refuse(first.line, written, NotFollowedReason::Command);
        }
    }
}

/// The words of a command, without where its output goes and without flags of `RUN`.
fn words<'a>(command: &'a ShellCommand, line_at: &dyn Fn(usize) -> usize) -> Vec<PlacedWord<'a>> {
    let mut words = Vec::new();
    let mut all = command.words.iter();
    while let Some(word) = all.next() {
        let behind_number = word
            .text
            .trim_start_matches(|letter: char| letter.is_ascii_digit());
        if behind_number.starts_with(['>', '<']) {
            if behind_number.trim_start_matches(['>', '<', '&']).is_empty() {
                all.next();
            }
            continue;
        }
        if words.is_empty() && word.text.starts_with("--") {
            continue;
        }
        words.push(PlacedWord {
            line: line_at(word.at),
            text: &word.text,
            is_dynamic: word.is_dynamic,
        });
    }
    words
}

/// Whether a command is one that installs packages, or that changes nothing here.
fn followed(
    words: &[PlacedWord<'_>],
    place: &Place<'_, '_>,
    variables: &mut Variables,
    reading: &mut Reading,
) -> bool {
    let words = without_wrappers(words);
    let Some((program, rest)) = words.split_first() else {
        return true;
    };
    let program = program.text.rsplit('/').next().unwrap_or_default();
    let is_numbered = |name: &str| {
        let rest = program.strip_prefix(name);
        rest.is_some_and(|rest| {
            rest.chars()
                .all(|letter| letter.is_ascii_digit() || letter == '.')
        })
    };
    match program {
        "apt-get" | "apt" | "aptitude" => apt::read(rest, reading),
        "conda" | "mamba" | "micromamba" => conda::read(rest, reading),
        "uv" => match rest.split_first() {
            Some((word, rest)) if word.text == "pip" => pip::read(rest, place.files, reading),
            _ => false,
        },
        "install2.r" | "install.r" => {
            let is_value = |at: usize| {
                at.checked_sub(1)
                    .is_some_and(|before| LITTLER_VALUED.contains(&rest[before].text))
            };
            for (at, word) in rest.iter().enumerate() {
                if word.text.starts_with('-') || is_value(at) {
                    continue;
                }
                r_code::read(
                    word.line,
                    &format!("install.packages(\"{}\")", word.text),
                    reading,
                );
            }
            true
        }
        "Rscript" | "R" | "r" => expression(rest).is_some_and(|code| {
            r_code::read(code.line, code.text, reading);
            true
        }),
        "bash" | "sh" | "dash" if place.deepest > 0 => rest
            .iter()
            .position(|word| word.text.starts_with('-') && word.text.ends_with('c'))
            .and_then(|at| rest.get(at + 1))
            .is_some_and(|code| {
                let inner = Place {
                    is_own_text: false,
                    deepest: place.deepest - 1,
                    ..*place
                };
                script(code.text, &inner, variables, reading);
                true
            }),
        "rm" => rest
            .iter()
            .all(|word| word.text.starts_with('-') || is_scratch(word.text)),
        "true" | ":" | "set" | "yes" | "echo" | "export" | "fi" | "done" => true,
        _ if is_numbered("pip") => pip::read(rest, place.files, reading),
        _ if is_numbered("python") => match rest {
            [flag, module, rest @ ..] if flag.text == "-m" && module.text == "pip" => {
                pip::read(rest, place.files, reading)
            }
            _ => false,
        },
        _ => false,
    }
}

/// A command without what stands before it: assignments, and programs that run another.
fn without_wrappers<'a, 'b>(mut words: &'b [PlacedWord<'a>]) -> &'b [PlacedWord<'a>] {
    while let Some((first, rest)) = words.split_first() {
        let is_wrapper = matches!(
            first.text,
            "sudo" | "env" | "exec" | "time" | "then" | "do" | "else"
        );
        if !is_wrapper && shell::assignment(first.text).is_none() {
            return words;
        }
        words = rest;
        if is_wrapper {
            let flags = words.iter().take_while(|word| word.text.starts_with('-')).count();
            words = words.get(flags..).unwrap_or_default();
        }
    }
    words
}

/// The code of an `-e`.
fn expression<'a, 'b>(words: &'b [PlacedWord<'a>]) -> Option<&'b PlacedWord<'a>> {
    let at = words.iter().position(|word| word.text == "-e")?;
    words.get(at + 1)
}

/// Whether a path is one that installers leave things in.
fn is_scratch(path: &str) -> bool {
    [
        "/var/lib/apt",
        "/var/cache",
        "/tmp/",
        "/var/tmp/",
        "/root/.cache",
        "~/.cache",
    ]
    .iter()
    .any(|folder| path.starts_with(folder))
}
