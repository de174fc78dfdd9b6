//! `search_files`: lines that match, over the text files of a folder.

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Tool, ToolOutcome};
use super::cut::{self, Keep, TextCap};
use super::personal_data::{self, PersonalData};
use super::text_file;
use super::walk::{self, EntryKind};
use super::workspace::Workspace;
use crate::domain::format;
use crate::domain::workspace_path::WorkspacePath;
use crate::model::chat::ToolSpec;

/// Most bytes that are searched of one file, and of all.
const PER_FILE: u64 = 8 << 20;
const IN_ALL: u64 = 64 << 20;
/// Most characters that are shown of one line.
const LINE: usize = 300;
const CAP: TextCap = TextCap {
    lines: 600,
    characters: 30_000,
};

/// Searches text files.
pub struct SearchFiles {
    personal: PersonalData,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to look for: plain text, or a regular expression if `regex` is true.
    pattern: String,
    /// The folder or file to search; the whole workspace if it is left out.
    #[serde(default)]
    folder: String,
    /// Whether `pattern` is a regular expression.
    #[serde(default)]
    regex: bool,
    /// Whether upper and lower case differ.
    #[serde(default)]
    case_sensitive: bool,
    /// Lines to show around each match, from 0 to 5.
    #[serde(default)]
    #[schemars(range(min = 0, max = 5))]
    context: usize,
    /// Most matching lines, from 1 to 200.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    limit: usize,
}

fn fifty() -> usize {
    50
}

/// The tally of a search so far.
#[derive(Default)]
struct Tally {
    text: String,
    matches: usize,
    files: usize,
    searched: u64,
    partly: Vec<String>,
    /// What is not shown of some files, and why.
    kept_back: Vec<String>,
}

impl SearchFiles {
    /// The tool, with what masks personal data.
    pub fn new(personal: PersonalData) -> Self {
        Self { personal }
    }

    fn search(&self, given: &Value, workspace: &Workspace) -> Result<String, Observation> {
        let asked: Arguments = arguments::read(self.name(), given)?;
        let folder = arguments::path(&asked.folder)?;
        let pattern = compiled(&asked)?;
        let files = files(workspace, &folder)?;
        let mut tally = Tally::default();
        for path in &files {
            if tally.matches >= asked.limit || tally.searched >= IN_ALL {
                break;
            }
            let Ok(content) = workspace.read(path, PER_FILE) else {
                continue;
            };
            tally.searched += content.bytes.len() as u64;
            if !content.is_whole() {
                tally.partly.push(format!("`{path}`"));
            }
            let Ok(file) = text_file::decode(&content.bytes) else {
                continue;
            };
            tally.files += 1;
            // Most files hold no match, and need no look at their columns.
            if !file.text.lines().any(|line| pattern.is_match(line)) {
                continue;
            }
            let text = match self.personal.masked(path, &content) {
                Ok(None) => file.text,
                Ok(Some(masked)) => {
                    let clause = personal_data::clause(&masked.columns);
                    tally.kept_back.push(format!("in `{path}`, {clause}"));
                    masked.text
                }
                Err(problem) => {
                    tally
                        .kept_back
                        .push(format!("`{path}` is not searched: {problem}"));
                    continue;
                }
            };
            tally.search(path, &text, &pattern, &asked);
        }
        let mut head = format!(
            "{} matching lines in {} text files of `{folder}`",
            format::count(tally.matches),
            format::count(tally.files)
        );
        if tally.matches >= asked.limit {
            head.push_str(&format!("; stopped at the limit of {}", asked.limit));
        } else if tally.searched >= IN_ALL {
            head.push_str(&format!(
                "; stopped after {}: name a smaller folder",
                format::size(IN_ALL)
            ));
        }
        if !tally.partly.is_empty() {
            tally.partly.truncate(5);
            head.push_str(&format!(
                "; only the first {} are searched of {}",
                format::size(PER_FILE),
                tally.partly.join(", ")
            ));
        }
        tally.kept_back.truncate(5);
        for clause in &tally.kept_back {
            head.push_str(&format!("; {clause}"));
        }
        let whole = "name a smaller folder or a narrower pattern";
        Ok(cut::cut(
            &format!("{head}\n{}", tally.text),
            CAP,
            Keep::Beginning,
            whole,
        ))
    }
}

fn compiled(asked: &Arguments) -> Result<Regex, Observation> {
    let wrong =
        |why: String| Observation::bad(format!("`search_files` was not run: argument `pattern` {why}."));
    if asked.pattern.is_empty() || asked.pattern.len() > 1_000 {
        return Err(wrong("needs 1 to 1000 characters".to_owned()));
    }
    let source = if asked.regex {
        asked.pattern.clone()
    } else {
        regex::escape(&asked.pattern)
    };
    RegexBuilder::new(&source)
        .case_insensitive(!asked.case_sensitive)
        .size_limit(1 << 20)
        .build()
        .map_err(|error| wrong(format!("is no regular expression that can be used: {error}")))
}

/// The files at or below `folder`, in order.
fn files(workspace: &Workspace, folder: &WorkspacePath) -> Result<Vec<WorkspacePath>, Observation> {
    if workspace.read(folder, 0).is_ok() {
        return Ok(vec![folder.clone()]);
    }
    let walk = walk::walk(workspace, folder, 16).map_err(|problem| Observation::bad(problem.to_string()))?;
    Ok(walk
        .entries
        .into_iter()
        .filter(|entry| matches!(entry.kind, EntryKind::File(_)))
        .map(|entry| entry.path)
        .collect())
}

