//! Options of a run out of a bench file, read as the command line reads them.

use std::error::Error as _;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command};

use super::file::SettingValue;
use crate::analysis::bench::judged::JUDGE;
use crate::model::name::recording;

/// Options whose values are files and folders, from the bench file's own folder.
const PATHS: [&str; 7] = [
    "agent-files",
    "agents-dir",
    "base-images",
    "capsules",
    "lock",
    "repos",
    "stages-dir",
];
/// What stands before the path of a policy.
const POLICY: &str = "policy:";

/// An option as it is typed; `None` of a flag that is not given.
pub fn typed(name: &str, value: &SettingValue, root: &Path) -> Option<String> {
    match value {
        SettingValue::Flag(true) => Some(format!("--{name}")),
        SettingValue::Flag(false) => None,
        value => Some(format!("--{name}={}", from_root(name, value.text(), root))),
    }
}

fn from_root(name: &str, text: String, root: &Path) -> String {
    if PATHS.contains(&name) {
        return root.join(text).display().to_string();
    }
    if name == JUDGE {
        return match recording(&text).filter(|(_, file)| file.contains('/') || file.ends_with(".json")) {
            Some((prefix, file)) => format!("{prefix}{}", root.join(file).display()),
            None => text,
        };
    }
    match text.strip_prefix(POLICY).filter(|_| name == "approve") {
        Some(path) => format!("{POLICY}{}", root.join(path).display()),
        None => text,
    }
}

/// Reads options as `A` declares them.
///
/// # Errors
/// All options that there are not, and values that they do not take, in one line.
pub fn parse<A: Args>(typed: &[String]) -> Result<A, WrongOptions> {
    let command = A::augment_args(Command::new("bench").no_binary_name(true).disable_help_flag(true));
    let mut left = typed.to_vec();
    let mut wrong: Vec<String> = Vec::new();
    loop {
        let matches = command.clone().try_get_matches_from(&left);
        let error = match matches.and_then(|matches| A::from_arg_matches(&matches)) {
            Ok(read) if wrong.is_empty() => return Ok(read),
            Ok(_) => return Err(WrongOptions(wrong.join("; "))),
            Err(error) => error,
        };
        wrong.push(sentence(&error));
        // clap names one fault at a time: the next is found without the option that was named.
        let before = left.len();
        if let Some(named) = option_of(&error) {
            left.retain(|option| option.split('=').next() != Some(named));
        }
        if left.len() == before {
            return Err(WrongOptions(wrong.join("; ")));
        }
    }
}

/// Options that cannot be read, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongOptions(String);

/// The option that a fault is of, as it is typed and without what it takes.
fn option_of(error: &clap::Error) -> Option<&str> {
    text_of(error, ContextKind::InvalidArg)?.split([' ', '=']).next()
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        ContextValue::Strings(texts) => texts.first().map(String::as_str),
        _ => None,
    }
}

/// A fault in the words of a bench file.
fn sentence(error: &clap::Error) -> String {
    let Some(option) = option_of(error) else {
        return of_command_line(error);
    };
    let name = option.trim_start_matches('-');
    let value = text_of(error, ContextKind::InvalidValue).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let nearest = text_of(error, ContextKind::SuggestedArg);
            let nearest = nearest.map(|near| format!(": did you mean `{}`?", near.trim_start_matches('-')));
            format!(
                "there is no setting `{name}` for it{}",
                nearest.unwrap_or_default()
            )
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("the setting `{name}` has no value"),
        ErrorKind::InvalidValue => {
            let takes = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(values)) => format!(": it takes {}", values.join(", ")),
                _ => String::new(),
            };
            format!("the setting `{name}` cannot be `{value}`{takes}")
        }
        ErrorKind::ValueValidation => {
            let why = error.source().map(|why| format!(": {why}"));
            format!(
                "the setting `{name}` cannot be `{value}`{}",
                why.unwrap_or_default()
            )
        }
        ErrorKind::TooManyValues => format!("the setting `{name}` is `true` or `false`, and has `{value}`"),
        _ => of_command_line(error),
    }
}

/// All that clap says, without what it says of a command line.
fn of_command_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:"));
    let told: Vec<_> = lines
        .filter(|line| !line.is_empty() && !line.starts_with("For more information"))
        .map(|line| line.trim_start_matches("error: "))
        .collect();
    told.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run_options::ChoiceArgs;

    #[test]
    fn options_are_those_of_the_command_line() {
        let root = Path::new("/benches");
        let given = [
            ("code-mode", SettingValue::Text("native".to_owned())),
            ("approve", SettingValue::Text("policy:rules.toml".to_owned())),
            ("judge", SettingValue::Text("recorded:marks/a.json".to_owned())),
            ("no-probe", SettingValue::Flag(true)),
            ("allow-unpriced", SettingValue::Flag(false)),
            ("max-cost", SettingValue::Number(0.5)),
        ];
        let typed: Vec<_> = given
            .iter()
            .filter_map(|(name, value)| typed(name, value, root))
            .collect();
        assert_eq!(
            typed,
            [
                "--code-mode=native",
                "--approve=policy:/benches/rules.toml",
                "--judge=recorded:/benches/marks/a.json",
                "--no-probe",
                "--max-cost=0.5"
            ]
        );
        let typed: Vec<String> = (typed.into_iter())
            .filter(|option| !option.starts_with("--judge"))
            .collect();
        let choice: ChoiceArgs = parse(&typed).unwrap();
        assert!(choice.probe.no_probe);
    }

    #[test]
    fn what_is_no_option_is_told_in_words_of_the_file() {
        for (typed, told) in [
            (
                "--codemode=native",
                "there is no setting `codemode` for it: did you mean `code-mode`?",
            ),
            ("--colour=red", "there is no setting `colour` for it"),
            (
                "--no-probe=0.5",
                "the setting `no-probe` is `true` or `false`, and has `0.5`",
            ),
        ] {
            let error = parse::<ChoiceArgs>(&[typed.to_owned()]).unwrap_err();
            assert_eq!(error.to_string(), told);
        }
    }

    #[test]
    fn all_wrong_options_are_told_at_once() {
        let typed = [
            "--code-mode=nativ",
            "--colour=red",
            "--max-cost=much",
            "--max-turns=3",
        ];
        let error = parse::<ChoiceArgs>(&typed.map(str::to_owned))
            .unwrap_err()
            .to_string();
        for named in [
            "`code-mode` cannot be `nativ`",
            "native",
            "`colour`",
            "`max-cost` cannot be `much`",
        ] {
            assert!(error.contains(named), "{named}: {error}");
        }
        assert!(!error.contains("max-turns") && !error.contains('\n'), "{error}");
        assert!(!error.contains("Usage") && !error.contains("--"), "{error}");
    }
}
