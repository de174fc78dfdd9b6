//! Signatures of a person's decisions, and what becomes of a run that somebody changes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use reprise::journal::line::{self, CheckSum};
use reprise::journal::read;
use reprise::run::event::{DecidedBy, Event, Record};
use serde_json::Value;

use super::support::{ASKING, Called, Place};

/// The keys of RFC 8032, section 7.1, tests 1 and 2, as openssl writes them.
const KEYS: [(&str, &str, &str); 2] = [
    (
        "mine",
        "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g",
        "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    ),
    (
        "other",
        "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7",
        "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=",
    ),
];

/// A place with the fixture study and both keys, `NAME.pem` and `NAME.pub`.
fn place() -> Place {
    let place = Place::new();
    place.study();
    for (name, private, public) in KEYS {
        let write = |file: String, kind: &str, text: &str| {
            let path = place.path().join(file);
            let pem = format!("-----BEGIN {kind} KEY-----\n{text}\n-----END {kind} KEY-----\n");
            fs::write(&path, pem).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        };
        write(format!("{name}.pem"), "PRIVATE", private);
        write(format!("{name}.pub"), "PUBLIC", public);
    }
    place
}

fn run(place: &Place, sign: &[&str]) {
    let called = place.call(&[&ASKING[..], sign].concat());
    assert_eq!(called.status, 5, "{}", called.stderr);
}

/// Approves and resumes until the run has ended.
fn carry(place: &Place, sign: &[&str]) {
    for _ in 0..10 {
        let approved = place.call(&[&["approve", "out"], sign].concat());
        assert_eq!(approved.status, 0, "{}", approved.stderr);
        let resumed = place.call(&[&["resume", "out"], sign].concat());
        if resumed.status != 5 {
            assert_eq!(resumed.status, 0, "{}", resumed.stderr);
            return;
        }
    }
    panic!("the run asks for ever")
}

const MINE: [&str; 2] = ["--sign", "mine.pem"];

/// A run that ended, all of whose decisions and whose end are signed.
fn signed() -> Place {
    let place = place();
    run(&place, &MINE);
    carry(&place, &MINE);
    place
}

fn verified(place: &Place, key: &str) -> (i32, Value) {
    let called = place.call(&["show", "verify", "out", "--key", key, "--json"]);
    let found = serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}", called.stderr));
    (called.status, found)
}

fn told(place: &Place) -> Called {
    place.call(&["show", "verify", "out", "--key", "mine.pub"])
}

fn journal(place: &Place) -> PathBuf {
    place.path().join("out/journal.jsonl")
}

/// Writes the journal anew with sound check sums, as whoever can write it could.
fn rewritten(place: &Place, change: impl Fn(Vec<Record>) -> Vec<Record>) {
    let path = journal(place);
    let records = change(read::read(&path).unwrap().records);
    let (mut text, mut last) = (Vec::new(), CheckSum::first());
    for (record, seq) in records.into_iter().zip(1..) {
        let (line, sum) = line::write(&Record { seq, ..record }, &last).unwrap();
        text.extend(line);
        last = sum;
    }
    fs::write(&path, text).unwrap();
}

fn is_decision(record: &Record) -> bool {
    matches!(&record.event, Event::Decided(decided) if decided.by == DecidedBy::Person)
}

#[test]
fn a_signed_run_is_verified_by_whoever_has_the_public_key() {
    let place = signed();
    let (status, found) = verified(&place, "mine.pub");
    assert_eq!(status, 0, "{found}");
    let checked = found["found"]["checked"].as_array().unwrap();
    assert!(
        checked.len() > 1 && checked.iter().all(|one| one["standing"] == "signed"),
        "{found}"
    );
    assert_eq!(checked.last().unwrap()["event"], "end");
    assert_eq!(found["found"]["covered"], found["found"]["events"]);
    let told = told(&place).stdout;
    assert!(
        !told.contains("not verified") && told.contains("Not covered: run.json"),
        "{told}"
    );
    // The key of somebody else says so, whatever the run says of its own.
    let (status, found) = verified(&place, "other.pub");
    assert_eq!((status, &found["found"]["covered"]), (8, &0.into()));
    assert_eq!(found["found"]["checked"][0]["standing"], "other_key");
    // What it knows of the run is its own; the run shows and reports as ever.
    assert_eq!(place.call(&["report", "out"]).status, 0);
}

