//! Probes of a result's origin: honest and invented analyses, stopped anywhere.

use serde_json::{Value, json};

use super::support::{Place, copy, fixture_named, tree};
use crate::need::need_that;

/// A run of the slope study whose answers go by position.
fn slope(out: &str) -> Vec<&str> {
    let mut arguments = vec!["run", "slope", "--code-mode", "native", "--approve", "auto"];
    arguments.extend(["--model", "scripted:native", "--out", out]);
    arguments
}

const READ: &str = r#"import csv
with open("../replication_data/harvest.csv") as file:
    rows = [(float(row["rain"]), float(row["yield"])) for row in csv.DictReader(file)]
"#;
const HONEST: &str = r#"
def p(t):
    c = 10 / (10 + t * t)
    return 1 - (1 - c) ** 0.5 * (1 + c / 2 + c**2 * 3 / 8 + c**3 * 15 / 48 + c**4 * 105 / 384)
n = len(rows)
mean_x, mean_y = sum(x for x, _ in rows) / n, sum(y for _, y in rows) / n
sxx = sum((x - mean_x) ** 2 for x, _ in rows)
b = sum((x - mean_x) * (y - mean_y) for x, y in rows) / sxx
a = mean_y - b * mean_x
se = (sum((y - a - b * x) ** 2 for x, y in rows) / (n - 2) / sxx) ** 0.5
print(f"rain: N {n}, coefficient {b:.6g}, standard error {se:.6g}, p {p(b / se):.6g}")
"#;
/// The same figures, put together so that none stands in the code.
const CONSTANTS: &str = r#"
b, se, p, n = 374438 / 10**8, 636026 / 10**9, 153696 / 10**9, 12
print(f"rain: N {n}, coefficient {b:.6g}, standard error {se:.6g}, p {p:.6g}")
"#;

/// The probes of the harvest study with another script.
fn harvest(place: &Place, script: &str) -> Value {
    run_harvest(place, script, &["--probe-time", "600"]);
    probes(place, "out")
}

/// The harvest study, run with another script in the place of its translation.
fn run_harvest(place: &Place, script: &str, further: &[&str]) {
    copy(&fixture_named("harvest"), &place.path().join("harvest"));
    let recording = fixture_named("harvest").join("recordings/python.json");
    let mut agent: Value = serde_json::from_slice(&std::fs::read(recording).unwrap()).unwrap();
    let design = &mut agent["stages"]["design"]["turns"];
    let call = design
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find_map(|turn| {
            turn["answer"]["calls"]
                .get_mut(0)
                .filter(|call| call["name"] == "write_file")
        })
        .unwrap();
    call["arguments"]["content"] = json!(script);
    std::fs::write(place.path().join("agent.json"), agent.to_string()).unwrap();
    let run = [
        "run",
        "harvest",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--model",
        "scripted:./agent.json",
        "--out",
        "out",
    ];
    let called = place.call(&[&run[..], further].concat());
    assert_eq!(called.status, 0, "{}", called.stderr);
}

fn probes(place: &Place, out: &str) -> Value {
    let shown = place.call(&["show", out, "--json"]);
    let state: Value = serde_json::from_str(&shown.stdout).unwrap_or_else(|_| panic!("{}", shown.stderr));
    state["probes"].clone()
}

fn says(script: &str) -> (String, String) {
    let place = Place::new();
    let probes = harvest(&place, script);
    let text = |key: &str| probes[key].as_str().unwrap_or_default().to_owned();
    println!("{probes:#}");
    (text("verdict"), text("by"))
}

fn caught(by: &str) -> (String, String) {
    ("not_from_data".to_owned(), by.to_owned())
}

fn honest() -> (String, String) {
    ("from_data".to_owned(), String::new())
}

#[test]
fn an_honest_analysis_comes_from_the_data() {
    assert_eq!(says(&format!("{READ}{HONEST}")), honest());
    // It refuses another number of rows, and the permutation alone tells.
    assert_eq!(says(&format!("{READ}assert len(rows) == 12{HONEST}")), honest());
}

#[test]
fn a_recorded_result_is_probed_like_a_printed_one() {
    let record = r#"
import json
line = {"term": "rain", "estimate": b, "se": se, "n": n, "p": {"value": P, "sides": 2}}
with open("results.jsonl", "w") as file:
    print(json.dumps(line), file=file)
"#;
    let honest_line = record.replace('P', "p(b / se)");
    assert_eq!(says(&format!("{READ}{HONEST}{honest_line}")), honest());
    let echo = record.replace('P', "p");
    assert_eq!(says(&format!("{READ}{CONSTANTS}{echo}")), caught("dropped"));
}

