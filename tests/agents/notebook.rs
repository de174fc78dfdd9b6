//! A program of others at a bundled notebook task: in a shell over the repository, graded by its answer.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::attempt::{Place, Where, said};
use crate::need::need_that;
use crate::provider::Speaks;

/// What the agent runs: it configures the repository, trains, and writes what was printed.
fn commands() -> Vec<String> {
    vec![
        "cd degree-days && sed 's/18.0/15.5/' settings.example.json > settings.json && python3 train.py --epochs 200 > log"
            .to_owned(),
        concat!(
            "python3 - <<'END'\n",
            "import json, os, re\n",
            "log = open('degree-days/log').read()\n",
            "def printed(what):\n    return float(re.search(what + ' ([0-9.]+)', log)[1])\n",
            "answer = {'test_error': printed('test error'), 'gas_per_degree_day': printed('degree day')}\n",
            "json.dump(answer, open(os.environ['REPRISE_ANSWER_FILE'], 'w'))\nEND",
        )
            .to_owned(),
    ]
}

fn begin(place: &Place, task: &str) -> Command {
    begin_with(place, task, &[])
}

fn begin_with(place: &Place, task: &str, further: &[&str]) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = place.command(&["notebook", "run"]);
    command
        .arg(root.join("notebooks/tasks.jsonl"))
        .args([
            "--task",
            task,
            "--approve",
            "auto",
            "--network",
            "none",
            "--allow-unpriced",
        ])
        .args([
            "--sandbox",
            place.sandbox.name(),
            "--out",
            "out",
            "--model",
            &place.provider.model(place.speaks).0,
        ])
        .args(further)
        .args(["--agent", "command", "--agent-files"])
        .arg(root.join("tests/agents/clients"))
        .args(["--", "python3", "/agent/agent.py", place.speaks.word()]);
    // The environment of kernels, as the tests of notebook tasks make it.
    let cache = format!("sandbox-cache-{}", nix::unistd::geteuid());
    command.env(
        "REPRISE_CACHE",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache),
    );
    for name in ["PIP_INDEX_URL", "REPRISE_CA_BUNDLE"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

#[test]
fn a_program_attempts_a_notebook_task_and_its_answer_is_graded() {
    graded_in(Where::Local);
}

#[test]
fn a_program_attempts_a_notebook_task_in_docker() {
    graded_in(Where::Docker);
}

fn graded_in(sandbox: Where) {
    let Some(place) = Place::new(Speaks::Chat, sandbox, commands()) else {
        return;
    };
    let output = begin(&place, "degree-days").output().unwrap();
    if is_without_kernel(&output) {
        return;
    }
    assert!(output.status.success(), "{}", said(&output));
    let grade = place.events("run_graded").pop().unwrap()["grade"].take();
    let score = |name: &str| {
        let parts = grade["parts"].as_array().unwrap();
        parts.iter().find(|part| part["name"] == name).unwrap()["score"].clone()
    };
    assert_eq!(score("answer"), 1.0, "{grade}");
    assert_eq!(
        (score("landmarks"), score("script")),
        (Value::Null, Value::Null),
        "{grade}"
    );
    assert_eq!(place.events("model_answered").len(), 3);
    let replay = place.command(&["replay", "out"]).output().unwrap();
    assert!(replay.status.success(), "{}", said(&replay));
}

/// What the agent runs of the Masked-like task: it begins in the folder of the repository, whose test text the
/// task's own cells have mended.
fn behind_cells() -> Vec<String> {
    vec![
        "pwd && grep -c 'texts/hill.txt' config.ini && ls ../../logs/kernel | head -n 1".to_owned(),
        "sed -i 's/^smoothing.*/smoothing = 0.1/; s/^pause.*/pause = 1.5/' config.ini && python3 chain.py > ../log".to_owned(),
        concat!(
            "python3 - <<'END'\n",
            "import json, os, re\n",
            "printed = re.search(r'test text: ([0-9.]+)', open('../log').read())[1]\n",
            "json.dump({'perplexity': float(printed)}, open(os.environ['REPRISE_ANSWER_FILE'], 'w'))\nEND",
        )
        .to_owned(),
    ]
}

/// Whether no kernel can be had here, which fails where CI wants one.
fn is_without_kernel(output: &Output) -> bool {
    let lacks = said(output).contains("A notebook needs ipykernel");
    if lacks {
        need_that(false, "no kernel can be installed here");
    }
    lacks
}

/// The body of the call with a number, from 0.
fn asked(place: &Place, call: usize) -> String {
    place.provider.arrived()[call].body.to_string()
}

fn held(place: &Place, output: &Output) {
    assert!(output.status.success(), "{}", said(output));
    let grade = place.events("run_graded").pop().unwrap()["grade"].take();
    let parts = grade["parts"].as_array().unwrap();
    let answer = parts.iter().find(|part| part["name"] == "answer").unwrap();
    assert_eq!(answer["score"], 1.0, "{grade}");
    assert_eq!(place.events("acted_beforehand").len(), 4);
    let ended = place.events("program_ended").pop().unwrap();
    let notes = ended["notes"].to_string();
    assert!(
        notes.contains("began in `/workspace/work/word-chain`")
            && notes.contains("without the kernel's variables"),
        "{notes}"
    );
}

#[test]
fn a_program_begins_where_the_cells_of_its_task_left_the_folder() {
    begun_behind_cells(Where::Local);
}

#[test]
fn a_program_begins_where_the_cells_of_its_task_left_the_folder_in_docker() {
    begun_behind_cells(Where::Docker);
}

fn begun_behind_cells(sandbox: Where) {
    let Some(place) = Place::new(Speaks::Chat, sandbox, behind_cells()) else {
        return;
    };
    let output = begin(&place, "word-chain_configuration").output().unwrap();
    if is_without_kernel(&output) {
        return;
    }
    held(&place, &output);
    let prompt = asked(&place, 0);
    for part in [
        "You start in `/workspace/work/word-chain`",
        "variables and imports",
        "%cd word-chain",
        "perplexity on the test text: ",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let first = asked(&place, 1);
    assert!(first.contains("/workspace/work/word-chain\\n1\\n"), "{first}");
    let replay = place.command(&["replay", "out"]).output().unwrap();
    assert!(replay.status.success(), "{}", said(&replay));
}

/// The program's own changes are gone behind a kill, and the cells are executed again.
#[test]
fn cells_are_executed_again_for_the_next_start_of_a_program() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, behind_cells()) else {
        return;
    };
    // Behind its second answer, by which it has changed the folder.
    let whole = {
        let Some(twin) = Place::new(Speaks::Chat, Where::Local, behind_cells()) else {
            return;
        };
        let output = begin(&twin, "word-chain_configuration").output().unwrap();
        if is_without_kernel(&output) {
            return;
        }
        held(&twin, &output);
        std::fs::read_to_string(twin.run().join("journal.jsonl")).unwrap()
    };
    let answered = |line: &str| line.contains("\"model_answered\"");
    let third = whole
        .lines()
        .enumerate()
        .filter(|(_, line)| answered(line))
        .nth(2);
    let died = begin(&place, "word-chain_configuration")
        .env("REPRISE_DIE_AFTER_EVENT", (third.unwrap().0 + 1).to_string())
        .output()
        .unwrap();
    assert_eq!(died.status.code(), None, "{}", said(&died));
    let resumed = place.command(&["resume", "out"]).output().unwrap();
    held(&place, &resumed);
    assert_eq!(place.events("program_started").len(), 2);
    let ended = place.events("program_ended").pop().unwrap();
    assert!(
        ended["calls"]["served_again"]
            .as_u64()
            .is_some_and(|count| count > 0),
        "{ended}"
    );
}

#[test]
fn cells_that_used_up_the_seconds_leave_none_to_a_program() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, behind_cells()) else {
        return;
    };
    let mut command = begin_with(
        &place,
        "word-chain_configuration",
        &["--environment-seconds", "0"],
    );
    let output = command.output().unwrap();
    if is_without_kernel(&output) {
        return;
    }
    assert!(!output.status.success(), "{}", said(&output));
    let end = place.events("stage_ended").pop().unwrap();
    assert_eq!(end["cause"], "timeout", "{end}");
    assert!(
        end["detail"].to_string().contains("seconds of cells are used"),
        "{end}"
    );
    assert!(place.events("program_started").is_empty());
    assert!(place.provider.arrived().is_empty());
}