impl Tally {
    fn search(&mut self, path: &WorkspacePath, text: &str, pattern: &Regex, asked: &Arguments) {
        let lines: Vec<_> = text.lines().collect();
        let mut shown_to = 0;
        for (index, line) in lines.iter().enumerate() {
            if self.matches >= asked.limit {
                return;
            }
            let Some(hit) = pattern.find(line) else {
                continue;
            };
            self.matches += 1;
            let from = index.saturating_sub(asked.context).max(shown_to);
            let to = (index + asked.context + 1).min(lines.len());
            if asked.context > 0 && from > shown_to {
                self.text.push_str("--\n");
            }
            for (offset, shown) in lines[from..to.max(from)].iter().enumerate() {
                let number = from + offset;
                let (sign, around) = if number == index {
                    (':', hit.start())
                } else {
                    ('-', 0)
                };
                self.text.push_str(&format!(
                    "{path}:{}{sign} {}\n",
                    number + 1,
                    excerpt(shown, around)
                ));
            }
            // A match that was shown as context of the one before is marked once more.
            if from > index {
                self.text
                    .push_str(&format!("{path}:{}: {}\n", index + 1, excerpt(line, hit.start())));
            }
            shown_to = to.max(shown_to);
        }
    }
}

/// The line, or the part of a long one that surrounds the byte `around`.
fn excerpt(line: &str, around: usize) -> String {
    if line.chars().count() <= LINE {
        return line.to_owned();
    }
    let before = line[..around].chars().count().saturating_sub(LINE / 3);
    let part: String = line.chars().skip(before).take(LINE).collect();
    format!("[...]{part}[...]")
}

impl Tool for SearchFiles {
    fn name(&self) -> &'static str {
        "search_files"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Finds lines in the text files of a folder. Returns file, line number and line.",
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> ToolOutcome {
        ToolOutcome::Observed(match self.search(given, workspace) {
            Ok(text) => Observation::good(text),
            Err(problem) => problem,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use std::sync::Arc;

    use super::super::fixture::{Fixture, InProcess};
    use super::*;
    use crate::documents::table::personal::Privacy;

    fn allowing(columns: &[&str]) -> SearchFiles {
        let privacy = Privacy::allowing(columns.iter().map(|name| (*name).to_owned()));
        SearchFiles::new(PersonalData::new(Arc::new(InProcess), privacy))
    }

    fn tool() -> SearchFiles {
        allowing(&[])
    }

    #[test]
    fn personal_values_of_the_data_are_neither_found_nor_shown() {
        let lines = b"{\"email\": \"a@b.org\", \"x\": 1}\n{\"email\": \"c@d.org\", \"x\": 2}\n";
        let fixture = Fixture::new(&[("data/d.jsonl", lines)]);
        let found = fixture.good(&tool(), json!({"pattern": "\"x\": 2"}));
        assert_eq!(
            found,
            "1 matching lines in 1 text files of `.`; in `data/d.jsonl`, values of `email` are likely personal and \
             not shown\ndata/d.jsonl:2: {\"email\": \"(not shown)\", \"x\": 2}\n"
        );
        let hidden = json!({"pattern": "c@d.org"});
        assert!(
            fixture
                .good(&tool(), hidden.clone())
                .starts_with("0 matching lines")
        );
        assert!(fixture.good(&allowing(&["email"]), hidden).contains("c@d.org"));
    }

    #[test]
    fn lines_with_their_context() {
        let fixture = Fixture::new(&[
            ("work/a.R", b"x <- 1\nmodel <- lm(y ~ x)\nsummary(model)\n"),
            ("work/b.bin", b"lm(\0"),
            ("data/c.txt", b"LM(\n"),
        ])
        .with_traps();
        assert_eq!(
            fixture.good(&tool(), json!({"pattern": "lm("})),
            "2 matching lines in 2 text files of `.`\ndata/c.txt:1: LM(\nwork/a.R:2: model <- lm(y ~ x)\n"
        );
        let around = json!({"pattern": "^model", "regex": true, "folder": "work/a.R", "context": 1});
        assert_eq!(
            fixture.good(&tool(), around),
            "1 matching lines in 1 text files of `work/a.R`\nwork/a.R:1- x <- 1\nwork/a.R:2: model <- lm(y ~ x)\n\
             work/a.R:3- summary(model)\n"
        );
        assert!(
            fixture
                .bad(&tool(), json!({"pattern": "(", "regex": true}))
                .contains("`pattern`")
        );
        assert!(
            fixture
                .good(&tool(), json!({"pattern": "canary"}))
                .starts_with("0 matching")
        );
        fixture.bad(&tool(), json!({"pattern": "x", "folder": "work/folder"}));
    }

    #[test]
    fn results_are_capped() {
        let long = format!("{}needle{}", "a".repeat(100_000), "b".repeat(100_000));
        let many = "needle\n".repeat(1_000);
        let fixture = Fixture::new(&[("work/l.txt", long.as_bytes()), ("work/m.txt", many.as_bytes())]);
        let text = fixture.good(&tool(), json!({"pattern": "needle"}));
        assert!(text.contains("stopped at the limit of 50") && text.contains("aaneedlebb"));
        assert!(text.len() < 3_000);
    }
}
