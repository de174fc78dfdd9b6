//! Variants: registered before a result, run after it, and deciding nothing.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::support::{Place, tree};

/// Scales the yields where the variant says so, and breaks where it is to.
const FORKS: &str = r#". ./helper.sh
if [ "${REPRISE_VARIANT:-}" = breaks ]; then echo 'this one cannot run' >&2; exit 3; fi
if [ "${FACTOR:-1}" != 1 ]; then
  awk -F, -v OFS=, -v f="$FACTOR" 'NR > 1 { $2 = f * $2 } { print }' "$DATA" > scaled.csv
  DATA=scaled.csv
fi
"#;
const MIRROR: &str =
    "awk -F, -v OFS=, 'NR > 1 { $2 = 10 - $2 } { print }' ../replication_data/plots.csv > mirrored.csv\n";
/// The study's own variant: two scripts, of which the second reads what the first wrote.
const FIXED: &str = r#"
[[variant]]
name = "mirrored"
changes = "Yields are taken from ten."
entry = ["work/mirror.sh", "work/mirrored.sh"]
"#;

/// The slope study with scripts that know their variants, and a recording that answers
/// by position; `registered` are those of the plan.
fn study(place: &Place, fixed: &str, registered: &Value) {
    let study = place.study();
    let data = study.join("input/replication_data");
    let script = fs::read_to_string(data.join("slope.sh")).unwrap();
    fs::write(data.join("slope.sh"), script.replace(". ./helper.sh\n", FORKS)).unwrap();
    fs::write(data.join("mirror.sh"), MIRROR).unwrap();
    fs::write(
        data.join("mirrored.sh"),
        script.replace(". ./helper.sh", "DATA=mirrored.csv"),
    )
    .unwrap();
    let manifest = fs::read_to_string(study.join("study.toml")).unwrap();
    fs::write(study.join("study.toml"), manifest + fixed).unwrap();
    let path = study.join("recordings/native.json");
    let mut recording: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let turns = recording["stages"]["design"]["turns"].as_array_mut().unwrap();
    let plan = &mut turns.last_mut().unwrap()["answer"]["json"]["replication_study"];
    if !registered.is_null() {
        plan["variants"] = registered.clone();
    }
    fs::write(&path, recording.to_string()).unwrap();
}

fn registered() -> Value {
    json!([
        {"name": "doubled yield", "changes": "Yields are doubled.", "variables": {"FACTOR": "2"}},
        {"name": "breaks", "changes": "It cannot run."},
        {"name": "absent", "changes": "Its script is missing.", "entry": ["work/absent.sh"]},
    ])
}

fn run<'a>(out: &'a str, approve: &'a str) -> Vec<&'a str> {
    let mut arguments = vec![
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--approve",
        approve,
    ];
    arguments.extend(["--sandbox", "local", "--model", "scripted:native", "--out", out]);
    arguments
}

fn shown(place: &Place, out: &str) -> Value {
    serde_json::from_str(&place.call(&["show", out, "--json"]).stdout).unwrap()
}

