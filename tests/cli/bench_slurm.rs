//! Cells of a bench as jobs of a cluster: submitted, worked on, lost, stopped, collected.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::fake_slurm::FakeSlurm;
use super::need;
use super::provider::{Dialect, Provider};
use super::support::{Called, Place, copy, tree};

const FILE: &str = "\
name = \"small; $(touch pwned) '\\n#SBATCH --uid=0\"
[settings]
approve = 'auto'
sandbox = 'local'
[[studies]]
paths = ['slope']
settings = { code-mode = 'native', no-probe = true }
slurm.memory = '2G'
[[capsules]]
files = ['sunspots/task.json']
settings.level = ['easy', 'hard']
[slurm]
time = '30'
";

/// One cell that asks a provider.
const LIVE: &str = "\
name = 'live'
[settings]
approve = 'auto'
sandbox = 'local'
code-mode = 'native'
no-probe = true
model = 'anthropic/claude-sonnet-4-5'
[[studies]]
paths = ['slope']
";

fn place(file: &str) -> Place {
    let place = Place::new();
    place.study();
    let capsules = Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots");
    copy(&capsules, &place.path().join("sunspots"));
    fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

fn json(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}{}", called.stdout, called.stderr))
}

fn submit(slurm: &FakeSlurm<'_>, more: &[&str]) -> Called {
    slurm.forget_answer();
    slurm.call(
        &[
            &["bench", "submit", "bench.toml", "--engine", "slurm", "--json"],
            more,
        ]
        .concat(),
    )
}

/// The cells by their standing, as `bench status` has them.
fn standings(slurm: &FakeSlurm<'_>) -> Vec<(String, Value)> {
    slurm.forget_answer();
    let status = json(&slurm.call(&["bench", "status", "bench.toml", "--json"]));
    let cells = status["cells"].as_array().unwrap();
    let standing = |cell: &Value| (cell["standing"].as_str().unwrap().to_owned(), cell.clone());
    cells.iter().map(standing).collect()
}

