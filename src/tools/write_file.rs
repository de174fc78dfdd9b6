//! `write_file`: a whole file, new or replaced.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{FileChange, Observation, Tool, ToolOutcome};
use super::cut::{self, Keep};
use super::diff;
use super::text_file;
use super::workspace::{CannotRead, ReadContent, Workspace};
use crate::domain::digest::Digest;
use crate::domain::format;
use crate::domain::workspace_path::WorkspacePath;
use crate::model::chat::ToolSpec;

/// Most bytes of a file that an agent writes.
pub const LARGEST: usize = 2 << 20;

/// The places that an agent may write to: below `work/`, and a few files by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Writable {
    artifacts: Vec<WorkspacePath>,
}

impl Writable {
    /// The folder `work/` and the files `artifacts`.
    pub fn new(artifacts: Vec<WorkspacePath>) -> Self {
        Self { artifacts }
    }

    /// The places in words: "`work/`, and `replication_info.json`".
    pub fn places(&self) -> String {
        let named = self.artifacts.iter().map(|path| format!(", and `{path}`"));
        format!("`work/`{}", named.collect::<String>())
    }

    /// Checks a path that is to be written, with the file as it is, if there is one.
    ///
    /// # Errors
    /// A path that is read-only or that a link is on the way to, or a file with another hard link, in
    /// words for the model.
    pub fn check(
        &self,
        path: &WorkspacePath,
        workspace: &Workspace,
        current: Option<&ReadContent>,
    ) -> Result<(), Observation> {
        let below_work = path.starts_with(WorkspacePath::WORK) && path.as_str() != WorkspacePath::WORK;
        if !below_work && !self.artifacts.contains(path) {
            // Replays compare these words with those of older runs.
            let named: Vec<_> = self.artifacts.iter().map(|path| format!(", `{path}`")).collect();
            return Err(Observation::bad(format!(
                "`{path}` is read-only. Only files below `work/`{} can be written; copy what you want to change \
                 to `work/{}`.",
                named.concat(),
                path.file_name()
            )));
        }
        if workspace.passes_link(path) {
            return Err(Observation::bad(format!(
                "`{path}` is or lies behind a symbolic link, and is not written: name the file itself."
            )));
        }
        if current.is_some_and(|content| content.shared) {
            return Err(Observation::bad(format!(
                "`{path}` has another name elsewhere (a hard link), and is not written: choose another name."
            )));
        }
        Ok(())
    }
}

/// Writes a file.
pub struct WriteFile {
    writable: Writable,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, such as `work/analysis.py`.
    path: String,
    /// The whole content.
    content: String,
    /// Whether a file of that name may be replaced.
    #[serde(default)]
    overwrite: bool,
}

impl WriteFile {
    /// The tool with the places that may be written.
    pub fn new(writable: Writable) -> Self {
        Self { writable }
    }

    fn write(&self, given: &Value, workspace: &Workspace) -> Result<ToolOutcome, Observation> {
        let asked: Arguments = arguments::read(self.name(), given)?;
        let path = arguments::path(&asked.path)?;
        if asked.content.len() > LARGEST {
            return Err(Observation::bad(format!(
                "`{path}` was not written: the content has {}, and at most {} are written.",
                format::size(asked.content.len() as u64),
                format::size(LARGEST as u64)
            )));
        }
        let current = match workspace.read(&path, LARGEST as u64) {
            Ok(content) => Some(content),
            Err(CannotRead::Missing(_)) => None,
            Err(problem) => return Err(Observation::bad(problem.to_string())),
        };
        self.writable.check(&path, workspace, current.as_ref())?;
        let lines = format::count(asked.content.lines().count());
        let Some(current) = current else {
            let seen = format!("`{path}` is written: {lines} lines.");
            let diff = diff::unified(path.as_str(), "", &asked.content);
            return Ok(change(path, None, asked.content.into_bytes(), diff, seen));
        };
        if !asked.overwrite {
            return Err(Observation::bad(format!(
                "`{path}` exists ({}) and was not replaced: use `edit_file`, another name, or `overwrite` = true.",
                format::size(current.size)
            )));
        }
        if current.bytes == asked.content.as_bytes() {
            return Err(Observation::bad(format!(
                "`{path}` holds exactly that already; nothing was changed."
            )));
        }
        if !current.is_whole() {
            return Err(Observation::bad(format!(
                "`{path}` is too large to be replaced ({}): choose another name.",
                format::size(current.size)
            )));
        }
        let before = Digest::compute(&current.bytes);
        let diff = match text_file::decode(&current.bytes) {
            Ok(file) => diff::unified(path.as_str(), &file.text, &asked.content),
            Err(kind) => format!("`{path}` was {kind} and becomes text of {lines} lines.\n"),
        };
        let seen = format!(
            "`{path}` is replaced: {lines} lines.\n{}",
            cut::cut(&diff, SHOWN, Keep::BothEnds, "`read_file` shows the whole file")
        );
        Ok(change(path, Some(before), asked.content.into_bytes(), diff, seen))
    }
}

