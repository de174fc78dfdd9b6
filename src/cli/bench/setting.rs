//! A setting of a bench file: its value as what it fills, or why it cannot be.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Command, ValueEnum};

use super::file::SettingValue;
use crate::analysis::bench::judged::JUDGE;
use crate::domain::names::nearest;
use crate::model::name::recording;

/// Settings whose values are files and folders, from the bench file's own folder.
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

/// A value whose paths no longer depend on the folder of the bench file.
pub fn from_root(name: &str, value: SettingValue, root: &Path) -> SettingValue {
    let SettingValue::Text(text) = value else {
        return value;
    };
    let rooted = |prefix: &str, path: &str| format!("{prefix}{}", root.join(path).display());
    let is_path = |file: &str| file.contains('/') || file.ends_with(".json");
    SettingValue::Text(match name {
        name if PATHS.contains(&name) => rooted("", &text),
        JUDGE => match recording(&text).filter(|(_, file)| is_path(file)) {
            Some((prefix, file)) => rooted(prefix, file),
            None => text,
        },
        "approve" => match text.strip_prefix(POLICY) {
            Some(path) => rooted(POLICY, path),
            None => text,
        },
        _ => text,
    })
}

/// The fault of a setting that cannot be chosen, in words of the bench file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongSetting(String);

/// A setting with one value.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    pub name: &'a str,
    pub value: &'a SettingValue,
}

impl Setting<'_> {
    /// As the plan of a bench records it; `None` of a flag that is not given.
    pub fn recorded(self) -> Option<String> {
        match self.value {
            SettingValue::Flag(true) => Some(format!("--{}", self.name)),
            SettingValue::Flag(false) => None,
            value => Some(format!("--{}={}", self.name, value.text())),
        }
    }

    /// A value that is true or false.
    ///
    /// # Errors
    /// Another value.
    pub fn flag(self) -> Result<bool, WrongSetting> {
        match self.value {
            SettingValue::Flag(given) => Ok(*given),
            value => Err(WrongSetting(format!(
                "the setting `{}` is `true` or `false`, and has `{}`",
                self.name,
                value.text()
            ))),
        }
    }

    /// A value in words.
    ///
    /// # Errors
    /// None is given.
    pub fn text(self) -> Result<String, WrongSetting> {
        match self.value {
            SettingValue::Flag(_) => Err(WrongSetting(format!("the setting `{}` has no value", self.name))),
            value => Ok(value.text()),
        }
    }

    /// A file or a folder.
    ///
    /// # Errors
    /// None is given.
    pub fn path(self) -> Result<PathBuf, WrongSetting> {
        self.text().map(PathBuf::from)
    }

    /// A value that `read` takes.
    ///
    /// # Errors
    /// Another value.
    pub fn read<T, E: Display>(self, read: impl FnOnce(&str) -> Result<T, E>) -> Result<T, WrongSetting> {
        let text = self.text()?;
        read(&text)
            .map_err(|why| WrongSetting(format!("the setting `{}` cannot be `{text}`: {why}", self.name)))
    }

    /// A value of a type that is written in words.
    ///
    /// # Errors
    /// Another value.
    pub fn parsed<T: FromStr<Err: Display>>(self) -> Result<T, WrongSetting> {
        self.read(str::parse)
    }

    /// A whole number within bounds.
    ///
    /// # Errors
    /// Another value.
    pub fn within<T: TryFrom<u64>>(self, bounds: RangeInclusive<u64>) -> Result<T, WrongSetting> {
        self.read(|text| {
            let number: u64 = text.parse().map_err(|_| "give a whole number".to_owned())?;
            let within = Some(number).filter(|number| bounds.contains(number));
            let within = within.and_then(|number| T::try_from(number).ok());
            within.ok_or_else(|| format!("give {} to {}", bounds.start(), bounds.end()))
        })
    }

    /// One of several words.
    ///
    /// # Errors
    /// Another value.
    pub fn word<T: ValueEnum>(self) -> Result<T, WrongSetting> {
        self.read(|text| {
            T::from_str(text, false).map_err(|_| {
                let words = T::value_variants().iter().filter_map(T::to_possible_value);
                let shown = words.filter(|word| !word.is_hide_set());
                let names: Vec<String> = shown.map(|word| word.get_name().to_owned()).collect();
                format!("it takes {}", names.join(", "))
            })
        })
    }

    /// The fault of a setting that a run with the options `A` does not have.
    pub fn unknown<A: Args>(self) -> WrongSetting {
        let command = A::augment_args(Command::new("bench"));
        let known = command.get_arguments().filter_map(|argument| argument.get_long());
        let near = nearest(self.name, known);
        let near = near.first().map(|near| format!(": did you mean `{near}`?"));
        WrongSetting(format!(
            "there is no setting `{}` for it{}",
            self.name,
            near.unwrap_or_default()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_from_the_folder_of_the_bench_file() {
        let root = Path::new("/benches");
        for (name, value, rooted) in [
            ("approve", "policy:rules.toml", "policy:/benches/rules.toml"),
            ("approve", "auto", "auto"),
            ("judge", "recorded:marks/a.json", "recorded:/benches/marks/a.json"),
            ("judge", "recorded:by-hand", "recorded:by-hand"),
            ("lock", "a.lock", "/benches/a.lock"),
            ("model", "a/b", "a/b"),
        ] {
            let found = from_root(name, SettingValue::Text(value.to_owned()), root);
            assert_eq!(found, SettingValue::Text(rooted.to_owned()), "{name}");
        }
    }

    #[test]
    fn a_plan_records_settings_as_options() {
        for (name, value, recorded) in [
            ("max-cost", SettingValue::Number(0.5), Some("--max-cost=0.5")),
            ("no-probe", SettingValue::Flag(true), Some("--no-probe")),
            ("no-probe", SettingValue::Flag(false), None),
        ] {
            let value = &value;
            assert_eq!(Setting { name, value }.recorded().as_deref(), recorded);
        }
    }
}
