//! Studies that open, and messages on those that do not.

use std::fs;
use std::os::unix::fs::symlink;

use reprise::domain::mode::CodeAccess;
use reprise::study::check::Severity;
use reprise::study::error::StudyError;
use reprise::study::open::Study;

use super::{data, staged, study};

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
