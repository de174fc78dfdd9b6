//! Paths of this machine, taken out of what is published: they are nobody's business.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Captures;

use crate::analysis::bench::audit::{AuditedAttempt, AuditedTask};
use crate::analysis::bench::cell::BenchCell;
use crate::analysis::bench::judged_cell::JudgedCell;
use crate::cli::bench_plan::BenchPlan;
use crate::domain::lazy_regex::LazyRegex;

/// A file or folder by its whole path, with what stands before it.
static WHOLE_PATH: LazyRegex =
    LazyRegex::new(r#"(^|[\s"'`=(\[:,])(/[^\s"'`/:,)\]]+(?:/[^\s"'`/:,)\]]+)+/?)"#);

/// Where paths of a sandbox begin, which are the same on every machine.
const SANDBOXED: [&str; 2] = ["/workspace/", "/agent/"];

/// The folders of this machine that results name.
pub struct HiddenPaths(Vec<String>);

impl HiddenPaths {
    /// Of the folder that is published, the one that the program was called in, and the user's own.
    pub fn new(dir: &Path) -> Self {
        let here = fs::canonicalize(dir).ok();
        let places = [here, std::env::current_dir().ok(), std::env::home_dir()];
        let places = places
            .into_iter()
            .flatten()
            .map(|place| place.display().to_string());
        // A root would take every slash.
        let mut places: Vec<String> = places.filter(|place| place.len() > 1).collect();
        // A folder within another goes first.
        places.sort_by_key(|place| std::cmp::Reverse(place.len()));
        Self(places)
    }

    /// What an agent wrote or ran, without these folders.
    pub fn text(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, place| text.replace(place, "…"))
    }

    /// What this program says, without any path: of each the last name stays.
    pub fn message(&self, text: &str) -> String {
        let text = self.text(text);
        WHOLE_PATH
            .replace_all(&text, |found: &Captures<'_>| {
                let (before, path) = (&found[1], &found[2]);
                if SANDBOXED.iter().any(|place| path.starts_with(place)) {
                    return format!("{before}{path}");
                }
                let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                format!("{before}…/{name}")
            })
            .into_owned()
    }

    /// A cell whose folder has its last name alone.
    pub fn cell(&self, cell: BenchCell) -> BenchCell {
        BenchCell {
            words: self.message(&cell.words),
            study: self.marks(&cell.study),
            folder: last_name(&cell.folder),
            judged: cell.judged.map(|judged| JudgedCell {
                lacks: judged.lacks.map(|why| self.message(&why)),
                ..judged
            }),
            ..cell
        }
    }

    /// Marks of a study: a repository may be a folder.
    fn marks(&self, marks: &[String]) -> Vec<String> {
        marks.iter().map(|mark| self.message(mark)).collect()
    }

    /// The plan: its options hold names of files.
    pub fn plan(&self, plan: BenchPlan) -> BenchPlan {
        let cells = plan.cells.into_iter().map(|mut cell| {
            cell.folder = last_name(&cell.folder);
            cell.study = self.marks(&cell.study);
            if let Some(judge) = &mut cell.judge {
                judge.model = self.message(&judge.model);
            }
            cell.options = cell.options.iter().map(|option| self.message(option)).collect();
            cell
        });
        BenchPlan {
            cells: cells.collect(),
            ..plan
        }
    }

    /// What an audit found of a task.
    pub fn audited(&self, task: AuditedTask) -> AuditedTask {
        let all = |texts: Vec<String>| texts.iter().map(|text| self.message(text)).collect();
        let attempt = |attempt: AuditedAttempt| AuditedAttempt {
            words: self.message(&attempt.words),
            unearned: all(attempt.unearned),
            ..attempt
        };
        AuditedTask {
            trivial: task.trivial.into_iter().map(attempt).collect(),
            known_good: task.known_good.map(attempt),
            reasons: all(task.reasons),
            ..task
        }
    }
}

fn last_name(folder: &Path) -> PathBuf {
    folder.file_name().map_or_else(PathBuf::new, PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_path_the_last_name_stays_and_what_is_none_is_left() {
        let hidden = HiddenPaths(vec!["/home/jane/a b/bench".to_owned(), "/home/jane".to_owned()]);
        for (text, expected) in [
            (
                "--model=scripted:/srv/lab/null.json",
                "--model=scripted:…/null.json",
            ),
            ("/srv/lab/x.toml: no such file", "…/x.toml: no such file"),
            (
                "`/srv/lab/x/` and (/tmp/y/z.json, /tmp/q/r)",
                "`…/x` and (…/z.json, …/r)",
            ),
            (
                "/home/jane/a b/bench/cells/c/journal.jsonl",
                "…/cells/c/journal.jsonl",
            ),
            ("[\"/srv/a/b\"]", "[\"…/b\"]"),
            (
                "3/4 of a/b/c, https://osf.io/ab/cd and and/or/not",
                "3/4 of a/b/c, https://osf.io/ab/cd and and/or/not",
            ),
            ("/workspace/work/out.csv", "/workspace/work/out.csv"),
            ("1 / 2 / 3 // /x", "1 / 2 / 3 // /x"),
        ] {
            assert_eq!(hidden.message(text), expected, "{text}");
        }
    }
}
