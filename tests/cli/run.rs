use super::scripted_study;
use super::support::{Place, RUN, copy, fixture_named, tree};
use crate::need;

#[test]
fn a_run_goes_from_paper_to_verdict() {
    let place = Place::new();
    place.study();
    let probed: Vec<&str> = RUN.into_iter().filter(|word| *word != "--no-probe").collect();
    let called = place.call(&probed);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("run_stdout", place.plain(&called.stdout));
    insta::assert_snapshot!("run_stderr", place.plain(&called.stderr));
}

#[test]
fn json_holds_the_verdict_and_nothing_else_is_printed() {
    let place = Place::new();
    place.study();
    let called = place.call(&[&RUN[..], &["--json"]].concat());
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["verdict"]["outcome"], "met");
    assert_eq!(value["verdict"]["finding"]["estimate"], 1.94);
    assert_eq!(value["exit_code"], 0);
}

#[test]
fn a_claim_is_put_in_the_wording_that_was_asked_for() {
    let place = Place::new();
    place.study();
    let open = "Whether this holds is open";
    for (out, wording, is_open) in [("given", "as-given", false), ("open", "neutral", true)] {
        let mut asks = [&RUN[..], &["--wording", wording]].concat();
        asks[7] = out;
        let called = place.call(&asks);
        // The recording answers the claim as it is given, and no other prompt.
        assert_eq!(called.status == 0, !is_open, "{}", called.stderr);
        let started = scripted_study::events(&place, out, "stage_started");
        let told = scripted_study::content(&place, out, &started[0]["user"]);
        assert_eq!(told.contains(open), is_open, "{told}");
        let run = scripted_study::events(&place, out, "run_started");
        assert_eq!(
            run[0]["settings"]["wording"].as_str(),
            is_open.then_some("neutral")
        );
        assert!(!run[0]["claim"]["statement"].as_str().unwrap().contains(open));
    }
}

#[test]
fn two_runs_write_the_same_bytes() {
    let place = Place::new();
    place.study();
    assert_eq!(place.call(&RUN).status, 0);
    let mut second = RUN;
    second[7] = "again";
    assert_eq!(place.call(&second).status, 0);
    for folder in ["artifacts", "workspace"] {
        assert_eq!(
            tree(&place.path().join("out").join(folder)),
            tree(&place.path().join("again").join(folder))
        );
    }
}

#[test]
fn the_study_is_never_written() {
    let place = Place::new();
    let before = tree(&place.study());
    assert_eq!(place.call(&RUN).status, 0);
    assert_eq!(tree(&place.path().join("slope")), before);
}

#[test]
fn a_folder_that_is_in_use_is_not_run_into() {
    let place = Place::new();
    place.study();
    assert_eq!(place.call(&RUN).status, 0);
    let called = place.call(&RUN);
    assert_eq!(called.status, 2);
    assert_eq!(
        place.plain(&called.stderr),
        "error: out exists and is not empty: `reprise resume` goes on with it\n"
    );
}

#[test]
fn a_reference_reaches_nobody() {
    let place = Place::new();
    let manifest = place.study().join("study.toml");
    let resource = "[[resources]]\nid = \"REPRISE-CANARY-resource\"\nkind = \"dataset\"\n";
    let text = std::fs::read_to_string(&manifest).unwrap() + resource;
    std::fs::write(&manifest, text).unwrap();
    assert_eq!(place.call(&RUN).status, 0);
    for (name, bytes) in tree(&place.path().join("out")) {
        if name.starts_with("report.") || name == "scores.json" {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("REPRISE-CANARY"),
            "{name} holds the reference's canary"
        );
    }
}

