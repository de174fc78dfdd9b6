//! `list_files`: what a folder holds.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Tool, ToolOutcome};
use super::cut::{self, Keep, TextCap};
use super::text_file;
use super::walk::{self, EntryKind};
use super::workspace::Workspace;
use crate::domain::format;
use crate::domain::result_line;
use crate::domain::workspace_path::WorkspacePath;
use crate::model::chat::ToolSpec;

const CAP: TextCap = TextCap {
    lines: 400,
    characters: 30_000,
};

/// Lists a folder.
pub struct ListFiles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The folder, relative to the workspace; `.` is the workspace itself.
    #[serde(default)]
    folder: String,
    /// How many levels of folders are shown, from 1 to 8.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 8))]
    depth: usize,
}

fn three() -> usize {
    3
}

impl Tool for ListFiles {
    fn name(&self) -> &'static str {
        "list_files"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Lists the files of a folder with their sizes. Files outside `work/` are marked read-only.",
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> ToolOutcome {
        ToolOutcome::Observed(match self.list(given, workspace) {
            Ok(text) => Observation::good(text),
            Err(problem) => problem,
        })
    }
}

impl ListFiles {
    fn list(&self, given: &Value, workspace: &Workspace) -> Result<String, Observation> {
        let Arguments { folder, depth } = arguments::read(self.name(), given)?;
        let folder = arguments::path(&folder)?;
        let walk =
            walk::walk(workspace, &folder, depth).map_err(|problem| Observation::bad(problem.to_string()))?;
        if walk.entries.is_empty() {
            return Ok(format!("`{folder}` is an empty folder."));
        }
        let files = walk
            .entries
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::File(_)))
            .count();
        let mut text = format!("`{folder}`: {} files", format::count(files));
        if walk.incomplete {
            text.push_str(&format!(
                " among the first {} entries; there are more",
                format::count(walk::MOST)
            ));
        }
        text.push('\n');
        let shown = walk.entries.iter().take(CAP.lines + 1);
        for entry in shown {
            text.push_str(&"  ".repeat(entry.depth));
            text.push_str(entry.path.file_name());
            text.push_str(&match entry.kind {
                EntryKind::Folder if entry.depth + 1 == depth => "/ (not opened)".to_owned(),
                EntryKind::Folder => "/".to_owned(),
                EntryKind::Link => " (a link)".to_owned(),
                EntryKind::Other => " (not a file)".to_owned(),
                EntryKind::File(size) => format!("  {}", described(workspace, &entry.path, size)),
            });
            text.push('\n');
        }
        let left_out = walk.entries.len().saturating_sub(CAP.lines + 1);
        let more = format!("{left_out} further entries; name a folder or a smaller depth");
        Ok(cut::cut(&text, CAP, Keep::Beginning, &more))
    }
}

fn described(workspace: &Workspace, path: &WorkspacePath, size: u64) -> String {
    // How long a program's warnings are differs between machines, and no
    // prompt should.
    if path.starts_with("logs") {
        return "log, read-only".to_owned();
    }
    // Nor the last digit of a result, in which processors differ: its lines in
    // whole kilobytes.
    let results = path.as_str() == result_line::FILE;
    let mut words = vec![format::size(if results { size.max(1_000) } else { size })];
    if size == 0 {
        words = vec!["empty".to_owned()];
    } else if size <= 1024
        && let Ok(content) = workspace.read(path, 1024)
        && let Some(real) = text_file::lfs_size(&content.bytes)
    {
        words.push(format!(
            "a Git LFS pointer, the file of {} was not fetched",
            format::size(real)
        ));
    }
    if !path.starts_with(WorkspacePath::WORK) {
        words.push("read-only".to_owned());
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn sizes_and_marks_in_order() {
        let fixture = Fixture::new(&[
            ("work/b.py", b"print(1)\n"),
            ("work/a/deep/x.txt", b""),
            (
                "replication_data/big.csv",
                b"version https://git-lfs.github.com/spec/v1\nsize 5000000\n",
            ),
        ]);
        assert_eq!(
            fixture.good(&ListFiles, json!({"folder": "."})),
            "`.`: 2 files\nreplication_data/\n  big.csv  56 bytes, a Git LFS pointer, the file of 5.0 MB was not \
             fetched, read-only\nwork/\n  a/\n    deep/ (not opened)\n  b.py  9 bytes\n"
        );
        assert!(
            fixture
                .bad(&ListFiles, json!({"folder": "none"}))
                .contains("does not exist")
        );
        assert!(fixture.bad(&ListFiles, json!({"depth": "x"})).contains("`depth`"));
    }

    #[test]
    fn a_last_digit_in_a_result_leaves_the_listing_as_it_is() {
        let listing = |digits: usize| {
            let written = "1".repeat(digits);
            let fixture = Fixture::new(&[("work/results.jsonl", written.as_bytes())]);
            fixture.good(&ListFiles, json!({"folder": "work"}))
        };
        assert_eq!(listing(876), listing(875));
        assert_ne!(listing(876), listing(2_876));
    }

    #[test]
    fn links_are_named_and_not_followed() {
        let fixture = Fixture::new(&[]).with_traps();
        let text = fixture.good(&ListFiles, json!({"folder": "work", "depth": 8}));
        assert!(text.contains("folder (a link)") && text.contains("pipe (not a file)"));
        assert!(!text.contains("secret"));
        for trap in ["..", "/", "work/folder", "work/../.."] {
            fixture.bad(&ListFiles, json!({"folder": trap}));
        }
    }

    #[test]
    fn a_crowded_folder_is_cut() {
        let fixture = Fixture::new(&[]);
        for number in 0..450 {
            std::fs::write(fixture.root().join(format!("work/{number:04}.txt")), "x").unwrap();
        }
        let text = fixture.good(&ListFiles, json!({"folder": "work"}));
        assert!(text.lines().count() <= 401, "{}", text.lines().count());
        assert!(text.contains("49 further entries"), "{text}");
    }
}