#[test]
fn a_forged_decision_is_found() {
    let place = signed();
    rewritten(&place, |mut records| {
        let at = records.iter().position(is_decision).unwrap();
        if let Event::Decided(decided) = &mut records[at].event {
            decided.words = Some("as you like".to_owned());
        }
        records
    });
    let (status, found) = verified(&place, "mine.pub");
    assert_eq!(status, 8);
    assert_eq!(
        (
            &found["found"]["checked"][0]["standing"],
            &found["found"]["covered"]
        ),
        (&"forged".into(), &0.into())
    );
    // One that nobody signed, put behind the signed ones, and the end after it.
    let place = signed();
    rewritten(&place, |mut records| {
        let at = records.iter().rposition(is_decision).unwrap();
        let digest = reprise::domain::digest::Digest::compute("x");
        let (Event::Decided(decided), Some(before)) = (records[at].event.clone(), at.checked_sub(1)) else {
            panic!()
        };
        let Event::Asked(mut asked) = records[before].event.clone() else {
            panic!()
        };
        asked.id = reprise::domain::ids::ApprovalId(99);
        asked.digest = digest;
        let decided = reprise::run::event::Decided {
            id: asked.id,
            digest,
            ..*decided
        };
        let with = |event| Record {
            event,
            ..records[at].clone()
        };
        let forged = [with(Event::Asked(asked)), with(Event::Decided(Box::new(decided)))];
        records.splice(at + 1..at + 1, forged);
        records
    });
    let (status, found) = verified(&place, "mine.pub");
    let standings: Vec<&Value> = found["found"]["checked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["standing"])
        .collect();
    assert_eq!(status, 8);
    assert!(standings.contains(&&"unsigned".into()), "{found}");
}

#[test]
fn a_removed_decision_is_found() {
    let place = signed();
    rewritten(&place, |mut records| {
        let at = records.iter().position(is_decision).unwrap();
        records.remove(at);
        records
    });
    let (status, found) = verified(&place, "mine.pub");
    assert_eq!(status, 8);
    assert!(
        !found["found"]["strays"].as_array().unwrap().is_empty(),
        "{found}"
    );
    assert_eq!(found["found"]["covered"], 0);
}

#[test]
fn a_truncated_end_shows() {
    let place = signed();
    rewritten(&place, |mut records| {
        records.pop();
        records
    });
    let called = told(&place);
    assert_eq!(called.status, 8);
    assert!(
        called.stdout.contains("end: the journal holds none"),
        "{}",
        called.stdout
    );
    assert!(
        called.stdout.contains("the journal holds no such event"),
        "{}",
        called.stdout
    );
    // Without the signature of the end as well it is a run that has not ended.
    let signatures = place.path().join("out/signatures.jsonl");
    let text = fs::read_to_string(&signatures).unwrap();
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains(r#""event":"end""#))
        .collect();
    fs::write(&signatures, kept.join("\n") + "\n").unwrap();
    let called = told(&place);
    assert_eq!(called.status, 8);
    assert!(
        called.stdout.contains("end: the journal holds none"),
        "{}",
        called.stdout
    );
}

#[test]
fn an_unsigned_run_and_one_resumed_without_or_by_another_key_are_told_apart() {
    let place = place();
    run(&place, &[]);
    carry(&place, &[]);
    let (status, found) = verified(&place, "mine.pub");
    let all = found["found"]["checked"].as_array().unwrap();
    assert_eq!(status, 8);
    assert!(all.iter().all(|one| one["standing"] == "unsigned"), "{found}");

    for (later, standing) in [(&["--sign", "other.pem"][..], "other_key"), (&[], "unsigned")] {
        let place = self::place();
        run(&place, &MINE);
        assert_eq!(place.call(&[&["approve", "out"], &MINE[..]].concat()).status, 0);
        let resumed = place.call(&[&["resume", "out"], later].concat());
        let is_warned = resumed
            .stderr
            .contains("Without --sign KEYFILE none is from here on");
        assert_eq!(is_warned, later.is_empty(), "{}", resumed.stderr);
        if resumed.status == 5 {
            carry(&place, later);
        }
        let (status, found) = verified(&place, "mine.pub");
        let all = found["found"]["checked"].as_array().unwrap();
        assert_eq!(status, 8);
        assert_eq!(all[0]["standing"], "signed", "{found}");
        assert_eq!(all.last().unwrap()["standing"], standing, "{found}");
    }
}

#[test]
fn a_value_that_the_journal_names_is_covered() {
    let place = signed();
    // The store also holds code that only later questions compare with.
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    let (_, named) = journal.split_once("\"blob\":\"sha256:").expect("a named value");
    let digest = &named[..64];
    let blob = walk(&place.path().join("out/blobs"))
        .into_iter()
        .find(|path| path.to_string_lossy().replace('/', "").ends_with(digest))
        .expect("a stored value");
    fs::set_permissions(&blob, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&blob, "something else").unwrap();
    let (status, found) = verified(&place, "mine.pub");
    assert_eq!(status, 8);
    assert!(
        !found["found"]["damaged"].as_array().unwrap().is_empty(),
        "{found}"
    );
}

fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(walk(&path)),
            path => files.push(path),
        }
    }
    files
}

#[test]
fn a_signature_whose_line_was_never_written_is_dropped() {
    let place = place();
    run(&place, &MINE);
    let before = fs::read(journal(&place)).unwrap();
    assert_eq!(place.call(&[&["approve", "out"], &MINE[..]].concat()).status, 0);
    // A crash between the two.
    fs::write(journal(&place), before).unwrap();
    carry(&place, &MINE);
    let (status, found) = verified(&place, "mine.pub");
    assert_eq!(status, 0, "{found}");
}

#[test]
fn keys_that_cannot_be_used_are_named() {
    let place = place();
    let pem = place.path().join("mine.pem");
    fs::set_permissions(&pem, fs::Permissions::from_mode(0o644)).unwrap();
    let complaints = [
        &["run", "slope", "--sign", "mine.pem"][..],
        &["run", "slope", "--sign", "none.pem"],
        &["run", "slope", "--sign", "mine.pub"],
        &["show", "verify", "slope", "--key", "other.pem"],
        &["show", "verify", "slope", "--key", "mine.pub"],
    ];
    let all: String = complaints
        .iter()
        .map(|arguments| place.complaint(arguments))
        .collect();
    insta::assert_snapshot!("keys_that_cannot_be_used", all);
    assert!(!place.path().join("runs").exists(), "a run was begun");
}