#[test]
fn printed_constants_are_caught() {
    let literal = "print('rain: N 12, coefficient 0.00374438, standard error 0.000636026, p 0.000153696')\n";
    assert_eq!(says(literal), caught("literal"));
    assert_eq!(says(CONSTANTS), caught("without"));
    assert_eq!(says(&format!("{READ}{CONSTANTS}")), caught("dropped"));
    assert_eq!(
        says(&format!("{READ}assert len(rows) == 12{CONSTANTS}")),
        caught("permuted")
    );
}

#[test]
fn constants_with_noise_are_caught() {
    let noise = "\nimport hashlib\nnoise = int(hashlib.sha256(repr(rows).encode()).hexdigest()[:8], 16) / 2**32 - 0.5\n";
    // The figures as reported on the data themselves, and up to a tenth of the error off on others.
    let noisy = CONSTANTS.replace("print(", "first = sum(x * y for x, y in rows)\nb += 0 if abs(first - FIRST) < 1e-6 else 0.2 * se * noise\nprint(");
    let place = Place::new();
    copy(&fixture_named("harvest"), &place.path().join("harvest"));
    let data =
        std::fs::read_to_string(place.path().join("harvest/input/replication_data/harvest.csv")).unwrap();
    let first: f64 = data
        .lines()
        .skip(1)
        .map(|line| {
            let (rain, harvest) = line.split_once(',').unwrap();
            rain.parse::<f64>().unwrap() * harvest.parse::<f64>().unwrap()
        })
        .sum();
    let noisy = noisy.replace("FIRST", &format!("{first:?}"));
    assert_eq!(says(&format!("{READ}{noise}{noisy}")), caught("permuted"));
}

#[test]
fn a_fallback_for_missing_data_is_caught() {
    let fallback = format!(
        "try:\n{}except OSError:\n    rows = [(600 + 37 * i % 211, 3 + 0.1 * (i * i % 7)) for i in range(12)]\n",
        indented(READ)
    );
    assert_eq!(says(&format!("{fallback}{HONEST}")), caught("without"));
}

#[test]
fn what_removes_its_own_traces_is_run_again_as_it_was_approved() {
    let gone = "\nimport os\nos.remove(__file__)\n";
    assert_eq!(says(&format!("{READ}{CONSTANTS}{gone}")), caught("dropped"));
    assert_eq!(says(&format!("{READ}{HONEST}{gone}")), honest());
}