fn journal(place: &Place, out: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.path().join(out).join("journal.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn row<'a>(rows: &'a Value, key: &str, part: &str) -> &'a Value {
    let rows = rows.as_array().unwrap();
    rows.iter()
        .find(|row| row[key].as_str().unwrap().contains(part))
        .unwrap_or_else(|| panic!("no {part} in {rows:#?}"))
}

#[test]
fn variants_stand_beside_a_verdict_that_is_the_same_without_them() {
    let place = Place::new();
    study(&place, FIXED, &registered());
    let called = place.call(&run("out", "auto"));
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let line =
        "2 of 4 ran; 1 of 2 at least as extreme as the main result; 1 of 2 with the same outcome by the rule";
    assert!(
        called.stdout.contains(&format!("variants: {line}")),
        "{}",
        called.stdout
    );
    let text = place.call(&["show", "out"]).stdout;
    assert!(text.contains(&format!("variants   {line}")), "{text}");
    assert!(text.contains("Exited(3) (variant breaks)"), "{text}");

    let state = shown(&place, "out");
    let ends: Vec<_> = state["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap(),
                one["ended"].as_str().unwrap(),
                one["outcome"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        ends,
        [
            ("mirrored", "ran", Some("unmet")),
            ("doubled yield", "ran", Some("met")),
            ("breaks", "failed", None),
            ("absent", "not_run", None),
        ]
    );
    let estimate = |name: &str| row(&state["variants"], "name", name)["finding"]["estimate"].clone();
    assert_eq!(
        (estimate("mirrored"), estimate("doubled yield")),
        (json!(-1.94), json!(3.88))
    );

    // Nothing of a variant reaches the workspace, the agent or the verdict.
    let work = tree(&place.path().join("out/workspace"));
    let names: Vec<&str> = work.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.ends_with(".csv") && !name.contains("plots")),
        "{names:?}"
    );
    assert!(!place.path().join("out/variant").exists());
    let told = journal(&place, "out")
        .into_iter()
        .map(|record| record["event"].to_string())
        .find(|event| event.contains("Variant `breaks`"))
        .unwrap();
    assert!(
        told.contains("Variant `mirrored` ran.") && told.contains("`work/slope.sh` ended with exit status 3")
    );
    assert!(told.contains("Variant `absent` was not run.") && told.contains("1.94"));
    assert!(!told.contains("-1.94") && !told.contains("3.88"), "{told}");
    let plain = Place::new();
    study(&plain, "", &Value::Null);
    assert_eq!(plain.call(&run("out", "auto")).status, 0);
    assert_eq!(shown(&plain, "out")["verdict"], state["verdict"]);
    assert!(!plain.call(&["show", "out"]).stdout.contains("variants"));

    let report = place
        .call(&["report", "out", "--format", "json", "--out", "-"])
        .stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["variants"], state["variants"]);
    assert_eq!(report["variant_summary"]["axis"], "estimate");
    let table = &report["deviation_table"];
    assert_eq!(row(table, "what", "`breaks` failed")["could_change"], "no");
    assert_eq!(
        row(table, "what", "`absent` was not run")["code"],
        "`work/absent.sh` did not exist"
    );
    let page = fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(page.contains("<svg class=\"strip\"") && page.contains("do not decide"));

    let replayed = place.call(&["replay", "out"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

/// Goes on until the run waits for an execution; returns the question.
fn until_execution(place: &Place) -> Value {
    loop {
        let waiting = shown(place, "out")["waiting_for"][0].clone();
        if waiting["asking"] == "execute" {
            return waiting;
        }
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        assert_eq!(place.call(&["resume", "out"]).status, 5);
    }
}

#[test]
fn the_approval_shows_variants_and_asks_again_after_one_changed_byte_of_theirs() {
    let place = Place::new();
    study(&place, FIXED, &registered());
    assert_eq!(place.call(&run("out", "ask")).status, 5);
    let asked = until_execution(&place);
    assert!(
        asked["summary"].as_str().unwrap().ends_with("and 3 variants"),
        "{asked}"
    );
    let text = place.call(&["show", "out"]).stdout;
    for line in [
        "variant   sh -eu mirror.sh   (in a copy of work, with REPRISE_VARIANT=mirrored)",
        "variant   sh -eu slope.sh   (in a copy of work, with FACTOR=2, REPRISE_VARIANT=doubled yield)",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(place.call(&["approve", "out"]).status, 0);
    let script = place.path().join("out/workspace/work/mirror.sh");
    fs::write(&script, format!("{MIRROR}\n")).unwrap();
    assert_eq!(place.call(&["resume", "out"]).status, 5);
    let again = until_execution(&place);
    assert_ne!(again["digest"], asked["digest"]);
    assert!(
        !journal(&place, "out")
            .iter()
            .any(|record| record["event"]["kind"] == "execution_started")
    );
}

/// A main analysis that writes code is asked about again before its variants run.
#[test]
fn the_main_result_stands_where_its_variants_are_refused() {
    let place = Place::new();
    study(&place, FIXED, &registered());
    let script = place.path().join("slope/input/replication_data/slope.sh");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, format!("{text}echo : > made.sh\n")).unwrap();
    let mut status = place.call(&run("out", "ask")).status;
    let mut refused = 0;
    for _ in 0..20 {
        if status != 5 {
            break;
        }
        let ended_well = journal(&place, "out")
            .iter()
            .any(|record| record["event"]["ending"]["exited"] == 0);
        let execute = shown(&place, "out")["waiting_for"][0]["asking"] == "execute";
        let deny: &[&str] = if ended_well && execute { &["--deny"] } else { &[] };
        refused += deny.len();
        let approve = [&["approve", "out"], deny].concat();
        assert_eq!(place.call(&approve).status, 0);
        status = place.call(&["resume", "out"]).status;
    }
    assert_eq!((status, refused), (0, 1));
    let state = shown(&place, "out");
    assert_eq!(state["verdict"]["outcome"], "met", "{}", state["verdict"]);
    let variants = state["variants"].as_array().unwrap();
    assert!(
        variants.iter().all(|one| one["ended"] == "not_run"),
        "{variants:#?}"
    );
    let told = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(told.contains("Variant `mirrored` was not run."));
}

#[test]
fn variants_that_cannot_be_registered_are_refused() {
    let told = |fixed: &str, study: &dyn Fn(&Path)| {
        let place = Place::new();
        self::study(&place, fixed, &Value::Null);
        study(&place.path().join("slope"));
        let called = place.call(&run("out", "auto"));
        assert_eq!(called.status, 3, "{}{}", called.stdout, called.stderr);
        called.stderr
    };
    let twice = format!("{FIXED}{FIXED}");
    assert!(told(&twice, &|_| {}).contains("two variants have the name `mirrored`"));
    let gone = told(FIXED, &|study| {
        fs::remove_file(study.join("input/replication_data/mirror.sh")).unwrap()
    });
    assert!(
        gone.contains("`mirrored` runs `work/mirror.sh`, which is no code below `replication_data/`"),
        "{gone}"
    );
    let unknown = FIXED.replace("changes", "change");
    assert!(told(&unknown, &|_| {}).contains("variant.change"));

    // The agent is told in the design stage.
    let place = Place::new();
    let same = json!({"name": "a", "changes": "x"});
    study(
        &place,
        "",
        &json!([same, same, {"name": "b", "changes": "y", "entry": ["../x.sh"]}]),
    );
    assert_ne!(place.call(&run("out", "auto")).status, 0);
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("execution_started"));
}
