//! Real agents against the scripted server of the shared data, in Docker without a network: each carries the
//! bundled capsule, killed once and carried on, and the stages design and execute of a study.
//!
//! Their files come from the registries, pinned, into a folder below `target/`.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::attempt::{commands, said};
use crate::gateway::Gateway;
use crate::need::shared;
use crate::sandboxes::docker_answers;
use crate::study::{design, execution};

/// The name of a model, and the variables by which it is found.
type ServedModel = (String, Vec<(&'static str, String)>);

/// An agent, and how its model is called.
struct RealAgent {
    name: &'static str,
    /// The model at the scripted server's address, and the variables by which it is found there.
    model: fn(u16) -> ServedModel,
    /// Whether the server speaks chat completions alone, and a gateway before it speaks the agent's dialect.
    through_gateway: bool,
}

const CODEX: RealAgent = RealAgent {
    name: "codex",
    model: codex,
    through_gateway: false,
};
const CODEX_THROUGH_GATEWAY: RealAgent = RealAgent {
    through_gateway: true,
    ..CODEX
};
const OPENCODE: RealAgent = RealAgent {
    name: "opencode",
    model: chat,
    through_gateway: false,
};
const GEMINI: RealAgent = RealAgent {
    name: "gemini",
    model: gemini,
    through_gateway: false,
};
const GEMINI_THROUGH_GATEWAY: RealAgent = RealAgent {
    through_gateway: true,
    ..GEMINI
};
const MINI_SWE_AGENT: RealAgent = RealAgent {
    name: "mini-swe-agent",
    model: chat,
    through_gateway: false,
};

fn at(port: u16, path: &str) -> String {
    format!("http://127.0.0.1:{port}{path}")
}

fn codex(port: u16) -> ServedModel {
    let variables = vec![
        ("OPENAI_API_KEY", "k".to_owned()),
        ("OPENAI_BASE_URL", at(port, "/v1")),
    ];
    ("openai/gpt-5".to_owned(), variables)
}

fn chat(port: u16) -> ServedModel {
    let model = format!("openai-api/127.0.0.1:{port}/v1/scripted");
    (model, vec![("REPRISE_MODEL_KEY", "k".to_owned())])
}

fn gemini(port: u16) -> ServedModel {
    let variables = vec![
        ("GEMINI_API_KEY", "k".to_owned()),
        ("GEMINI_BASE_URL", at(port, "/v1beta/openai")),
    ];
    ("gemini/gemini-2.5-pro".to_owned(), variables)
}

/// Where the files of agents are kept from one run of the test to the next.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-agents")
}

/// The scripted server, which ends with this value.
struct ScriptedServer {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl ScriptedServer {
    fn start(place: &Path, commands: &[String]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let log = place.join("requests.jsonl");
        let mut server = Command::new("python3");
        server
            .arg(shared("agents/mock_agents_server.py").unwrap())
            .args(["--port", &port.to_string(), "--log"])
            .arg(&log)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        for command in commands {
            server.args(["--cmd", command]);
        }
        Self {
            child: server.spawn().unwrap(),
            port,
            log,
        }
    }

    /// How many requests it was asked to answer as an agent's own.
    fn main_calls(&self) -> usize {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["main"].is_u64()).count()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with a scripted server, in which an agent is run.
struct RealPlace<'a> {
    agent: &'a RealAgent,
    folder: TempDir,
    server: ScriptedServer,
    gateway: Option<Gateway>,
}

impl<'a> RealPlace<'a> {
    /// `None` where its gateway cannot be installed.
    fn new(agent: &'a RealAgent, commands: &[String]) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let server = ScriptedServer::start(folder.path(), commands);
        let gateway = match agent.through_gateway {
            true => Some(Gateway::start(server.port)?),
            false => None,
        };
        Some(Self {
            agent,
            folder,
            server,
            gateway,
        })
    }

    /// Where its model is asked.
    fn port(&self) -> u16 {
        self.gateway
            .as_ref()
            .map_or(self.server.port, |gateway| gateway.port)
    }

    fn reprise(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("REPRISE_CACHE", kept().join("cache"))
            .envs((self.agent.model)(self.port()).1);
        command
    }

    fn begin(&self, verb: &[&str], task: &str, options: &[&str]) -> Command {
        self.begin_asking("auto", verb, task, options)
    }

    fn begin_asking(&self, approve: &str, verb: &[&str], task: &str, options: &[&str]) -> Command {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = self.reprise(verb);
        command
            .arg(root.join(task))
            .args([
                "--approve",
                approve,
                "--allow-unpriced",
                "--sandbox",
                "docker",
                "--out",
                "out",
                "--quiet",
            ])
            .args([
                "--model",
                &(self.agent.model)(self.port()).0,
                "--agent",
                self.agent.name,
            ])
            .args(options);
        command
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("out/journal.jsonl")).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|mut line| line["event"].take())
            .filter(|event| event["kind"] == kind)
            .collect()
    }
}

fn assert_done(output: &Output, agent: &RealAgent, what: &str) {
    assert!(output.status.success(), "{} {what}: {}", agent.name, said(output));
}

/// Both stages in one list: which one it is, is seen by whether the data are there.
fn study_commands() -> Vec<String> {
    let withheld = "[ -e ../replication_data/COLUMNS.md ]";
    let design = design();
    let execution = execution();
    vec![
        format!("if {withheld}; then {}\nelse {}\nfi", design[1], execution[0]),
        format!("if {withheld}; then {}\nelse {}\nfi", design[2], execution[1]),
    ]
}