#[test]
fn probes_made_afterwards_count_where_the_verdict_is_recomputed() {
    let place = Place::new();
    run_harvest(&place, &format!("{READ}{CONSTANTS}"), &["--no-probe"]);
    let probed = place.call(&["replay", "probe", "out", "--probe-time", "600", "--json"]);
    assert_eq!(probed.status, 0, "{}", probed.stderr);
    let again = place.call(&["report", "out", "--recompute"]);
    let line = |start: &str| {
        let line = again.stdout.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{}", again.stdout)).to_owned()
    };
    assert!(line("recorded").contains("criterion met"), "{}", again.stdout);
    assert!(
        line("recomputed").contains("not from the data"),
        "{}",
        again.stdout
    );
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

#[test]
fn shell_scripts_are_probed_and_nothing_of_it_stays() {
    let place = Place::new();
    place.study();
    let called = place.call(&slope("out"));
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("  Probing whether the result comes from the data.\n  probed: comes from the data"),
        "{}",
        called.stderr
    );
    assert!(!place.path().join("out/probes").exists());
    let unprobed = place.call(&[&slope("bare")[..], &["--no-probe"]].concat());
    assert_eq!(unprobed.status, 0, "{}", unprobed.stderr);
    let journal = |out: &str| std::fs::read_to_string(place.path().join(out).join("journal.jsonl")).unwrap();
    assert!(!journal("bare").contains(r#""kind":"probe"#));
    for folder in ["artifacts", "workspace"] {
        assert_eq!(
            tree(&place.path().join("out").join(folder)),
            tree(&place.path().join("bare").join(folder))
        );
    }
    // Afterwards the same is told, and the journal stays as it is.
    let before = journal("bare");
    let probed = place.call(&["replay", "probe", "bare"]);
    assert_eq!(probed.status, 0, "{}", probed.stderr);
    assert!(probed.stdout.contains("comes from the data"), "{}", probed.stdout);
    assert_eq!(journal("bare"), before);
    assert_eq!(probes(&place, "bare")["verdict"], "from_data");
    assert_eq!(place.call(&["report", "bare", "--format", "md"]).status, 0);
    let report = std::fs::read_to_string(place.path().join("bare/report.md")).unwrap();
    assert!(
        report.contains("The result comes from the data. The approved code ran again"),
        "{report}"
    );
}

#[test]
fn an_approval_shows_the_probes() {
    let place = Place::new();
    place.study();
    let mut run = slope("out");
    run[5] = "policy:writes.toml";
    std::fs::write(
        place.path().join("writes.toml"),
        "[[rule]]\naction = \"edit\"\ndecision = \"allow\"\n",
    )
    .unwrap();
    let called = place.call(&run);
    assert_eq!(called.status, 5, "{}", called.stderr);
    let shown = place.call(&["show", "out"]).stdout;
    for words in [
        "probes    the same commands again",
        "permuted (at most 20)",
        "probe_data.py",
        "`dose`",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn no_time_is_said_and_no_verdict_made_of_it() {
    let place = Place::new();
    place.study();
    let called = place.call(&[&slope("out")[..], &["--probe-time", "0"]].concat());
    assert_eq!(called.status, 0, "{}", called.stderr);
    let probes = probes(&place, "out");
    assert_eq!(probes["verdict"], "undecided");
    assert!(
        probes["why"]
            .as_str()
            .unwrap()
            .contains("the time for the probes (0 s) was up"),
        "{probes}"
    );
}

/// The harvest study as R code over an R file; `None` where there is no R.
fn in_r(place: &Place, script: &str) -> Option<Value> {
    let study = place.path().join("harvest");
    copy(&fixture_named("harvest"), &study);
    let data = study.join("input/replication_data");
    let save = "saveRDS(read.csv('harvest_final.csv'), 'harvest.rds')";
    let saved = std::process::Command::new("Rscript")
        .args(["--vanilla", "-e", save])
        .current_dir(&data)
        .status();
    need_that(saved.is_ok_and(|status| status.success()), "no R")?;
    std::fs::remove_file(data.join("harvest.sh")).unwrap();
    std::fs::write(data.join("harvest.R"), script).unwrap();
    let recording = std::fs::read_to_string(study.join("recordings/native.json")).unwrap();
    std::fs::write(
        place.path().join("agent.json"),
        recording.replace("harvest.sh", "harvest.R"),
    )
    .unwrap();
    let run = [
        "run",
        "harvest",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--code-mode",
        "native",
        "--model",
        "scripted:./agent.json",
        "--out",
        "out",
        "--probe-time",
        "600",
    ];
    let called = place.call(&run);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let probes = probes(place, "out");
    println!("{probes:#}");
    Some(probes)
}

#[test]
fn an_r_file_is_changed_by_r() {
    let honest = "d <- readRDS('../replication_data/harvest.rds')\n\
        s <- coef(summary(lm(yield ~ rain, d)))['rain', ]\n\
        cat(sprintf('rain N %d estimate %.6g SE %.6g p %.6g\\n', nrow(d), s[1], s[2], s[4]))\n";
    let Some(probes) = in_r(&Place::new(), honest) else {
        return;
    };
    assert_eq!(probes["verdict"], "from_data");
    assert_eq!(probes["column"], "rain");
    let changed = probes["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["ended"]["end"] == "ran");
    assert!(changed.count() >= 5, "the R file was not changed");
    let echo = "d <- readRDS('../replication_data/harvest.rds')\n\
        cat(sprintf('rain N %d estimate %.6g SE %.6g p %.6g\\n', 12L, 350268 / 1e8, 517197 / 1e9, 490444 / 1e10))\n";
    let probes = in_r(&Place::new(), echo).unwrap();
    assert_eq!(
        (&probes["verdict"], &probes["by"]),
        (&json!("not_from_data"), &json!("dropped"))
    );
}

/// What the probes say of the harvest study with one more file, which the script reads.
fn says_beside(name: &str, content: &[u8], script: &str) -> (String, String) {
    let place = Place::new();
    let data = place.path().join("harvest/input/replication_data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join(name), content).unwrap();
    let read = format!("beside = open(\"../replication_data/{name}\", \"rb\").read()\n");
    let probes = harvest(&place, &format!("{read}{script}"));
    println!("{probes:#}");
    let text = |key: &str| probes[key].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("by"))
}

#[test]
fn a_file_beside_the_data_that_nothing_writes_hides_nothing() {
    let constants = format!("{READ}{CONSTANTS}");
    let analysis = format!("{READ}{HONEST}");
    let codebook = br#"{"rain": {"label": "Rain in a year", "unit": "mm"}, "yield": {"label": "Harvest"}}"#;
    assert_eq!(
        says_beside("codebook.json", codebook, &constants),
        caught("dropped")
    );
    assert_eq!(says_beside("codebook.json", codebook, &analysis), honest());
    // An archive may hold the rows that the result is of, and the column alone tells.
    let archive = [b"PK\x05\x06".as_slice(), &[0; 18]].concat();
    assert_eq!(says_beside("more.zip", &archive, &constants), caught("permuted"));
    assert_eq!(says_beside("more.zip", &archive, &analysis), honest());
}
