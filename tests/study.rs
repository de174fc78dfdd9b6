//! Studies on disk: the published folders, and folders made to be difficult.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, outside the functions that clippy knows as tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use reprise::domain::digest::Digest;
use reprise::domain::mode::CodeAccess;
use reprise::domain::plan::Interpreter;
use reprise::study::check::Severity;
use reprise::study::error::StudyError;
use reprise::study::gold::Gold;
use reprise::study::kind::Kind;
use reprise::study::layout::Layout;
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
            (path, (metadata.permissions().mode(), Digest::of(content)))
        })
        .collect()
}

fn data(folder: &TempDir) -> PathBuf {
    folder.path().join("input/replication_data")
}

#[test]
fn a_workspace_holds_data_code_and_nothing_else() {
    let folder = study();
    let before = snapshot(folder.path());
    let (workspace, result) = staged(folder.path(), CodeAccess::Code);
    let result = result.unwrap();
    let names: Vec<_> = result.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        names,
        [
            "initial_details.txt",
            "original_paper.pdf",
            "replication_data/raw data/a & b (1)!.csv",
            "work/sub/!!FINAL!!.R"
        ]
    );
    assert_eq!(result.code[0].as_str(), "work/sub/!!FINAL!!.R");
    assert_eq!(result.left_out[0].path.as_str(), "replication_data/.DS_Store");
    let root = workspace.path().join("ws");
    assert!(root.join("logs").is_dir());
    for file in &result.files {
        let path = file.path.below(&root);
        let read_only = fs::metadata(&path).unwrap().permissions().mode() & 0o222 == 0;
        assert_eq!(read_only, !file.path.starts_with("work"), "{}", file.path);
        assert_eq!(Digest::of(fs::read(&path).unwrap()), file.digest);
    }
    fs::write(root.join("work/sub/!!FINAL!!.R"), "changed").unwrap();
    assert_eq!(snapshot(folder.path()), before, "the study was written");
    let (_again, second) = staged(folder.path(), CodeAccess::Code);
    assert_eq!(second.unwrap(), result);
}

#[test]
fn data_only_has_no_code() {
    let folder = study();
    let (workspace, result) = staged(folder.path(), CodeAccess::DataOnly);
    let result = result.unwrap();
    assert!(result.code.is_empty());
    assert_eq!(fs::read_dir(workspace.path().join("ws/work")).unwrap().count(), 0);
    assert!(
        !snapshot(workspace.path())
            .keys()
            .any(|path| path.extension().is_some_and(|end| end == "R"))
    );
    assert!(result.left_out.iter().any(|one| one.reason.contains("data only")));
    let (_other, with_code) = staged(folder.path(), CodeAccess::Code);
    assert_eq!(with_code.unwrap().data, result.data);
}

#[test]
fn the_study_corrects_what_counts_as_code() {
    let folder = study();
    for (name, text) in [
        ("appendix.PDF", "%PDF- code as text"),
        ("code.txt", "lm(y ~ x)"),
        ("analysis.lst", "proc reg;"),
        ("matrix.m", "1 2"),
    ] {
        fs::write(data(&folder).join(name), text).unwrap();
    }
    let left = |access| -> Vec<String> {
        let (_workspace, result) = staged(folder.path(), access);
        let files = result.unwrap().files.into_iter();
        files
            .filter_map(|file| Some(file.path.as_str().split_once('/')?.1.to_owned()))
            .collect()
    };
    // What looks like data stays, and that a PDF may hold code is said.
    let before = left(CodeAccess::DataOnly);
    assert!(
        before.iter().any(|name| name == "appendix.PDF") && !before.iter().any(|name| name == "matrix.m")
    );
    let notes = |folder: &Path| -> Vec<String> {
        let problems = Study::open(folder).unwrap().check();
        problems.iter().map(ToString::to_string).collect()
    };
    let told = notes(folder.path());
    assert!(
        told.iter()
            .any(|note| note.contains("appendix.PDF` may hold code as text") && note.contains("study.toml")),
        "{told:?}"
    );
    let manifest = "format = 1\nid = \"x\"\ntitle = \"t\"\ncitation = \"c\"\n[code]\nextensions = [\"lst\"]\n\
        data = [\"matrix.m\"]\ncode = [\"appendix.PDF\", \"code.txt\"]\n";
    fs::write(folder.path().join("study.toml"), manifest).unwrap();
    assert_eq!(
        left(CodeAccess::DataOnly),
        ["matrix.m", "raw data/a & b (1)!.csv"]
    );
    assert_eq!(left(CodeAccess::Code).len(), 6);
    let told = notes(folder.path());
    assert!(!told.iter().any(|note| note.contains("appendix.PDF")), "{told:?}");
}

