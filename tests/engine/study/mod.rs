//! Studies on disk: the published folders, and folders made to be difficult.

mod opening;
mod published;
mod staging;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use reprise::domain::digest::Digest;
use reprise::domain::mode::CodeAccess;
use reprise::study::error::StudyError;
use reprise::study::open::Study;
use reprise::study::stage::{Staged, stage};
use tempfile::TempDir;

const CANARY: &str = "canary-5b1e";

/// A study in the split layout, with references, that opens without a problem.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write(
        "input/initial_details.txt",
        "[CLAIM]\nx is up\n[HYPOTHESIS]\nx rises\n",
    );
    write("input/original_paper.pdf", "%PDF-1.4\n");
    write("input/replication_data/raw data/a & b (1)!.csv", "a,b\n1,2\n");
    write("input/replication_data/sub/!!FINAL!!.R", "print(1)\n");
    write("input/replication_data/.DS_Store", "x");
    write(
        "gt/expected_post_registration.json",
        &format!("{{\"a\": \"{CANARY}\",}}"),
    );
    write("gt/expected_post_registration_2.json", "{}");
    write("gt/human_report.pdf", &format!("%PDF-1.4 {CANARY}"));
    folder
}

fn staged(study: &Path, access: CodeAccess) -> (TempDir, Result<Staged, StudyError>) {
    let workspace = tempfile::tempdir().unwrap();
    let result = Study::open(study).and_then(|study| stage(&study, &workspace.path().join("ws"), access));
    (workspace, result)
}

/// Every path below a folder with its mode and content.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u32, Digest)> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| {
            let entry = entry.unwrap();
            let metadata = fs::symlink_metadata(entry.path()).unwrap();
            let content = if metadata.is_file() {
                fs::read(entry.path()).unwrap()
            } else {
                Vec::new()
            };
            let path = entry.path().strip_prefix(root).unwrap().to_owned();
            (path, (metadata.permissions().mode(), Digest::compute(content)))
        })
        .collect()
}

fn data(folder: &TempDir) -> PathBuf {
    folder.path().join("input/replication_data")
}