#[test]
fn denied_means_that_nothing_ran() {
    let place = Place::new();
    place.study();
    let mut run = RUN.to_vec();
    run[5] = "deny";
    // Denied edits change what the model is asked, so its answers go by position.
    run.extend(["--model", "scripted:native"]);
    let called = place.call(&run);
    assert_eq!(called.status, 4, "{}", called.stderr);
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("execution_started") && journal.contains(r#""cause":"cancelled""#));
    assert!(!place.path().join("out/workspace/work/finished.txt").exists());
    assert!(
        called.stdout.starts_with("inconclusive (nothing was run):"),
        "{}",
        called.stdout
    );
}

#[test]
fn mistakes_are_answered_in_one_line() {
    let place = Place::new();
    let study = place.study();
    let mut told = String::new();
    let mut tell = |arguments: &[&str]| told.push_str(&place.complaint(arguments));
    tell(&["run", "nowhere"]);
    tell(&["run", "slope", "--model", "gpt"]);
    tell(&["run", "slope", "--approve", "maybe"]);
    tell(&["run", "slope", "--approve", "policy:none.toml"]);
    tell(&[
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--model",
        "recorded:none",
        "--out",
        "a",
    ]);
    tell(&["run", "slope"]);
    std::fs::write(study.join("input/original_paper.pdf"), "<html>not found</html>").unwrap();
    tell(&["run", "slope", "--code-mode", "native"]);
    insta::assert_snapshot!("mistakes", place.plain(&told));
}

#[test]
fn data_that_are_not_there_stop_the_run_before_it_begins() {
    let place = Place::new();
    let study = place.study();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:\
        4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    std::fs::write(study.join("input/replication_data/plots.csv"), pointer).unwrap();
    let called = place.call(&RUN);
    assert_eq!(called.status, 3);
    assert!(
        called.stderr.contains("Git LFS") && called.stderr.contains("12"),
        "{}",
        called.stderr
    );
}

/// A recording that is there; nothing of it is read before the refusal.
fn any_recording() -> String {
    format!(
        "recorded:{}",
        fixture_named("slope").join("recordings/native.json").display()
    )
}

fn refused(place: &Place, study: &str) -> String {
    let model = any_recording();
    let run = [
        "run",
        study,
        "--code-mode=native",
        "--no-probe",
        "--approve",
        "auto",
        "--sandbox",
        "local",
    ];
    let called = place.call(&[&run[..], &["--out", "out", "--model", &model]].concat());
    assert_eq!(called.status, 3, "{study}: {}{}", called.stdout, called.stderr);
    assert!(!place.path().join("out").exists(), "a run was begun");
    called.stderr
}

#[test]
fn native_mode_says_what_is_not_available_here() {
    let place = Place::new();
    let study = place.study();
    let code = study.join("input/replication_data");
    std::fs::remove_file(code.join("helper.sh")).unwrap();
    let mut told = String::new();
    for name in ["slope.do", "slope.sps", "slope.m", "slope.ado"] {
        let before = std::fs::read_dir(&code)
            .unwrap()
            .flatten()
            .map(|entry| entry.path());
        let script = before
            .into_iter()
            .find(|path| path.file_stem().is_some_and(|stem| stem == "slope"))
            .unwrap();
        std::fs::rename(script, code.join(name)).unwrap();
        told.push_str(&refused(&place, "slope"));
    }
    insta::assert_snapshot!("native_not_available", place.plain(&told));
}

#[test]
fn published_studies_in_licensed_languages_are_refused_with_the_setting() {
    let Some(root) = need::shared("data/replicatorbench/original") else {
        return;
    };
    let place = Place::new();
    for (study, language, setting) in [
        ("3", "Stata", "REPRISE_STATA_IMAGE"),
        ("30", "Stata", "REPRISE_STATA_IMAGE"),
        ("33", "SPSS", "REPRISE_SPSS_IMAGE"),
        ("37", "SPSS", "REPRISE_SPSS_IMAGE"),
    ] {
        let told = refused(&place, &root.join(study).display().to_string());
        let sentence = format!("needs {language}, which is not available here");
        assert!(
            told.contains(&sentence) && told.contains(setting),
            "{study}: {told}"
        );
    }
    // Data that are not there come first, whatever could run the script.
    let told = refused(&place, &root.join("5").display().to_string());
    assert!(
        told.contains("`replication_data/replication_data.dta` is a Git LFS pointer"),
        "{told}"
    );
}

#[test]
fn an_r_markdown_document_prints_what_it_finds() {
    let has_r = std::process::Command::new("Rscript")
        .args([
            "--vanilla",
            "-e",
            "stopifnot(requireNamespace('rmarkdown', quietly = TRUE))",
        ])
        .output()
        .is_ok_and(|output| output.status.success());
    if need::need_that(has_r, "no R with rmarkdown").is_none() {
        return;
    }
    let place = Place::new();
    let study = place.path().join("harvest");
    copy(&fixture_named("harvest"), &study);
    let data = study.join("input/replication_data");
    std::fs::remove_file(data.join("harvest.sh")).unwrap();
    let document = [
        "---",
        "output: pdf_document",
        "---",
        "",
        "```{r}",
        "plots <- read.csv('../replication_data/harvest_final.csv')",
        "signif(summary(lm(yield ~ rain, plots))$coefficients, 6)",
        "```",
        "",
    ];
    std::fs::write(data.join("harvest.Rmd"), document.join("\n")).unwrap();
    // The answers of the study's recording, given by position.
    let recordings = study.join("recordings");
    let text = std::fs::read_to_string(recordings.join("native.json")).unwrap();
    std::fs::write(
        recordings.join("rmd.json"),
        text.replace("harvest.sh", "harvest.Rmd"),
    )
    .unwrap();
    let run = [
        "run",
        "harvest",
        "--code-mode=native",
        "--no-probe",
        "--approve",
        "auto",
        "--sandbox",
        "local",
    ];
    let called = place.call(&[&run[..], &["--model", "scripted:rmd", "--out", "out"]].concat());
    assert_eq!(called.status, 0, "{}", called.stderr);
    // A number that nothing printed would make it inconclusive.
    assert!(called.stdout.starts_with("criterion met:"), "{}", called.stdout);
}

#[test]
fn a_dry_run_says_what_would_be_begun_and_begins_nothing() {
    let place = Place::new();
    place.study();
    let dry = [&RUN[..], &["--dry-run"]].concat();
    let called = place.call(&dry);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("run_dry", place.plain(&called.stdout));
    assert!(!place.path().join("out").exists());
    let called = place.call(&[&dry[..], &["--json"]].concat());
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["request"]["model"], "recorded:native");
    assert_eq!(value["stages"].as_array().unwrap().len(), 5);
    assert!(!place.path().join("out").exists());
    // What a run is refused for, a dry one is, too.
    let called = place.call(&[&dry[..], &["--allow-host", "nowhere"]].concat());
    assert_eq!(called.status, 2, "{}", called.stdout);
    // A model that is asked has a price, which is told before anything is paid.
    let mut asked = place.command(&[&dry[..], &["--model", "openai/gpt-5"]].concat());
    let called = super::support::called(asked.env("OPENAI_API_KEY", "sk-nobody").output().unwrap());
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("estimate: ") && called.stdout.contains("`--max-cost "),
        "{}",
        called.stdout
    );
}