fn only(slurm: &FakeSlurm<'_>) -> (String, Value) {
    let mut all = standings(slurm);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn cells_are_submitted_once_and_come_to_what_they_come_to_here() {
    let here = place(FILE);
    let whole = here.call(&["bench", "bench.toml", "--quiet"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);

    let there = place(FILE);
    let mut slurm = FakeSlurm::new(&there);
    slurm.variable("OPENAI_API_KEY", "sk-canary-of-jobs");
    let dry = slurm.call(&["bench", "submit", "bench.toml", "--engine", "slurm", "--dry-run"]);
    assert_eq!(dry.status, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("3 cells to be submitted") && dry.stdout.contains("#SBATCH --time=30"));
    assert!(!there.path().join("bench").exists());

    let unnamed = slurm.call(&["bench", "submit", "bench.toml", "--dry-run"]);
    assert_eq!(unnamed.status, 2);
    assert!(
        unnamed.stderr.contains("names no `engine`: give --engine local"),
        "{}",
        unnamed.stderr
    );
    fs::write(
        there.path().join("bench.toml"),
        format!("engine = 'slurm'\n{FILE}"),
    )
    .unwrap();
    let named = slurm.call(&["bench", "submit", "bench.toml", "--dry-run"]);
    assert!(
        named.stdout.contains("3 cells to be submitted"),
        "{}",
        named.stderr
    );
    // The engine makes no other cell: what follows is as without it.
    let first = submit(&slurm, &["--cpus", "2", "--at-once", "5"]);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let first = json(&first);
    // An array for each shape: the study asks for memory.
    let arrays = first["arrays"].as_array().unwrap();
    assert_eq!(arrays.len(), 2, "{first}");
    let cells = |array: &Value| array["cells"].as_array().unwrap().len();
    assert_eq!(cells(&arrays[0]) + cells(&arrays[1]), 3);
    let of_study = arrays
        .iter()
        .find(|array| array["shape"]["memory"] == "2G")
        .unwrap();
    assert_eq!(
        (cells(of_study), &of_study["shape"]["cpus"]),
        (1, &json!(2)),
        "{first}"
    );
    let script = fs::read_to_string(there.path().join("bench/submissions/0001/array-1/job.sh")).unwrap();
    for line in [
        "#SBATCH --cpus-per-task=2",
        "#SBATCH --signal=B:USR1@120",
        "#SBATCH --requeue",
    ] {
        assert!(script.contains(line), "{script}");
    }
    assert!(script.contains("--array=0-") && script.contains("%5"), "{script}");
    let exported = fs::read_to_string(slurm.file("export")).unwrap();
    assert!(
        exported.contains("PATH") && exported.contains("REPRISE_CACHE"),
        "{exported}"
    );
    assert!(!exported.contains("KEY"), "{exported}");

    // Nothing is submitted twice, and Slurm is not asked more often than every ten seconds.
    assert!(standings(&slurm).iter().all(|(standing, _)| standing == "queued"));
    let asked = slurm.questions();
    for _ in 0..3 {
        assert_eq!(slurm.call(&["bench", "status", "bench.toml"]).status, 0);
    }
    assert_eq!(slurm.questions(), asked);
    let again = json(&submit(&slurm, &[]));
    assert_eq!(
        (&again["submission"], again["left"].as_array().unwrap().len()),
        (&Value::Null, 3),
        "{again}"
    );
    // Nor do cells that are submitted run here.
    let local = slurm.call(&["bench", "bench.toml", "--quiet"]);
    assert!(
        local.stderr.contains("3 of 3 cells are at work elsewhere"),
        "{}",
        local.stderr
    );

    for task in ["101_0", "101_1", "102_0"] {
        assert_eq!(slurm.run(task), 0, "{task}");
    }
    assert!(
        standings(&slurm)
            .iter()
            .all(|(standing, _)| standing == "finished")
    );
    let collected = slurm.call(&["bench", "collect", "bench.toml", "--json"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    let finished = json(&submit(&slurm, &[]));
    assert_eq!(
        (&finished["finished"], &finished["submission"]),
        (&json!(3), &Value::Null)
    );

    let results = |place: &Place| fs::read_to_string(place.path().join("bench/cells.jsonl")).unwrap();
    assert_eq!(results(&there), results(&here));
    let artifacts = |place: &Place| {
        let all = tree(&place.path().join("bench/cells"));
        all.into_iter()
            .filter(|(name, _)| name.contains("/artifacts/"))
            .collect::<Vec<_>>()
    };
    assert!(!artifacts(&here).is_empty() && artifacts(&there) == artifacts(&here));
    assert!(there.path().join("bench/index.html").exists());
    for place in [&here, &there] {
        assert!(
            !place.path().join("pwned").exists()
                && !place.path().join("bench/submissions/0001/array-1/pwned").exists()
        );
    }
}

/// A place with one cell that hangs in its second turn, so many times.
fn hanging(times: usize) -> (Place, Provider) {
    (place(LIVE), Provider::for_many(Dialect::Anthropic, times))
}

fn slurm_of<'a>(place: &'a Place, provider: &Provider) -> FakeSlurm<'a> {
    let mut slurm = FakeSlurm::new(place);
    for (name, value) in provider.model().1 {
        slurm.variable(name, &value);
    }
    slurm
}

const EXPORTS: [&str; 4] = ["--export", "ANTHROPIC_API_KEY", "--export", "ANTHROPIC_BASE_URL"];

fn hangs(provider: &Provider) {
    provider.halfway.recv_timeout(super::need::PATIENCE).unwrap();
}

/// The process that works on the only cell, by its last claim.
fn worker(place: &Place) -> Pid {
    let claims = place.path().join("bench/claims");
    let cell = fs::read_dir(claims)
        .unwrap()
        .flatten()
        .find(|entry| entry.file_name() != "coordinator");
    let mut files: Vec<_> = fs::read_dir(cell.unwrap().path())
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let claim: Value = serde_json::from_slice(&fs::read(files.last().unwrap()).unwrap()).unwrap();
    Pid::from_raw(claim["holder"]["pid"].as_i64().unwrap() as i32)
}

#[test]
fn the_warning_before_the_time_limit_ends_in_a_checkpoint_and_the_task_goes_on_in_the_queue() {
    let (place, provider) = hanging(1);
    let slurm = slurm_of(&place, &provider);
    assert_eq!(submit(&slurm, &EXPORTS).status, 0);
    let task = slurm.start("101_0");
    hangs(&provider);
    let (standing, cell) = only(&slurm);
    assert_eq!(standing, "running", "{cell}");
    assert!(cell["detail"].as_str().unwrap().contains("job 101_0"), "{cell}");
    // Another job of the same cell is refused, whoever started it.
    let id = cell["cell"].as_str().unwrap().to_owned();
    let second = slurm.call(&["bench", "work", "bench.toml", "--cell", &id]);
    assert_eq!(second.status, 7, "{}", second.stderr);
    assert!(
        second.stderr.contains("in use by another process") && second.stderr.contains("job 101_0"),
        "{}",
        second.stderr
    );
    kill(task.pid(), Signal::SIGUSR1).unwrap();
    task.ended();
    assert_eq!(slurm.state("101_0"), "PENDING");
    let (standing, cell) = only(&slurm);
    assert_eq!(standing, "queued", "{cell}");
    assert!(cell["tokens"].as_u64().unwrap() > 0, "{cell}");
    assert_eq!(slurm.run("101_0"), 0);
    assert_eq!(only(&slurm).0, "finished");
    // Each answer was paid once.
    assert_eq!(provider.requests().len(), 20);
}

#[test]
fn a_cell_whose_process_was_killed_is_found_and_taken_up_but_not_for_ever() {
    let (place, provider) = hanging(2);
    let slurm = slurm_of(&place, &provider);
    let submit = |more: &[&str]| json(&submit(&slurm, &[&EXPORTS[..], more].concat()));
    assert_eq!(submit(&[])["submission"], 1);
    let kill_one = |task: &str| {
        let task = slurm.start(task);
        hangs(&provider);
        kill(worker(&place), Signal::SIGKILL).unwrap();
        assert_eq!(task.ended(), 137);
    };
    kill_one("101_0");
    let (standing, cell) = only(&slurm);
    assert_eq!(
        (standing.as_str(), &cell["failures"]),
        ("lost", &json!(1)),
        "{cell}"
    );
    assert_eq!(submit(&["--infrastructure-repeats", "1"])["submission"], 2);
    // The job that was lost comes back: the cell is the later one's.
    assert_eq!(slurm.run("101_0"), 2);
    kill_one("102_0");
    let left = submit(&["--infrastructure-repeats", "1"]);
    assert_eq!(left["submission"], Value::Null, "{left}");
    assert!(
        left["left"][0]["why"]
            .as_str()
            .unwrap()
            .contains("2 times in a row"),
        "{left}"
    );
    assert_eq!(
        submit(&["--infrastructure-repeats", "1", "--retry", "infrastructure"])["submission"],
        3
    );
    assert_eq!(slurm.run("103_0"), 0);
    assert_eq!(only(&slurm).0, "finished");
    assert_eq!(provider.requests().len(), 19 + 2, "one call more for each kill");
}

#[test]
fn stopping_cancels_the_jobs_of_this_bench_alone() {
    let (place, provider) = hanging(1);
    let slurm = slurm_of(&place, &provider);
    assert_eq!(submit(&slurm, &EXPORTS).status, 0);
    fs::write(
        slurm.file("jobs").join("7_0"),
        "PENDING|None|reprise-of-somebody-1-1\n",
    )
    .unwrap();
    let task = slurm.start("101_0");
    hangs(&provider);
    let stopped = slurm.call(&["bench", "stop", "bench.toml"]);
    assert_eq!(stopped.status, 0, "{}", stopped.stderr);
    assert_eq!(task.ended(), 130);
    assert_eq!(
        (slurm.state("101_0"), slurm.state("7_0")),
        ("CANCELLED".to_owned(), "PENDING".to_owned())
    );
    let (standing, cell) = only(&slurm);
    assert_eq!(standing, "stopped", "{cell}");
    assert_eq!(json(&submit(&slurm, &EXPORTS))["submission"], 2);
    assert_eq!(slurm.run("102_0"), 0);
}

/// Turns stand for money: recordings cost none.
#[test]
fn a_cap_on_all_cells_is_divided_and_what_is_left_over_comes_back() {
    let file = "name = 'capped'\nrepeats = 2\nlimits.max-turns = 42\n\
        settings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }\n\
        [[studies]]\npaths = ['slope']\n";
    let place = place(file);
    let slurm = FakeSlurm::new(&place);
    // 19 turns each are needed, and 15 and 21 are given.
    let only_first = json(&submit(&slurm, &["--only", "r1"]));
    assert_eq!(
        only_first["arrays"][0]["cells"][0]["allotted"]["turns"], 42,
        "{only_first}"
    );
    // All of it is taken while the first is at work.
    let second = json(&submit(&slurm, &[]));
    assert!(
        second["left"].to_string().contains("nothing is left of [limits]"),
        "{second}"
    );
    let by_hand = slurm.call(&[
        "bench",
        "work",
        "bench.toml",
        "--cell",
        cell_of(&second, "r2").as_str(),
    ]);
    assert_eq!(by_hand.status, 6);
    assert!(
        by_hand.stderr.contains("nothing is left of [limits] for cell"),
        "{}",
        by_hand.stderr
    );
    // The first is its job's, whoever calls.
    let queued = slurm.call(&["bench", "work", "bench.toml", "--cell", &cell_of(&second, "r1")]);
    assert_eq!(queued.status, 2);
    assert!(
        queued.stderr.contains("is submitted (job 101_0"),
        "{}",
        queued.stderr
    );
    assert_eq!(slurm.run("101_0"), 0);
    // 23 are left, of which 19 are needed.
    let third = json(&submit(&slurm, &[]));
    assert_eq!(third["arrays"][0]["cells"][0]["allotted"]["turns"], 23, "{third}");
    assert_eq!(slurm.run("102_0"), 0);
    assert!(
        standings(&slurm)
            .iter()
            .all(|(standing, _)| standing == "finished")
    );

    // Both at once, with too little for either: each stops at its part, which no agent is blamed for.
    fs::write(
        place.path().join("bench.toml"),
        file.replace("42", "30").replace("capped", "tight"),
    )
    .unwrap();
    let out = ["--out", "tight"];
    let tight = json(&submit(&slurm, &out));
    for cell in tight["arrays"][0]["cells"].as_array().unwrap() {
        assert_eq!(cell["allotted"]["turns"], 15, "{tight}");
    }
    assert_eq!((slurm.run("103_0"), slurm.run("103_1")), (6, 6));
    let collected = json(&slurm.call(&["bench", "collect", "bench.toml", "--out", "tight", "--json"]));
    for cell in collected["cells"].as_array().unwrap() {
        assert_eq!(cell["result"], "unscored", "{collected}");
    }
    assert_eq!(turns(&place.path().join("tight/cells")), 30);
    let none = json(
        &slurm.call(
            &[
                &["bench", "submit", "bench.toml", "--engine", "slurm", "--json"],
                &out[..],
            ]
            .concat(),
        ),
    );
    assert_eq!(none["submission"], Value::Null, "{none}");
}

fn cell_of(submitted: &Value, name: &str) -> String {
    let left = submitted["left"].as_array().unwrap();
    let cell = left
        .iter()
        .find(|cell| cell["name"].as_str().unwrap().contains(name))
        .unwrap();
    cell["cell"].as_str().unwrap().to_owned()
}

fn turns(cells: &Path) -> usize {
    let journals = fs::read_dir(cells)
        .unwrap()
        .flatten()
        .map(|cell| cell.path().join("journal.jsonl"));
    journals
        .map(|path| {
            fs::read_to_string(path)
                .unwrap()
                .matches(r#""kind":"model_answered""#)
                .count()
        })
        .sum()
}

#[test]
fn a_claim_of_another_machine_holds_until_its_lease_is_out() {
    let place = place(FILE);
    let slurm = FakeSlurm::new(&place);
    let submitted = json(&submit(&slurm, &["--only", "easy"]));
    let cell = submitted["arrays"][0]["cells"][0]["cell"]
        .as_str()
        .unwrap()
        .to_owned();
    let claims = place.path().join("bench/claims").join(&cell);
    fs::create_dir_all(&claims).unwrap();
    let claim = json!({
        "format": "reprise-claim/1",
        "holder": { "pid": 1, "host": "node7", "boot": "another", "job": "55_1", "lease_seconds": 120 },
        "at": "2026-01-02T03:04:05Z",
        "submission": 1
    });
    let path = claims.join("0001.json");
    fs::write(&path, claim.to_string()).unwrap();
    let held = slurm.call(&[
        "bench",
        "work",
        "bench.toml",
        "--cell",
        &cell,
        "--submission",
        "1",
    ]);
    assert_eq!(held.status, 7);
    assert!(held.stderr.contains("host node7, job 55_1"), "{}", held.stderr);
    let old = SystemTime::now() - Duration::from_secs(130);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let taken = slurm.call(&[
        "bench",
        "work",
        "bench.toml",
        "--cell",
        &cell,
        "--submission",
        "1",
    ]);
    assert_eq!(taken.status, 0, "{}", taken.stderr);
    assert!(claims.join("0002.json").exists());
}

/// What a node lacks is never the agent's doing.
#[test]
fn a_node_without_user_namespaces_fails_its_cell_as_infrastructure() {
    let without = "echo 0 >/proc/sys/user/max_user_namespaces";
    let probe = std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", without])
        .output();
    let works = probe.is_ok_and(|output| output.status.success());
    let Some(()) = need::need_that(
        works,
        "user namespaces cannot be taken away here: `unshare` fails",
    ) else {
        return;
    };
    let place = place(FILE);
    let slurm = FakeSlurm::new(&place);
    let submitted = json(&submit(&slurm, &["--only", "easy"]));
    let cell = submitted["arrays"][0]["cells"][0]["cell"]
        .as_str()
        .unwrap()
        .to_owned();
    let script = format!("{without}; exec \"$@\"");
    let reprise = env!("CARGO_BIN_EXE_reprise");
    let mut command = std::process::Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", &script, "sh", reprise]);
    command.args(["bench", "work", "bench.toml", "--cell", &cell]);
    let as_called = slurm.command(&[]);
    command.env_clear().current_dir(place.path());
    command.envs(
        as_called
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = super::support::called(command.output().unwrap());
    assert_eq!(output.status, 7, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("user namespaces"), "{}", output.stdout);
    fs::write(
        slurm.file("jobs/101_0"),
        format!(
            "FAILED|None|{}\n",
            submitted["arrays"][0]["name"].as_str().unwrap()
        ),
    )
    .unwrap();
    let failed = standings(&slurm)
        .into_iter()
        .find(|(_, one)| one["cell"] == cell.as_str())
        .unwrap();
    assert_eq!(failed.0, "infrastructure", "{failed:?}");
    let collected = json(&slurm.call(&["bench", "collect", "bench.toml", "--json"]));
    assert_eq!(collected["cells"][0]["result"], "unscored", "{collected}");
    // On another node it goes on.
    assert_eq!(json(&submit(&slurm, &["--only", "easy"]))["submission"], 2);
    assert_eq!(slurm.run("102_0"), 0);
}

#[test]
fn what_cannot_be_submitted_is_said_in_one_line_and_nothing_is_lost() {
    let place = place(FILE);
    let slurm = FakeSlurm::new(&place);
    let call = |arguments: &[&str]| slurm.call(&[&["bench"], arguments].concat());
    let early = call(&["status", "bench.toml"]);
    assert_eq!(early.status, 2);
    assert!(
        early.stderr.contains("no cell was planned there"),
        "{}",
        early.stderr
    );
    for (option, value, said) in [
        ("--partition", "a b", "give letters"),
        ("--time", "dawn", "give minutes"),
        ("--memory", "8 G", "give a size"),
        ("--export", "A=B", "give the name of a variable alone"),
    ] {
        let refused = call(&["submit", "bench.toml", "--engine", "slurm", option, value]);
        assert_eq!(refused.status, 2);
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    // What does the job now is named, on the command line and in a file.
    let kubernetes = call(&["submit", "bench.toml", "--engine", "kubernetes"]);
    let other = place.path().join("other.toml");
    fs::write(&other, format!("engine = 'kubernetes'\n{FILE}")).unwrap();
    for refused in [kubernetes, call(&["submit", "other.toml"])] {
        assert_eq!(refused.status, 2);
        let way_out =
            "`reprise bench work DIR`, in pods or on any machines that share the folder DIR, runs its cells";
        assert!(refused.stderr.contains(way_out), "{}", refused.stderr);
    }
    fs::write(slurm.file("refuse"), "").unwrap();
    let refused = submit(&slurm, &[]);
    assert_eq!(refused.status, 7);
    assert!(
        refused.stderr.contains("Invalid partition name"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains("0 of 2 arrays were handed over"),
        "{}",
        refused.stderr
    );
    // What was refused is no submission: nothing waits for it, and nobody is asked about it.
    assert!(
        standings(&slurm)
            .iter()
            .all(|(standing, _)| standing == "to_begin")
    );
    assert_eq!(call(&["stop", "bench.toml"]).status, 0);
    assert_eq!(slurm.questions(), 0);
    // Here Slurm may have taken it all the same: for a minute it is not submitted again.
    fs::write(slurm.file("refuse"), "Socket timed out on send/recv operation").unwrap();
    assert_eq!(submit(&slurm, &[]).status, 7);
    fs::remove_file(slurm.file("refuse")).unwrap();
    let (queued, others): (Vec<_>, Vec<_>) = standings(&slurm)
        .into_iter()
        .partition(|(standing, _)| standing == "queued");
    assert!(
        !queued.is_empty() && others.iter().all(|(standing, _)| standing == "to_begin"),
        "{queued:?} {others:?}"
    );
    let later = place.path().join("bench/submissions/0002/submission.json");
    let text = fs::read_to_string(&later).unwrap();
    let mut submission: Value = serde_json::from_str(&text).unwrap();
    submission["at"] = json!("2026-01-02T03:04:05Z");
    fs::write(&later, submission.to_string()).unwrap();
    fs::write(slurm.file("silent"), "").unwrap();
    let silent = submit(&slurm, &[]);
    assert_eq!(silent.status, 7);
    assert!(
        silent.stderr.contains("Unable to contact slurm controller"),
        "{}",
        silent.stderr
    );
    assert!(
        silent.stderr.contains("Nothing is submitted while"),
        "{}",
        silent.stderr
    );
    fs::remove_file(slurm.file("silent")).unwrap();
    assert_eq!(json(&submit(&slurm, &[]))["submission"], 3);
    let unknown = call(&["work", "bench.toml", "--cell", "../../etc"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("has no cell ../../etc"),
        "{}",
        unknown.stderr
    );
    // A task that changed since is no longer that cell.
    let claim = place.path().join("slope/input/initial_details.txt");
    let text = fs::read_to_string(&claim).unwrap();
    fs::write(&claim, text + "More of it.\n").unwrap();
    assert_eq!(slurm.run("102_0"), 2);
    let changed = standings(&slurm)
        .into_iter()
        .find(|(_, cell)| cell["name"].as_str().unwrap().contains("slope"));
    let (standing, cell) = changed.unwrap();
    assert_eq!(standing, "stopped");
    assert!(
        cell["detail"]
            .as_str()
            .unwrap()
            .starts_with("its task changed since the cell was planned"),
        "{cell}"
    );
}