/// How much of a diff the model sees.
pub(super) const SHOWN: cut::TextCap = cut::TextCap {
    lines: 120,
    characters: 6_000,
};

pub(super) fn change(
    path: WorkspacePath,
    before: Option<Digest>,
    after: Vec<u8>,
    diff: String,
    seen: String,
) -> ToolOutcome {
    let change = FileChange {
        path,
        before,
        after,
        diff,
    };
    ToolOutcome::Change(change, Observation::good(seen))
}

impl Tool for WriteFile {
    fn name(&self) -> &'static str {
        "write_file"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            &format!(
                "Writes a whole text file in {}. Use `edit_file` to change a part of a file.",
                self.writable.places()
            ),
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> ToolOutcome {
        self.write(given, workspace).unwrap_or_else(ToolOutcome::Observed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::Fixture;
    use super::*;

    fn tool() -> WriteFile {
        WriteFile::new(Writable::new(vec!["replication_info.json".parse().unwrap()]))
    }

    #[test]
    fn a_file_is_written_once_and_replaced_on_request() {
        let fixture = Fixture::new(&[("work/a.py", b"one\n")]);
        let (change, _) = fixture.change(&tool(), json!({"path": "work/new/b.py", "content": "x = 1\n"}));
        assert_eq!(
            (change.before, change.after.as_slice()),
            (None, b"x = 1\n".as_slice())
        );
        assert!(
            fixture
                .bad(&tool(), json!({"path": "work/a.py", "content": "two\n"}))
                .contains("overwrite")
        );
        let arguments = json!({"path": "work/a.py", "content": "two\n", "overwrite": true});
        let (change, seen) = fixture.change(&tool(), arguments);
        assert_eq!(change.before, Some(Digest::compute("one\n")));
        assert!(change.diff.contains("-one\n+two\n") && seen.contains("-one\n+two\n"));
        let same = json!({"path": "work/a.py", "content": "one\n", "overwrite": true});
        assert!(fixture.bad(&tool(), same).contains("nothing was changed"));
        fixture.change(&tool(), json!({"path": "replication_info.json", "content": "{}"}));
    }

    #[test]
    fn only_the_writable_places_are_written() {
        let fixture = Fixture::new(&[("replication_data/d.csv", b"a\n1\n")]).with_traps();
        let write = |path: &str| json!({"path": path, "content": "x", "overwrite": true});
        for path in ["replication_data/d.csv", "x.py", "workshop/x", "work", "."] {
            fixture.bad(&tool(), write(path));
        }
        for trap in Fixture::TRAPS {
            fixture.bad(&tool(), write(trap));
        }
        let link = fixture.root().join("work/data");
        std::os::unix::fs::symlink("../replication_data", link).unwrap();
        assert!(
            fixture
                .bad(&tool(), write("work/data/d.csv"))
                .contains("symbolic link")
        );
        assert!(
            fixture
                .bad(&tool(), write("work/data/new.csv"))
                .contains("symbolic link")
        );
        std::fs::hard_link(
            fixture.parent.path().join("secret.txt"),
            fixture.root().join("work/hard"),
        )
        .unwrap();
        assert!(fixture.bad(&tool(), write("work/hard")).contains("hard link"));
        let large = json!({"path": "work/large", "content": "x".repeat(LARGEST + 1)});
        assert!(fixture.bad(&tool(), large).contains("at most 2.1 MB"));
    }
}
