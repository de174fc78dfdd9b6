//! The names of judges, of which several may mean one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::model::recording::path::recording_path;

/// The names of judges, as they are given for runs of a study.
#[derive(Debug, Clone, Copy)]
pub struct JudgeNames<'a> {
    /// Where `recorded:NAME` is looked for.
    pub study: &'a Path,
}

impl JudgeNames<'_> {
    /// True if two names mean one judge: they are equal, or lead to one file.
    pub fn is_same(self, one: &str, other: &str) -> bool {
        one == other || self.file(one).is_some_and(|file| Some(file) == self.file(other))
    }

    /// The one of `known` that means this judge.
    pub fn known<'a>(self, judge: &str, mut known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        known.find(|name| self.is_same(judge, name))
    }

    fn file(self, judge: &str) -> Option<PathBuf> {
        match judge.split_once(':')? {
            ("recorded" | "scripted", name) => fs::canonicalize(recording_path(self.study, name)).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_is_one_judge_however_it_is_spelled() {
        let folder = tempfile::tempdir().unwrap();
        let recordings = folder.path().join("recordings");
        fs::create_dir(&recordings).unwrap();
        for name in ["a.json", "b.json"] {
            fs::write(recordings.join(name), "{}").unwrap();
        }
        let names = JudgeNames { study: folder.path() };
        let (whole, bent) = (
            format!("recorded:{}/recordings/a.json", folder.path().display()),
            format!(
                "recorded:{}/./recordings/../recordings/a.json",
                folder.path().display()
            ),
        );
        assert!(names.is_same(&whole, &bent) && names.is_same("recorded:a", &whole));
        assert!(!names.is_same("recorded:a", "recorded:b"));
        // Names that lead nowhere are told apart by their letters alone.
        assert!(!names.is_same("recorded:none", "recorded:nothing"));
        assert!(!names.is_same("openai/gpt-5", "openai/gpt-4o"));
        let known = ["openai/gpt-5", whole.as_str()];
        assert_eq!(names.known(&bent, known.into_iter()), Some(whole.as_str()));
    }
}
