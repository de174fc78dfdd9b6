//! A workspace on disk for the tests of the tools.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;

use super::contract::{FileChange, Observation, Tool, ToolOutcome};
use super::inspect_data::DataReader;
use super::workspace::Workspace;
use crate::documents::document::Document;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::read::read;

/// Reads data in this process; the files of a test are not hostile.
pub(super) struct InProcess;

impl DataReader for InProcess {
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Arc<Document>, ReadError> {
        read(name, bytes, &Limits::default()).map(Arc::new)
    }
}

/// A workspace beside a folder that nothing may reach.
pub(super) struct Fixture {
    pub(super) parent: TempDir,
    pub(super) workspace: Workspace,
}

impl Fixture {
    pub(super) fn new(files: &[(&str, &[u8])]) -> Self {
        let parent = tempfile::tempdir().unwrap();
        std::fs::write(parent.path().join("secret.txt"), "canary").unwrap();
        let root = parent.path().join("workspace");
        std::fs::create_dir_all(root.join("work")).unwrap();
        for (path, content) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let workspace = Workspace::open(&root).unwrap();
        Self { parent, workspace }
    }

    pub(super) fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Places links that lead out of the workspace, and a pipe.
    pub(super) fn with_traps(self) -> Self {
        use std::os::unix::fs::symlink;
        let work = self.root().join("work");
        symlink(self.parent.path().join("secret.txt"), work.join("absolute.txt")).unwrap();
        symlink("../../secret.txt", work.join("climbing.txt")).unwrap();
        symlink("../..", work.join("folder")).unwrap();
        symlink("loop", work.join("loop")).unwrap();
        nix::unistd::mkfifo(&work.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        self
    }

    pub(super) const TRAPS: [&str; 9] = [
        "work/absolute.txt",
        "work/climbing.txt",
        "work/folder/secret.txt",
        "work/loop",
        "work/pipe",
        "../secret.txt",
        "/etc/passwd",
        "work/../../secret.txt",
        "a\0b",
    ];

    pub(super) fn seen(&self, tool: &dyn Tool, arguments: Value) -> Observation {
        match tool.call(&arguments, &self.workspace) {
            ToolOutcome::Observed(observation) => observation,
            other => panic!("{arguments}: {other:?}"),
        }
    }

    pub(super) fn good(&self, tool: &dyn Tool, arguments: Value) -> String {
        let seen = self.seen(tool, arguments);
        assert!(seen.ok, "{}", seen.text);
        seen.text
    }

    pub(super) fn bad(&self, tool: &dyn Tool, arguments: Value) -> String {
        let seen = self.seen(tool, arguments);
        assert!(!seen.ok, "{}", seen.text);
        assert!(!seen.text.contains("canary"));
        assert!(
            !seen.text.contains(&*self.parent.path().to_string_lossy()),
            "{}",
            seen.text
        );
        seen.text
    }

    pub(super) fn change(&self, tool: &dyn Tool, arguments: Value) -> (FileChange, String) {
        match tool.call(&arguments, &self.workspace) {
            ToolOutcome::Change(change, seen) => (change, seen.text),
            other => panic!("{arguments}: {other:?}"),
        }
    }
}
