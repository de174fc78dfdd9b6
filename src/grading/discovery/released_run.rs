//! A released run by the place of its folder.
//!
//! The benchmark lays its runs out as `SETTING/STUDY/MODEL/`. Runs that had the data alone
//! are of one model, which has no folder: `data-only/STUDY/`. Everything that takes a
//! study, a model or a setting from a place asks here, so that the layouts are told apart once.

use std::path::{Path, PathBuf};

use crate::domain::mode::Setting;

/// The folder of a run's gradings, in which each judge has one.
pub const EVALS: &str = "evals";
/// The model of a run whose place and files do not say it.
pub const UNNAMED: &str = "unnamed model";
/// The folders of a run that hold files of it.
const INNER: [&str; 5] = ["input", "artifacts", "_artifacts", "_log", "_runtime"];

/// The parts of a released run's place; what the place does not say is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedRun {
    pub setting: Option<Setting>,
    pub study: String,
    /// Empty where the layout has no level of models.
    pub model: String,
}

impl ReleasedRun {
    /// The run in a folder.
    pub fn from_folder(folder: &Path) -> Self {
        // `.` has no name of its own.
        let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut names = whole.iter().rev().map(|name| name.to_string_lossy().into_owned());
        let mut next = || names.next().unwrap_or_default();
        let (first, second, third) = (next(), next(), next());
        match (setting(&second), setting(&third)) {
            (Some(Setting::DataOnly), _) => Self {
                setting: Some(Setting::DataOnly),
                study: first,
                model: String::new(),
            },
            (_, setting) => Self {
                setting,
                study: second,
                model: first,
            },
        }
    }

    /// The run that a file or folder of it belongs to.
    pub fn holding(path: &Path) -> Self {
        Self::from_folder(&folder_of(path))
    }
}

/// The folder of the run that a file, or a folder of a run's own, belongs to.
pub fn folder_of(path: &Path) -> PathBuf {
    let is_inner = |path: &Path| {
        path.file_name()
            .is_some_and(|name| INNER.iter().any(|inner| name == *inner))
    };
    let mut folder = path;
    if !path.is_dir()
        && let Some(parent) = path.parent()
    {
        folder = parent;
    }
    while is_inner(folder)
        && let Some(parent) = folder.parent()
    {
        folder = parent;
    }
    folder.to_owned()
}

fn setting(name: &str) -> Option<Setting> {
    [Setting::Python, Setting::Native, Setting::DataOnly]
        .into_iter()
        .find(|setting| setting.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_without_a_level_of_models_is_known() {
        let of = |folder: &str| {
            let run = ReleasedRun::from_folder(Path::new(folder));
            (run.setting, run.study, run.model)
        };
        let own = |study: &str, model: &str| (study.to_owned(), model.to_owned());
        let with = |setting, (study, model): (String, String)| (setting, study, model);
        assert_eq!(of("/r/python/1/o3"), with(Some(Setting::Python), own("1", "o3")));
        assert_eq!(
            of("/r/data-only/13"),
            with(Some(Setting::DataOnly), own("13", ""))
        );
        assert_eq!(
            of("/r/data-only/13/gpt-5_nocode"),
            with(Some(Setting::DataOnly), own("13", "gpt-5_nocode"))
        );
        assert_eq!(of("/mine/slope/m"), with(None, own("slope", "m")));
        let log = ReleasedRun::holding(Path::new("/r/native/3/o3/input/_log/execute.log"));
        assert_eq!((log.study.as_str(), log.model.as_str()), ("3", "o3"));
    }
}
