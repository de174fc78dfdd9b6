//! Files that reach a workspace, and files that never do.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use reprise::domain::digest::Digest;
use reprise::domain::mode::CodeAccess;
use reprise::study::error::StudyError;
use reprise::study::gold::Gold;
use reprise::study::layout::Layout;
use reprise::study::open::Study;
use reprise::study::stage::stage;

use super::{CANARY, data, snapshot, staged, study};

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
        assert_eq!(Digest::compute(fs::read(&path).unwrap()), file.digest);
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

/// A compressed tar with a study's data and its reference.
fn packed() -> Vec<u8> {
    let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(encoder);
    for (name, text) in [("all/data.csv", "a\n1\n"), ("all/gt/human_report.pdf", CANARY)] {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn an_archive_that_holds_a_reference_is_refused_among_data_and_code() {
    for (name, access, is_refused) in [
        ("all.tar.gz", CodeAccess::Code, true),
        ("all.tar.gz", CodeAccess::DataOnly, true),
        ("data.dat", CodeAccess::DataOnly, true),
        ("all.Rproj", CodeAccess::Code, true),
        ("all.Rproj", CodeAccess::DataOnly, false),
    ] {
        let folder = study();
        fs::write(data(&folder).join(name), packed()).unwrap();
        let (workspace, result) = staged(folder.path(), access);
        match result {
            Err(StudyError::ReferenceInArchive { file, entry }) => {
                assert!(is_refused && file.ends_with(name), "{name}");
                assert_eq!(entry, "all/gt/human_report.pdf");
            }
            other => assert!(!is_refused && other.is_ok(), "{name} {other:?}"),
        }
        let copies = snapshot(workspace.path());
        assert!(!copies.keys().any(|path| path.ends_with(name)), "{name}");
    }
}

#[test]
fn an_archive_that_cannot_be_listed_stays_behind_and_is_named() {
    let folder = study();
    fs::write(data(&folder).join("more.rar"), b"Rar!\x1a\x07\x01\0").unwrap();
    let (_workspace, result) = staged(folder.path(), CodeAccess::Code);
    let result = result.unwrap();
    let left = result
        .left_out
        .iter()
        .find(|left| left.path.as_str().ends_with("more.rar"));
    assert_eq!(
        left.unwrap().reason,
        "cannot be looked into for references, since RAR archives cannot be listed: lay what the analysis reads \
         beside it, unpacked, and remove it"
    );
    let problems = Study::open(folder.path()).unwrap().archive_problems().unwrap();
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0]
            .sentence
            .starts_with("`replication_data/more.rar` cannot be looked into")
    );
}

#[test]
fn a_folder_of_references_among_the_data_stays_behind() {
    let folder = study();
    let inner = data(&folder).join("raw data/gt");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("table.csv"), "a\n1\n").unwrap();
    let (_workspace, result) = staged(folder.path(), CodeAccess::Code);
    let result = result.unwrap();
    assert!(!result.files.iter().any(|file| file.path.as_str().contains("/gt")));
    assert!(
        result
            .left_out
            .iter()
            .any(|left| left.path.as_str() == "replication_data/raw data/gt")
    );
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
    let told = gold.check();
    assert!(
        told[0].sentence.contains("was mended") && told[0].sentence.contains("comma"),
        "{told:?}"
    );
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
