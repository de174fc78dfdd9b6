//! Capsules: lists of tasks, checks and grades.

use std::fs;
use std::io::{BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::provider::request;
use super::support::{Called, Place, called};

/// A gold answer that nothing but grading may come near.
const CANARY: &str = "canary-5b2f";

/// A task file with two tasks.
fn tasks(place: &Place) {
    let task = |id: &str, field: &str, language: &str, results: Value| {
        json!({
            "field": field, "language": language, "capsule_title": format!("Capsule {id}"), "capsule_id": id,
            "task_prompt": "Run it.", "results": results, "capsule_doi": "https://doi.org/10.1/x",
        })
    };
    let runs = |run: Value| json!([run.clone(), run.clone(), run]);
    let file = json!([
        task(
            "capsule-0000001",
            "Medicine",
            "R",
            runs(json!({"Report p.": 0.957, "fig 1: which bar is highest?": CANARY}))
        ),
        task(
            "capsule-0000002",
            "Computer Science",
            "Python",
            json!([{"Report n.": 5}])
        ),
    ]);
    fs::write(place.path().join("tasks.json"), file.to_string()).unwrap();
}

fn write(place: &Place, name: &str, text: &str) {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn tasks_are_listed_without_their_answers() {
    let place = Place::new();
    tasks(&place);
    let called = place.call(&["capsule", "list", "tasks.json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("capsule_list", called.stdout);
    let figures = place.call(&["capsule", "list", "tasks.json", "--modality", "vision", "--json"]);
    let value: Value = serde_json::from_str(&figures.stdout).unwrap();
    assert_eq!(value["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(value["tasks"][0]["questions"][1]["is_about_figure"], true);
    assert!(!figures.stdout.contains(CANARY) && !called.stdout.contains(CANARY));
    assert!(
        place
            .call(&["capsule", "list", "tasks.json", "--gpu"])
            .stdout
            .contains("0 tasks of 2")
    );
}

#[test]
fn a_check_names_what_is_missing_and_what_cannot_be_answered() {
    let place = Place::new();
    tasks(&place);
    for part in ["code", "data", "environment"] {
        fs::create_dir_all(place.path().join("capsules/capsule-0000001").join(part)).unwrap();
    }
    let called = place.call(&["capsule", "check", "tasks.json", "--capsules", "capsules"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    insta::assert_snapshot!("capsule_check", called.stdout);
    let called = place.call(&["capsule", "check", "tasks.json", "--capsules", "nowhere"]);
    assert_eq!(called.status, 2);
}

#[test]
fn reports_of_every_harness_are_graded_and_the_rest_is_named() {
    let place = Place::new();
    tasks(&place);
    write(
        &place,
        "out/capsule-0000001/report.json",
        &json!({"Report p.": "0.957", "fig 1: which bar is highest?": CANARY}).to_string(),
    );
    write(
        &place,
        "output.json",
        &json!({"capsule-0000002": {"answer": {"Report n.": 5}}, "capsule-0000009": {}}).to_string(),
    );
    write(&place, "loose.json", "{\"Report n.\": NaN, \"Report n.\": 5}");
    write(&place, "broken.json", "{\"Report n.\": ");
    let reports = [
        "out/capsule-0000001/report.json",
        "output.json",
        "loose.json",
        "broken.json",
        "absent.json",
    ];
    let grade = [&["capsule", "grade", "--tasks", "tasks.json"][..], &reports].concat();
    let called = place.call(&grade);
    assert_eq!(called.status, 2, "{}{}", called.stdout, called.stderr);
    insta::assert_snapshot!("capsule_grade", called.stdout);
    let all = [
        &grade[..],
        &[
            "--grader",
            "v1.1",
            "--grader",
            "inspect",
            "--json",
            "--task",
            "capsule-0000002",
        ],
    ]
    .concat();
    let value: Value = serde_json::from_str(&place.call(&all).stdout).unwrap();
    assert_eq!(value["format"], "reprise-capsule-grades/1");
    assert_eq!(value["accuracy"][0]["grader"], "v1.1");
    assert_eq!(value["ungraded"].as_array().unwrap().len(), 3);
    let called = place.call(&[&grade[..], &["--task", "capsule-7777777"]].concat());
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("has no task of that name"),
        "{}",
        called.stderr
    );
    let called = place.call(&[&grade[..], &["--grader", "kind"]].concat());
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("is no grader"), "{}", called.stderr);
}

#[test]
fn a_task_file_that_is_wrong_is_named_and_no_answer_is_quoted() {
    let place = Place::new();
    tasks(&place);
    let file = place.path().join("tasks.json");
    let text = fs::read_to_string(&file).unwrap();
    for (from, to, said) in [
        (
            "\"task_prompt\":\"Run it.\"",
            "\"task_prompt\":7",
            "task 1: a value is not a string",
        ),
        ("capsule-0000002", "capsule-0000001", "another task has the same"),
        ("capsule_doi", "doi", "unknown field `doi`"),
    ] {
        fs::write(&file, text.replacen(from, to, 1)).unwrap();
        if to == "capsule-0000001" {
            fs::write(&file, text.replace(from, to)).unwrap();
        }
        let called = place.call(&["capsule", "list", "tasks.json"]);
        assert_eq!(called.status, 2, "{}", called.stdout);
        assert!(called.stderr.contains(said), "{said}: {}", called.stderr);
        assert!(!called.stderr.contains(CANARY));
    }
}

/// A file that begins as gzip files do.
const ARCHIVE: &[u8] = b"\x1f\x8b0123456789";

/// A server of archives on loopback, which ends with the test's process.
struct Archives {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Archives {
    /// Answers the head of a request with bytes; `None` is sent half of an archive, and held.
    fn start(answer: impl Fn(&str) -> Option<Vec<u8>> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = asked.clone();
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let Some((head, _)) = request(&mut BufReader::new(stream.try_clone().unwrap())) else {
                    continue;
                };
                let answered = answer(&head);
                kept.lock().unwrap().push(head);
                // Whoever has gone needs no answer.
                let _ = stream.write_all(&answered.clone().unwrap_or_else(|| half(ARCHIVE.len())));
                if answered.is_none() {
                    held.push(stream);
                }
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// A call that waits for nothing between attempts.
    fn command(&self, place: &Place, more: &[&str]) -> Command {
        let from = format!("http://127.0.0.1:{}/capsules/", self.port);
        let call = [
            "capsule",
            "fetch",
            "tasks.json",
            "--into",
            "capsules",
            "--pause-ms",
            "0",
            "--from",
            &from,
        ];
        place.command(&[&call[..], more].concat())
    }

    fn fetch(&self, place: &Place, more: &[&str]) -> Called {
        let mut called = called(self.command(place, more).output().unwrap());
        called.stdout = called.stdout.replace(&format!(":{}/", self.port), ":[PORT]/");
        called
    }
}

fn answer(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nETag: \"e\"\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// An answer whose last bytes do not come.
fn half(length: usize) -> Vec<u8> {
    let mut bytes = answer("200 OK", ARCHIVE);
    bytes.truncate(bytes.len() - length / 2);
    bytes
}

/// What is left of an archive.
fn rest(head: &str) -> Vec<u8> {
    let range = head.lines().find_map(|line| line.strip_prefix("range: bytes="));
    let first: usize = range.unwrap().trim_end_matches('-').parse().unwrap();
    let length = ARCHIVE.len();
    answer(
        &format!(
            "206 Partial Content\r\nContent-Range: bytes {first}-{}/{length}",
            length - 1
        ),
        &ARCHIVE[first..],
    )
}

#[test]
fn capsules_are_fetched_and_one_that_fails_keeps_none_back() {
    let place = Place::new();
    tasks(&place);
    let first = Mutex::new(true);
    let server = Archives::start(move |head| {
        Some(match head.contains("/capsules/capsule-0000001.tar.gz ") {
            true if std::mem::take(&mut *first.lock().unwrap()) => half(ARCHIVE.len()),
            true => rest(head),
            false => answer("404 Not Found", b""),
        })
    });
    let fetched = server.fetch(&place, &[]);
    assert_eq!(fetched.status, 1, "{}{}", fetched.stdout, fetched.stderr);
    insta::assert_snapshot!("capsule_fetch", fetched.stdout);
    assert!(
        fetched.stderr.contains("1/2 capsule-0000001: ") && fetched.stderr.contains("next attempt is in"),
        "{}",
        fetched.stderr
    );
    let archive = place.path().join("capsules/capsule-0000001.tar.gz");
    assert_eq!(fs::read(archive).unwrap(), ARCHIVE);
    assert_eq!(server.asked(), 3);
    // What is there is not asked for.
    fs::create_dir_all(place.path().join("capsules/capsule-0000002")).unwrap();
    let again = server.fetch(&place, &["--json"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    let value: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(value["format"], "reprise-capsule-fetch/1");
    assert_eq!(value["capsules"][0]["outcome"], "there");
    assert_eq!(value["capsules"][1]["path"], "capsules/capsule-0000002");
    assert_eq!(server.asked(), 3);
}

#[test]
fn a_digest_that_is_given_holds_for_what_comes_and_for_what_is_there() {
    let place = Place::new();
    tasks(&place);
    let server = Archives::start(|_| Some(answer("200 OK", ARCHIVE)));
    let right = reprise::domain::digest::Digest::compute(ARCHIVE).hex();
    let wrong = reprise::domain::digest::Digest::compute("other").hex();
    let list = format!("{right}  capsule-0000001.tar.gz\n{wrong}  capsule-0000002.tar.gz\n");
    write(&place, "SHA256SUMS", &list);
    let fetched = server.fetch(&place, &["--sha256", "SHA256SUMS", "--json"]);
    assert_eq!(fetched.status, 1, "{}", fetched.stderr);
    let value: Value = serde_json::from_str(&fetched.stdout).unwrap();
    assert_eq!(value["capsules"][0]["checked"], true);
    assert_eq!(value["capsules"][0]["digest"], format!("sha256:{right}"));
    assert_eq!(value["capsules"][1]["outcome"], "failed");
    assert!(value["capsules"][1]["reason"].as_str().unwrap().contains(&wrong));
    assert!(!place.path().join("capsules/capsule-0000002.tar.gz").exists());
    write(&place, "capsules/capsule-0000001.tar.gz", "spoilt");
    let one = ["--sha256", "SHA256SUMS", "--task", "capsule-0000001"];
    let spoilt = server.fetch(&place, &one);
    assert_eq!(spoilt.status, 1);
    assert!(
        spoilt.stdout.contains("take it away, and fetch it again"),
        "{}",
        spoilt.stdout
    );
    write(&place, "SHA256SUMS", "no digest");
    let wrong = server.fetch(&place, &one);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("SHA256SUMS: line 1"), "{}", wrong.stderr);
}

#[test]
fn a_server_that_stays_busy_and_an_address_that_is_none_have_codes_of_their_own() {
    let place = Place::new();
    tasks(&place);
    let server = Archives::start(|_| Some(answer("503 Busy", b"")));
    let busy = server.fetch(&place, &["--task", "capsule-0000002"]);
    assert_eq!(busy.status, 7, "{}", busy.stdout);
    assert!(
        busy.stdout.contains("in 5 attempts: it answers 503"),
        "{}",
        busy.stdout
    );
    assert_eq!(server.asked(), 5);
    let unknown = server.fetch(&place, &["--task", "capsule-7777777"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("has no task capsule-7777777"),
        "{}",
        unknown.stderr
    );
    let called = place.call(&[
        "capsule",
        "fetch",
        "tasks.json",
        "--from",
        "ftp://x",
        "--into",
        "capsules",
    ]);
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("http:// or https://"), "{}", called.stderr);
}

#[test]
fn ctrl_c_leaves_a_part_that_the_next_call_goes_on_with() {
    let place = Place::new();
    tasks(&place);
    let server = Archives::start(|head| head.contains("range:").then(|| rest(head)));
    let one = ["--task", "capsule-0000001"];
    let child = server
        .command(&place, &one)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let partial = place.path().join("capsules/capsule-0000001.tar.gz.partial");
    let half = ARCHIVE.len() as u64 / 2;
    while fs::metadata(&partial).map_or(0, |found| found.len()) < half {
        super::need::pause();
    }
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&stopped.stdout).contains("stopped capsule-0000001"));
    let fetched = server.fetch(&place, &one);
    assert_eq!(fetched.status, 0, "{}", fetched.stdout);
    assert_eq!(fs::read(partial.with_extension("")).unwrap(), ARCHIVE);
}

#[cfg(not(feature = "encrypted"))]
#[test]
fn an_encrypted_task_file_is_refused_with_the_way_out() {
    let place = Place::new();
    fs::write(place.path().join("tasks.json.gpg"), b"\x8c\x0d\x04\x09\x02").unwrap();
    let called = place.call(&["capsule", "list", "tasks.json.gpg"]);
    assert_eq!(called.status, 2);
    insta::assert_snapshot!("capsule_encrypted", called.stderr);
    let passphrase = place.call(&["capsule", "list", "tasks.json.gpg", "--passphrase-file", "absent"]);
    assert!(
        passphrase.stderr.contains("absent cannot be read"),
        "{}",
        passphrase.stderr
    );
}

#[cfg(feature = "encrypted")]
#[test]
fn no_answer_of_the_published_test_file_is_printed() {
    use reprise::capsule::task_file::{CapsuleTask, TaskFile};

    let Some(path) = crate::need::shared("data/core/core_test.json.gpg") else {
        return;
    };
    let file = TaskFile::open(&path).unwrap();
    let runs = |task: &CapsuleTask| {
        let runs: Vec<serde_json::Map<String, Value>> = serde_json::from_str(task.gold.json()).unwrap();
        runs.into_iter().next().unwrap()
    };
    // Short answers stand anywhere, and some stand in a question, or are the name of a field.
    let told = file.tasks.iter().map(|task| {
        let questions: Vec<_> = runs(task).keys().cloned().collect();
        let CapsuleTask {
            field,
            language,
            title,
            prompt,
            ..
        } = task;
        format!(
            "{field}\n{language}\n{title}\n{prompt}\n{}\n",
            questions.join("\n")
        )
    });
    let told: String = told.collect();
    let answers: Vec<String> = file
        .tasks
        .iter()
        .flat_map(runs)
        .map(|(_, answer)| match answer {
            Value::String(text) => text,
            other => other.to_string(),
        })
        .filter(|answer| answer.len() > 5 && !told.contains(answer.as_str()))
        .collect();
    assert!(answers.len() > 30, "{}", answers.len());
    let place = Place::new();
    let path = path.to_str().unwrap();
    for verb in ["list", "check"] {
        for json in [false, true] {
            let call = ["capsule", verb, path, "--json"];
            let called = place.call(&call[..if json { 4 } else { 3 }]);
            assert!(called.status < 2, "{}", called.stderr);
            let shown = answers.iter().filter(|answer| {
                called.stdout.contains(answer.as_str()) || called.stderr.contains(answer.as_str())
            });
            // A message with the answers would be one that prints them.
            assert_eq!(shown.count(), 0, "{verb}");
        }
    }
}

#[test]
fn a_baseline_tells_what_could_be_copied_and_quotes_no_answer() {
    let place = Place::new();
    tasks(&place);
    write(&place, "capsules/capsule-0000001/results/out.txt", "p = 0.957\n");
    write(
        &place,
        "capsules/capsule-0000001/code/main.R",
        "# we expect 0.957\n",
    );
    let baseline = |level: &str| {
        let called = place.call(&[
            "capsule",
            "baseline",
            "tasks.json",
            "--capsules",
            "capsules",
            "--level",
            level,
            "--json",
        ]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        assert!(!called.stdout.contains(CANARY) && !called.stdout.contains("0.957"));
        serde_json::from_str::<Value>(&called.stdout).unwrap()
    };
    let hard = baseline("hard");
    assert_eq!(hard["tasks"], 1);
    assert_eq!(hard["verbatim"], json!({ "hits": 1, "of": 1, "share": 1.0 }));
    assert_eq!(hard["nothing_submitted"], json!({ "right": 0, "of": 2 }));
    fs::remove_file(place.path().join("capsules/capsule-0000001/code/main.R")).unwrap();
    assert_eq!(
        baseline("hard")["verbatim"]["hits"],
        0,
        "results are not there at hard"
    );
    assert_eq!(baseline("easy")["verbatim"]["hits"], 1);
    let none = place.call(&["capsule", "baseline", "tasks.json", "--capsules", "."]);
    assert_eq!(none.status, 3, "{}", none.stderr);
}