#[test]
fn links_out_of_the_study_are_refused_and_links_within_are_copied() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "s").unwrap();
    let targets = [
        outside.path().join("secret"),
        outside.path().to_owned(),
        "/etc/passwd".into(),
        "nowhere".into(),
        "../../gt/human_report.pdf".into(),
        "../../gt".into(),
        "../..".into(),
        "..".into(),
        ".".into(),
        "loop.csv".into(),
    ];
    for target in targets {
        let folder = study();
        symlink(&target, data(&folder).join("loop.csv")).unwrap();
        let (workspace, result) = staged(folder.path(), CodeAccess::Code);
        let error = result.expect_err(&format!("{} was followed", target.display()));
        assert!(
            matches!(error, StudyError::BadLink(_)) && error.to_string().contains("loop.csv"),
            "{} gave {error}",
            target.display()
        );
        assert_eq!(snapshot(workspace.path()).len(), 1);
    }
    let folder = study();
    symlink("raw data/a & b (1)!.csv", data(&folder).join("same.csv")).unwrap();
    symlink("raw data", data(&folder).join("again")).unwrap();
    let (workspace, result) = staged(folder.path(), CodeAccess::Code);
    assert_eq!(result.unwrap().files.len(), 6);
    let copy = workspace.path().join("ws/replication_data/same.csv");
    assert!(fs::symlink_metadata(&copy).unwrap().is_file());
}

#[test]
fn parts_that_link_out_are_refused() {
    for part in [
        "input/original_paper.pdf",
        "input/initial_details.txt",
        "input/replication_data",
        "input",
    ] {
        let (folder, other) = (study(), study());
        let path = folder.path().join(part);
        fs::rename(&path, folder.path().join("aside")).unwrap();
        symlink(other.path().join(part), &path).unwrap();
        assert!(
            matches!(Study::open(folder.path()), Err(StudyError::BadLink(_))),
            "{part}"
        );
    }
}

#[test]
fn references_never_reach_a_workspace() {
    let folder = study();
    let gold = folder.path().join("gt/human_report.pdf");
    fs::copy(&gold, data(&folder).join("innocent.pdf")).unwrap();
    fs::copy(&gold, data(&folder).join("innocent.R")).unwrap();
    fs::write(data(&folder).join("Human_Report.txt"), CANARY).unwrap();
    fs::create_dir(data(&folder).join("sub2")).unwrap();
    fs::write(
        data(&folder).join("sub2/expected_post_registration_3.json"),
        CANARY,
    )
    .unwrap();
    fs::write(data(&folder).join("study.toml"), CANARY).unwrap();
    let (workspace, result) = staged(folder.path(), CodeAccess::Code);
    assert_eq!(result.unwrap().left_out.len(), 6);
    for path in snapshot(workspace.path()).keys() {
        let bytes = fs::read(workspace.path().join(path)).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&bytes).contains(CANARY),
            "{}",
            path.display()
        );
    }
    let gold = Gold::open(&Study::open(folder.path()).unwrap()).unwrap();
    assert_eq!(gold.post_registrations.len(), 2);
    assert_eq!(gold.post_registrations[0].value["a"], CANARY);
    assert_eq!(gold.post_registrations[0].repairs.len(), 1);
    assert!(gold.report.is_some() && gold.preregistration.is_none());
}

