use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::format1::stored;
use super::support::{Place, RUN, called};

#[test]
fn a_report_comes_in_three_forms() {
    let place = Place::finished();
    let page = fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(
        page.contains("criterion is met") && !page.contains("src=\"http"),
        "no verdict on the page"
    );
    let called = place.call(&["report", "out", "--format", "json", "--out", "-"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["format"], "reprise-report/1");
    let called = place.call(&["report", "out", "--format", "md", "--out", "-"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("report_md", place.plain(&called.stdout));
    let called = place.call(&["report", "out", "--format", "md"]);
    assert_eq!(called.stdout.trim_end().rsplit('/').next(), Some("report.md"));
}

#[test]
fn a_run_under_way_can_be_reported() {
    let place = Place::new();
    place.study();
    killed(&place);
    let called = place.call(&["report", "out", "--format", "md", "--out", "-"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stdout.contains("Yield and dose"), "{}", called.stdout);
    let (top, _) = called.stdout.split_once("## Verdict").unwrap();
    assert!(
        top.contains("has not ended") && top.contains("`reprise resume out` goes on"),
        "{top}"
    );
    let page = place.call(&["report", "out", "--out", "-"]).stdout;
    let (top, _) = page.split_once("<p class=\"sentence\">").unwrap();
    assert!(top.contains("<code>reprise resume out</code> goes on"), "{top}");
}

/// A run of the fixture study whose process died amid it.
fn killed(place: &Place) {
    place
        .command(&RUN)
        .env("REPRISE_DIE_AFTER_EVENT", "30")
        .output()
        .unwrap();
}

/// The report of `run` in each form: its scores, and all but these.
struct Forms {
    scores: Vec<String>,
    rest: Vec<String>,
}

impl Forms {
    fn of(place: &Place, run: &str) -> Self {
        let (mut scores, mut rest) = (Vec::new(), Vec::new());
        for (format, begin, end) in [
            ("html", "<section id=\"scores\">", "</section>"),
            ("md", "\n## Scores", "\n## Checks"),
            ("json", "\n  \"scores\": {", "\n  },"),
        ] {
            let called = place.call(&["report", run, "--format", format, "--out", "-"]);
            assert_eq!(called.status, 0, "{format}: {}", called.stderr);
            let (before, from) = called.stdout.split_once(begin).unwrap();
            let (of_scores, after) = from.split_once(end).unwrap();
            scores.push(of_scores.to_owned());
            rest.push(format!("{before}[SCORES]{after}"));
        }
        Self { scores, rest }
    }

    fn markdown(&self) -> &str {
        &self.rest[1]
    }
}

fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn a_report_is_the_same_without_the_study_but_for_its_scores() {
    let place = Place::finished();
    let study = place.path().join("slope");
    let begun = Forms::of(&place, "out");
    assert!(begun.scores[1].contains("ROUGE-L") && !begun.scores[1].contains("have changed"));

    // What the study says of the original afterwards is not what the run stood on.
    edit(&study.join("study.toml"), "estimate = 1.9", "estimate = 190.0");
    let edited = Forms::of(&place, "out");
    assert_eq!(edited.rest, begun.rest);
    assert_eq!(edited.scores, begun.scores);

    edit(&study.join("study.toml"), "label = \"met\"", "label = \"unmet\"");
    let relabelled = Forms::of(&place, "out");
    assert_eq!(relabelled.rest, begun.rest);
    for scores in &relabelled.scores {
        assert!(scores.contains("have changed since this run began"), "{scores}");
    }

    fs::rename(&study, place.path().join("elsewhere")).unwrap();
    let gone = Forms::of(&place, "out");
    assert_eq!(gone.rest, begun.rest);
    for scores in &gone.scores {
        assert!(scores.contains("references could not be read"), "{scores}");
    }
}

#[test]
fn changed_references_are_told() {
    let place = Place::finished();
    let reference = "slope/gt/expected_post_registration.json";
    edit(
        &place.path().join(reference),
        "rises with dose",
        "falls with dose",
    );
    let changed = Forms::of(&place, "out");
    assert!(changed.scores[1].contains("have changed since this run began"));
}

#[test]
fn a_resumed_run_stands_on_the_study_as_it_was_begun() {
    let place = Place::new();
    let study = place.study();
    killed(&place);
    edit(&study.join("study.toml"), "estimate = 1.9", "estimate = 190.0");
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let resumed = Forms::of(&place, "out");
    fs::remove_dir_all(&study).unwrap();
    assert_eq!(Forms::of(&place, "out").rest, resumed.rest);
    let json: serde_json::Value = serde_json::from_str(
        &place
            .call(&["report", "out", "--format", "json", "--out", "-"])
            .stdout,
    )
    .unwrap();
    assert_eq!(json["run"]["study_copy"]["original"]["estimate"], 1.9);
}

#[test]
fn a_run_without_a_copy_of_its_study_says_what_it_reads_there() {
    let place = Place::new();
    stored(&place, "finished", None);
    let beside = Forms::of(&place, "finished");
    assert!(
        beside
            .markdown()
            .contains("they are read from the study as it stands"),
        "{}",
        beside.markdown()
    );
    fs::remove_dir_all(place.path().join("slope")).unwrap();
    let alone = Forms::of(&place, "finished");
    assert!(
        alone.markdown().contains("holds no copy") && alone.markdown().contains("could not be read"),
        "{}",
        alone.markdown()
    );
}

#[test]
fn nothing_is_looked_up_in_another_paper_than_the_run_was_given() {
    let place = Place::finished();
    let paper = place.path().join("out/workspace/original_paper.pdf");
    let mut bytes = fs::read(&paper).unwrap();
    let folder = paper.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    bytes.extend(b"\n% another\n");
    fs::remove_file(&paper).unwrap();
    fs::write(&paper, bytes).unwrap();
    let text = Forms::of(&place, "out").rest.remove(1);
    assert!(
        text.contains("it is not the paper that the run was given") && text.contains("not looked up"),
        "{text}"
    );
}

/// A program called `pandoc` that does what a script says, ahead of any other.
fn scripted_pandoc(place: &Place, script: &str) -> String {
    let folder = place.path().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("pandoc");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", folder.display())
}

#[test]
fn a_word_document_is_made_by_pandoc() {
    let place = Place::finished();
    let path = scripted_pandoc(&place, r"printf 'PK\003\004'; cat");
    let word = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        called(command.env("PATH", &path).output().unwrap())
    };
    let markdown = place
        .call(&["report", "out", "--format", "md", "--out", "-"])
        .stdout;
    for (arguments, file) in [
        (&["report", "out", "--format", "docx"][..], "out/report.docx"),
        (&["report", "out", "--out", "mine.docx"], "mine.docx"),
    ] {
        let made = word(arguments);
        assert_eq!(made.status, 0, "{}", made.stderr);
        let bytes = fs::read(place.path().join(file)).unwrap();
        assert_eq!(bytes, [b"PK\x03\x04", markdown.as_bytes()].concat(), "{file}");
    }
    let printed = word(&["report", "out", "--format", "docx", "--out", "-"]);
    assert_eq!(printed.status, 2, "{}", printed.stderr);
}

#[test]
fn without_pandoc_the_error_names_its_package() {
    let place = Place::finished();
    let mut command = place.command(&["report", "out", "--out", "mine.docx"]);
    let refused = called(command.env("PATH", place.path()).output().unwrap());
    assert_ne!(refused.status, 0);
    assert!(
        refused.stderr.contains("`apt-get install pandoc`"),
        "{}",
        refused.stderr
    );
    assert!(!place.path().join("mine.docx").exists());
}