fn carried(agent: &RealAgent) {
    if shared("agents/mock_agents_server.py").is_none() || docker_answers().is_none() {
        return;
    }
    let Some(whole) = RealPlace::new(agent, &commands()) else {
        return;
    };
    let added = whole.reprise(&["agents", "add", agent.name]).output().unwrap();
    assert_done(&added, agent, "is added");
    // Killed behind its second answer, and carried on.
    let network = ["--network", "none"];
    let killed = whole
        .begin(&["capsule", "run"], "capsules/sunspots/task.json", &network)
        .env("REPRISE_DIE_AFTER_EVENT", "8")
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "{}: {}", agent.name, said(&killed));
    let output = whole.reprise(&["resume", "out", "--quiet"]).output().unwrap();
    assert_done(&output, agent, "carries a capsule");
    let grade = whole.events("run_graded").pop().unwrap()["grade"].take();
    let parts = grade["parts"].as_array().unwrap();
    assert!(
        parts.len() == 6 && parts.iter().all(|part| part["score"] == 1.0),
        "{grade}"
    );
    let ended = whole.events("program_ended").pop().unwrap();
    println!(
        "{} capsule: {} calls reached the provider; {}",
        agent.name,
        whole.server.main_calls(),
        ended["ran"]
    );
    let Some(study) = RealPlace::new(agent, &study_commands()) else {
        return;
    };
    let output = study
        .begin(
            &["run"],
            "tests/fixtures/harvest",
            &["--stages", "design..execute"],
        )
        .output()
        .unwrap();
    assert_done(&output, agent, "carries a study");
    let verdict = study.events("run_finished").pop().unwrap();
    assert_eq!(verdict["verdict"]["outcome"], "met", "{verdict}");
    for ended in study.events("program_ended") {
        println!(
            "{} {}: {} ms; {}",
            agent.name, ended["stage"], ended["wall_ms"], ended["ran"]
        );
    }
}

/// Each command is asked about by content: one is refused and told so, the others are allowed, and none is asked
/// about again by the starts behind.
fn asks(agent: &RealAgent) {
    if shared("agents/mock_agents_server.py").is_none() || docker_answers().is_none() {
        return;
    }
    let Some(place) = RealPlace::new(agent, &commands()) else {
        return;
    };
    let added = place.reprise(&["agents", "add", agent.name]).output().unwrap();
    assert_done(&added, agent, "is added");
    let begun = place
        .begin_asking(
            "ask",
            &["capsule", "run"],
            "capsules/sunspots/task.json",
            &["--network", "none"],
        )
        .output()
        .unwrap();
    assert_eq!(begun.status.code(), Some(5), "{}: {}", agent.name, said(&begun));
    let refusal = ["--deny", "--reason", "look at the paper first"];
    for (number, words) in [&[][..], &refusal, &[], &[]].into_iter().enumerate() {
        let approved = place.reprise(&["approve", "out"]).args(words).output().unwrap();
        assert_done(&approved, agent, "is answered");
        let resumed = place.reprise(&["resume", "out", "--quiet"]).output().unwrap();
        let wanted = if number < 3 { 5 } else { 0 };
        assert_eq!(
            resumed.status.code(),
            Some(wanted),
            "{} {number}: {}",
            agent.name,
            said(&resumed)
        );
    }
    let grade = place.events("run_graded").pop().unwrap()["grade"].take();
    let parts = grade["parts"].as_array().unwrap();
    assert!(parts.iter().all(|part| part["score"] == 1.0), "{grade}");
    let asked = place.events("asked");
    let of_commands: Vec<&str> = asked
        .iter()
        .filter(|asked| asked["asking"] == "command")
        .filter_map(|asked| asked["summary"].as_str())
        .collect();
    assert_eq!(of_commands.len(), 3, "{of_commands:?}");
    assert!(of_commands[0].contains("ls environment/"), "{of_commands:?}");
    let log = fs::read_to_string(&place.server.log).unwrap();
    assert!(
        log.contains("look at the paper first"),
        "{} tells its model of the refusal",
        agent.name
    );
    let ended = place.events("program_ended").pop().unwrap();
    println!(
        "{} asks: {} calls reached the provider; {}",
        agent.name,
        place.server.main_calls(),
        ended["ran"]
    );
}

#[test]
#[ignore = "fetches 100 MB from npm"]
fn codex_asks_for_commands() {
    asks(&CODEX);
}

#[test]
#[ignore = "fetches 60 MB from npm"]
fn opencode_asks_for_commands() {
    asks(&OPENCODE);
}

#[test]
#[ignore = "fetches 80 MB from npm and PyPI"]
fn gemini_asks_for_commands() {
    asks(&GEMINI);
}

#[test]
#[ignore = "fetches 100 MB from npm"]
fn codex_carries_a_capsule_and_a_study() {
    carried(&CODEX);
}

#[test]
#[ignore = "fetches 100 MB from npm and 200 MB from PyPI"]
fn codex_carries_a_capsule_and_a_study_through_a_gateway() {
    carried(&CODEX_THROUGH_GATEWAY);
}

#[test]
#[ignore = "fetches 60 MB from npm"]
fn opencode_carries_a_capsule_and_a_study() {
    carried(&OPENCODE);
}

#[test]
#[ignore = "fetches 80 MB from npm and PyPI"]
fn gemini_carries_a_capsule_and_a_study() {
    carried(&GEMINI);
}

#[test]
#[ignore = "fetches 280 MB from npm and PyPI"]
fn gemini_carries_a_capsule_and_a_study_through_a_gateway() {
    carried(&GEMINI_THROUGH_GATEWAY);
}

#[test]
#[ignore = "fetches 250 MB from PyPI"]
fn mini_swe_agent_carries_a_capsule_and_a_study() {
    carried(&MINI_SWE_AGENT);
}