#[test]
fn special_files_and_bad_places_are_refused() {
    let folder = study();
    let pipe = data(&folder).join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(matches!(
        Study::open(folder.path()),
        Err(StudyError::SpecialFile(_))
    ));
    fs::remove_file(&pipe).unwrap();
    let opened = Study::open(folder.path()).unwrap();
    let before = snapshot(folder.path());
    for inside in ["ws", "input/replication_data/ws/deep"] {
        let result = stage(&opened, &folder.path().join(inside), CodeAccess::Code);
        assert!(matches!(result, Err(StudyError::WorkspaceInStudy(_))));
    }
    assert_eq!(snapshot(folder.path()), before);
    let full = tempfile::tempdir().unwrap();
    fs::write(full.path().join("x"), "x").unwrap();
    let result = stage(&opened, full.path(), CodeAccess::Code);
    assert!(matches!(result, Err(StudyError::WorkspaceNotEmpty(_))));
}

#[test]
fn each_missing_part_is_named() {
    let cases: [(&str, Option<&str>, &str); 7] = [
        (
            "input/initial_details.txt",
            None,
            "initial_details.txt is missing",
        ),
        ("input/initial_details.txt", Some("no heading"), "[CLAIM]"),
        ("input/original_paper.pdf", None, "original_paper.pdf is missing"),
        (
            "input/original_paper.pdf",
            Some("<html>"),
            "is not a PDF: it is a web page",
        ),
        (
            "input/original_paper.pdf",
            Some("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 77\n"),
            "git lfs pull",
        ),
        ("input/replication_data", None, "replication_data is missing"),
        (
            "study.toml",
            Some("format = 1\nformt = 2\n"),
            "study.toml, line 2: `formt`",
        ),
    ];
    for (part, content, words) in cases {
        let folder = study();
        let path = folder.path().join(part);
        match content {
            Some(content) => fs::write(path, content).unwrap(),
            None if path.is_dir() => fs::remove_dir_all(path).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        let error = Study::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains(words), "{part}: {error}");
    }
    let empty = study();
    fs::remove_dir_all(data(&empty)).unwrap();
    fs::create_dir(data(&empty)).unwrap();
    assert!(matches!(Study::open(empty.path()), Err(StudyError::NoFiles(_))));
    let nothing = tempfile::tempdir().unwrap();
    assert!(matches!(Study::open(nothing.path()), Err(StudyError::NoStudy(_))));
    assert!(matches!(
        Study::open(&nothing.path().join("x")),
        Err(StudyError::NoStudy(_))
    ));
}

#[test]
fn the_flat_layout_keeps_its_references() {
    let split = study();
    let flat = tempfile::tempdir().unwrap();
    for part in ["initial_details.txt", "original_paper.pdf", "replication_data"] {
        fs::rename(split.path().join("input").join(part), flat.path().join(part)).unwrap();
    }
    let report = format!("%PDF- {CANARY}");
    fs::write(flat.path().join("human_preregistration.pdf"), &report).unwrap();
    let study = Study::open(flat.path()).unwrap();
    assert_eq!(study.layout(), Layout::Flat);
    assert!(Gold::open(&study).unwrap().preregistration.is_some());
    let (_workspace, result) = staged(flat.path(), CodeAccess::Code);
    assert_eq!(result.unwrap().files.len(), 4);
    symlink(
        "../human_preregistration.pdf",
        flat.path().join("replication_data/x.pdf"),
    )
    .unwrap();
    assert!(matches!(Study::open(flat.path()), Err(StudyError::BadLink(_))));
}

