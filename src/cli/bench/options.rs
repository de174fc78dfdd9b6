//! Options of a run out of a bench file, read as the command line reads them.

use std::path::Path;

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
/// An option that there is not, or a value that it does not take, in one line.
pub fn parse<A: Args>(typed: &[String]) -> Result<A, WrongOption> {
    let command = Command::new("bench").no_binary_name(true).disable_help_flag(true);
    let matches = A::augment_args(command).try_get_matches_from(typed);
    let read = matches.and_then(|matches| A::from_arg_matches(&matches));
    read.map_err(|error| WrongOption(sentence(&error)))
}

/// Options that cannot be read, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongOption(String);

/// What clap says, without what it says of a command line.
fn sentence(error: &clap::Error) -> String {
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
    fn what_is_no_option_is_told_in_one_line() {
        for (typed, named) in [
            ("--codemode=native", "unexpected argument '--codemode'"),
            ("--code-mode=nativ", "invalid value 'nativ' for '--code-mode"),
        ] {
            let error = parse::<ChoiceArgs>(&[typed.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains('\n'), "{error}");
            assert!(!error.contains("Usage"), "{error}");
        }
    }
}