#[test]
fn a_study_of_pointers_opens_and_cannot_be_analysed() {
    let folder = study();
    let file = data(&folder).join("raw data/a & b (1)!.csv");
    fs::write(
        &file,
        "version https://git-lfs.github.com/spec/v1\noid sha256:4f64\nsize 9999\n",
    )
    .unwrap();
    let opened = Study::open(folder.path()).unwrap();
    let error = opened.ensure_usable_data().unwrap_err().to_string();
    for words in ["a & b (1)!.csv", "9999", "sha256:4f64", "git lfs pull"] {
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(opened.check()[0].severity, Severity::Error);
    let (_workspace, result) = staged(folder.path(), CodeAccess::Code);
    assert!(
        result
            .unwrap()
            .left_out
            .iter()
            .any(|one| one.reason.contains("pointer"))
    );
    fs::write(data(&folder).join("good.csv"), "a\n1\n").unwrap();
    let opened = Study::open(folder.path()).unwrap();
    assert!(opened.ensure_usable_data().is_ok());
    assert_eq!(opened.check()[0].severity, Severity::Warning);
}

#[test]
fn the_digest_follows_every_input() {
    let folder = study();
    let digest = || Study::open(folder.path()).unwrap().study_digest().unwrap();
    let mut seen = vec![digest()];
    fs::write(data(&folder).join("sub/!!FINAL!!.R"), "print(2)\n").unwrap();
    seen.push(digest());
    fs::write(folder.path().join("input/original_paper.pdf"), "%PDF-1.5\n").unwrap();
    seen.push(digest());
    fs::rename(data(&folder).join("raw data"), data(&folder).join("raw")).unwrap();
    seen.push(digest());
    let manifest =
        "format = 1\nid = \"x\"\ntitle = \"t\"\ncitation = \"c\"\n[code]\ndata = [\"sub/!!FINAL!!.R\"]\n";
    fs::write(folder.path().join("study.toml"), manifest).unwrap();
    seen.push(digest());
    let distinct: std::collections::BTreeSet<_> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len());
    fs::write(folder.path().join("gt/human_report.pdf"), "other").unwrap();
    assert_eq!(Some(&digest()), seen.last());
}

/// Study, data files, pointers, code files, and whether an analysis can run: counted in the folders.
const PUBLISHED: [(&str, usize, usize, usize, bool); 15] = [
    ("1", 2, 2, 1, false),
    ("2", 0, 0, 1, false),
    ("3", 2, 1, 1, true),
    ("4", 1, 0, 1, true),
    ("5", 1, 1, 1, false),
    ("6", 1, 1, 1, false),
    ("7", 4, 3, 1, false),
    ("8", 1, 1, 1, false),
    ("9", 2, 2, 1, false),
    ("10", 2, 2, 1, false),
    ("11", 1, 0, 1, true),
    ("13", 3, 0, 1, true),
    ("30", 2, 0, 1, true),
    ("33", 1, 0, 1, true),
    ("37", 3, 0, 1, true),
];

#[test]
fn the_published_studies_open_and_stay_as_they_are() {
    let shared = std::env::var("REPRISE_SHARED").unwrap_or_else(|_| "../shared".to_owned());
    let root = Path::new(&shared).join("data/replicatorbench/original");
    if !root.is_dir() {
        println!("skipped: no shared data");
        return;
    }
    println!("study layout claim-words data pointers code gold problems");
    for (name, data, pointers, code, runs) in PUBLISHED {
        let folder = root.join(name);
        let before = snapshot(&folder);
        let study = Study::open(&folder).unwrap_or_else(|error| panic!("{error}"));
        let gold = Gold::open(&study).unwrap();
        let problems = study.check();
        let count = |kind| study.of_kind(kind).count();
        let found = study.files().iter().filter(|file| file.is_pointer()).count();
        println!(
            "{name} {:?} {} {} {found} {} {} {}",
            study.layout(),
            study.claim().statement.split_whitespace().count(),
            count(Kind::Data),
            count(Kind::Code),
            gold.post_registrations.len(),
            problems.len(),
        );
        for problem in &problems {
            println!("    {:?}: {problem}", problem.severity);
        }
        assert_eq!(
            (count(Kind::Data), found, count(Kind::Code)),
            (data, pointers, code),
            "{name}"
        );
        assert_eq!(study.ensure_usable_data().is_ok(), runs, "{name}");
        assert!(!study.claim().hypotheses.is_empty());
        assert!(gold.unreadable.is_empty() && gold.report.is_some() && gold.preregistration.is_some());
        for access in [CodeAccess::Code, CodeAccess::DataOnly] {
            let (_workspace, result) = staged(&folder, access);
            let expected = if access == CodeAccess::Code { code } else { 0 };
            let result = result.unwrap();
            assert_eq!(result.code.len(), expected, "{name}");
            // What is left holds nothing that a script's interpreter would be chosen for.
            let scripts = result
                .files
                .iter()
                .filter(|file| Interpreter::of(&file.path).is_ok());
            assert_eq!(scripts.count(), expected, "{name}");
        }
        assert_eq!(snapshot(&folder), before, "{name} was written");
    }
}
