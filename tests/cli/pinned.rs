//! Digests and ids that files on people's disks hold: approvals, requests, recordings, studies, locks, cells.
//! None may change by accident. One that has to change gets a new version of its format, of which CHANGELOG tells;
//! what is written in the older form is still read.

use std::path::Path;
use std::sync::Arc;

use reprise::agent::written;
use reprise::capsule::archive::tree_digest::digest_of_folder;
use reprise::catalog::agents::definition::AgentDefinition;
use reprise::cli::run_request::run_id;
use reprise::domain::conversation::Position;
use reprise::domain::digest::Digest;
use reprise::domain::proxy_dialect::ProxyDialect;
use reprise::effects::program::normalised::Normalisation;
use reprise::environment::lock::EnvironmentLock;
use reprise::model::chat::{ChatRequest, Message, ToolSpec};
use reprise::model::recording::canonical::Chain;
use reprise::policy::subject::{Execute, Subject};
use reprise::study::open::Study;
use reprise::verdict::probe::case::digest_of_numbers;
use serde_json::{Value, json};

use crate::support::{Place, fixture};

/// Compares all at once, so that one run shows every digest that changed.
fn assert_pinned(found: &[(&str, String)], pinned: &[(&str, &str)]) {
    let shown = |rows: &[(&str, &str)]| -> String {
        rows.iter()
            .map(|(name, digest)| format!("        (\"{name}\", \"{digest}\"),\n"))
            .collect()
    };
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(name, digest)| (*name, digest.as_str()))
        .collect();
    assert_eq!(shown(&found), shown(pinned));
}

fn digest(text: &str) -> String {
    Digest::compute(text).to_string()
}

const LOCK: &str = r#"{
    "format": "reprise-lock/1",
    "as_of": {"instant": "2021-06-01T23:59:59Z", "day": "2021-06-01", "from": "told", "reason": "It was typed.", "weak": false},
    "platform": "linux-x86_64",
    "interpreters": [{"language": "python", "version": "3.9", "reason": "The newest of that day."}],
    "sources": [{"language": "python", "address": "https://pypi.org/simple"}],
    "packages": [{
        "language": "python", "name": "six", "version": "1.16.0", "file": "six-1.16.0-py2.py3-none-any.whl",
        "url": "https://files.pythonhosted.org/six-1.16.0-py2.py3-none-any.whl",
        "sha256": "8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254", "size": 11053,
        "came": "2021-05-05T14:18:17Z", "build": false, "certainty": "exact",
        "required_by": ["pandas"], "reasons": ["A script imports it."]
    }],
    "not_had": [],
    "questions": [],
    "notes": ["One."]
}"#;

fn execution() -> Value {
    json!({
        "subject": "execute",
        "form": 1,
        "environment": digest("environment"),
        "commands": [{"words": ["python", "work/fit.py", "--fast"], "directory": "work"}],
        "files": [
            {"path": "work/fit.py", "digest": digest("fit"), "size": 3, "executable": true},
            {"path": "work/clean.py", "digest": digest("clean"), "size": 5}
        ],
        "empty_folders": ["work/out"],
        "plan": {"path": "artifacts/replication_info.json", "digest": digest("plan"), "size": 4},
        "mounts": {"data": digest("data"), "writable": ["work"], "ado": digest("ado")},
        "variables": {"PYTHONHASHSEED": "0"},
        "limits": {"seconds": 600, "memory": 2147483648_u64, "processes": 256, "output": 1048576, "file": 1048576},
        "network": false,
        "hosts": ["example.org"],
        "probes": {"seed": 7, "column": "permute", "changes": {"permuted": 5}, "programs": {"probe_data.py": digest("probe")}},
        "variants": [{
            "name": "no controls",
            "commands": [{"words": ["python", "work/fit.py"], "directory": "work"}],
            "variables": {"REPRISE_VARIANT": "no controls"}
        }]
    })
}

fn subject(value: Value) -> Subject {
    serde_json::from_value(value).unwrap()
}

fn of_subject(value: Value) -> String {
    subject(value).digest().to_string()
}

#[test]
fn approvals() {
    let Subject::Execute(execute) = subject(execution()) else {
        panic!("an execution");
    };
    let first: Execute = execute.in_first_form();
    let write = json!({"subject": "write", "stage": "design", "path": "work/fit.py", "owner": "agent",
        "before": null, "after": digest("after")});
    let edit = json!({"subject": "write", "stage": "execute", "path": "work/fit.py", "owner": "study",
        "before": digest("before"), "after": digest("after")});
    let network = json!({"subject": "network", "tool": "fetch_page", "target": "osf.io"});
    let session = json!({"subject": "session", "environment": "shell", "confinement": "No network.", "data": digest("data")});
    let command = json!({"subject": "command", "environment": "shell", "text": "ls -l"});
    let asked = json!({"subject": "command", "environment": "shell", "text": "ls -l",
        "program": {"agent": "codex", "directory": "/work"}});
    assert_pinned(
        &[
            ("execution", of_subject(execution())),
            (
                "execution, first form",
                Subject::Execute(Box::new(first)).digest().to_string(),
            ),
            ("write", of_subject(write)),
            ("edit", of_subject(edit)),
            ("network", of_subject(network)),
            ("session", of_subject(session)),
            ("command", of_subject(command)),
            ("command of a program", of_subject(asked)),
        ],
        &[
            (
                "execution",
                "sha256:ed730dab719e5bff41db4b4930860bd615e13a8692922674f98469141b3d1ed1",
            ),
            (
                "execution, first form",
                "sha256:70e0552a98ca4d008bf6c72982dfcd8a162e3823adb3690f2ab4f38915f7d5e6",
            ),
            (
                "write",
                "sha256:d5dc96e1ae55ec06b393b51f34d46db93b113003a99273ab633e04c0c19c6fa5",
            ),
            (
                "edit",
                "sha256:f16017c503f27488e413da8ef99d5889a11eb624cf1da55734dc98ef9ad51b23",
            ),
            (
                "network",
                "sha256:8baef5071f41c5afa9756ce1b75b5c841d41396af0e36419b00baf7811edfe12",
            ),
            (
                "session",
                "sha256:46f7777870e40c40353e3d32020b9b5d451404df7a27d016dc5059296dfa66b4",
            ),
            (
                "command",
                "sha256:18f26b3840b00d5a396b8ebc46ff65a00bba25036cb87c7ccbc108919002753a",
            ),
            (
                "command of a program",
                "sha256:a9b9e596aea8a41ea2d1c2d4577b86ef8bc96149584f00c95f3cd170a4edb988",
            ),
        ],
    );
}

fn messages() -> Vec<Message> {
    let call = json!({"id": "call_1", "name": "write_file", "arguments": "{\"path\": \"work/a.py\"}"});
    vec![
        Message::System {
            text: "You replicate.".into(),
        },
        Message::User {
            text: "Begin.\nThen end.".into(),
        },
        serde_json::from_value(json!({"role": "assistant", "text": "I write.", "calls": [call]})).unwrap(),
        Message::Tool {
            call: "call_1".into(),
            name: "write_file".into(),
            text: "done".into(),
            stable: None,
        },
        Message::Tool {
            call: "call_2".into(),
            name: "run".into(),
            text: "0.3 s".into(),
            stable: Some("s".into()),
        },
    ]
}

fn tools() -> Arc<[ToolSpec]> {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    Arc::from([serde_json::from_value(
        json!({"name": "read_file", "description": "Reads a file.", "parameters": parameters}),
    )
    .unwrap()])
}

fn definition() -> AgentDefinition {
    toml::from_str(
        r#"
        agent = "theirs"
        about = "A program that answers."
        command = ["{program}", "--model", "{model}"]
        dialect = "messages"
        varying = ["session"]
        [limits]
        wall_seconds = 600
        idle_seconds = 60
        grace_seconds = 10
        refused_calls = 3
        [answer]
        files = ["answer.json"]
        "#,
    )
    .unwrap()
}

#[test]
fn requests_and_recordings() {
    let (messages, tools) = (messages(), tools());
    let chain = |messages: &[Message]| Chain::default().digest(messages, &tools).digest.to_string();
    let normalised = |dialect, body: &Value| {
        let bytes = serde_json::to_vec(body).unwrap();
        Normalisation::default().digest(dialect, true, &bytes).to_string()
    };
    let chat = json!({"model": "m", "messages": [{"role": "user", "content": "On 2026-01-02 in /tmp/a1."}], "stream": true});
    let messages_body = json!({"model": "m", "system": "s", "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]});
    let request = ChatRequest {
        position: Position {
            stage: "design".parse().unwrap(),
            turn: 0,
        },
        messages: messages.clone(),
        tools: tools.clone(),
        max_output_tokens: Some(1000),
        form: None,
    };
    let long = "x = 1\n".repeat(200);
    let text = json!({"path": "work/a.py", "content": long});
    assert_pinned(
        &[
            ("two messages", chain(&messages[..2])),
            ("a conversation", chain(&messages)),
            ("steps", Digest::compute_json(&messages).to_string()),
            ("cache key", request.cache_key()),
            (
                "written text",
                written::digest("write_file", &text).unwrap().to_string(),
            ),
            (
                "chat completions",
                normalised(ProxyDialect::ChatCompletions, &chat),
            ),
            ("messages", normalised(ProxyDialect::Messages, &messages_body)),
            (
                "no JSON",
                Normalisation::default()
                    .digest(ProxyDialect::Responses, false, b"x")
                    .to_string(),
            ),
            ("definition of an agent", definition().digest().to_string()),
            (
                "numbers",
                digest_of_numbers("", "b = 0.1315 (SE 0.055), n = 3,010").to_string(),
            ),
        ],
        &[
            (
                "two messages",
                "sha256:ae58a8ba7dbcb4926daf7df613dbb87c1ae79bd646ee3ed8f0b41b3a908e54b4",
            ),
            (
                "a conversation",
                "sha256:ffcddce3e52a7578bd9d42a742fdad8018059c60492d7d33df5c7e519119cfbe",
            ),
            (
                "steps",
                "sha256:4252322ec48e23fc3fdfd708d30778821a29a911434b35494aec9e73b04271a7",
            ),
            (
                "cache key",
                "719d1d8cba8b51960ab64fa7503603908dda9ff210801c5711ae52a75cdb9000",
            ),
            (
                "written text",
                "sha256:66e328a253518d76aed6fe395937482fc107af6968c79b8ce94297990daad845",
            ),
            (
                "chat completions",
                "sha256:0be74d78cc5583df5784f7ef666d96b586bef1c6156c683adb3261d9d9c5578d",
            ),
            (
                "messages",
                "sha256:47822086bf145fcf27e76da78e57b13e996951860cb4300a49df7f8ffec97dea",
            ),
            (
                "no JSON",
                "sha256:30b522347e77f7aad0022e474e15e9e81628a10dbe98f95fbb4a0ee6734f09e9",
            ),
            (
                "definition of an agent",
                "sha256:1b7ef05319c25f301abccb9a407a6cd1e493107e08739f44b9195543891a6fa1",
            ),
            (
                "numbers",
                "sha256:38c48ae5c1e24f3fe36998ab4ceed599eabba8b0c7d83d04c569b12f3a328bf2",
            ),
        ],
    );
}

#[test]
fn studies_and_environments() {
    let study = Study::open(&fixture()).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = EnvironmentLock::parse(LOCK.as_bytes()).unwrap();
    assert_pinned(
        &[
            ("study", study.study_digest().unwrap().to_string()),
            ("references", study.references_digest().unwrap().to_string()),
            (
                "folder of a capsule",
                digest_of_folder(&root.join("capsules/sunspots"))
                    .unwrap()
                    .to_string(),
            ),
            ("lock", lock.digest().to_string()),
            ("run", run_id("duncan-1961", Path::new("/runs/one")).to_string()),
        ],
        &[
            (
                "study",
                "sha256:dfe2e3592ef04942a8532d107a84ea0c38689fce50799a77fa431add20eed438",
            ),
            (
                "references",
                "sha256:1f176e0647b71c0224db7b6f4f5cfcd0358cd980cd5419d6022f0e3afb2dc0b3",
            ),
            (
                "folder of a capsule",
                "sha256:fe8b0d91a6b11e8256ec9f68ddfb7126fc12a2f00a33d59de2b82b793f59ea4e",
            ),
            (
                "lock",
                "sha256:501919a6762fa980908a42d9566bedfb0b49ec657dc1a3afa0654671b26f54aa",
            ),
            ("run", "duncan-1961-0436b6"),
        ],
    );
}

/// The ids follow the prompts as well: another wording of a prompt makes another cell, and new rows here.
#[test]
fn cells_of_a_bench() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("bench.toml").display().to_string();
    let called = place.call(&["bench", "plan", &file, "--out", "out", "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let planned: Value = serde_json::from_str(&called.stdout).unwrap();
    let cells = planned["cells"].as_array().unwrap();
    let found: Vec<(&str, String)> = cells
        .iter()
        .map(|cell| {
            let text = |name: &str| cell["plan"][name].as_str().unwrap();
            (text("folder"), text("cell").to_owned())
        })
        .collect();
    assert_pinned(
        &found,
        &[
            ("cells/duncan-1961-recorded-python-r1-87322c", "87322cdc59f7"),
            ("cells/duncan-1961-recorded-native-r1-8828ee", "8828ee8323c9"),
            ("cells/crime-1993-recorded-python-r1-2f0344", "2f03447a0637"),
            ("cells/crime-1993-recorded-native-r1-2c5ca2", "2c5ca2e24f8c"),
            ("cells/duncan-1961-recorded-r1-b8b593", "b8b593303f09"),
            ("cells/crime-1993-recorded-r1-42dd47", "42dd473b0896"),
            ("cells/capsule-9000001-recorded-easy-r1-6ea198", "6ea19858bf2b"),
            ("cells/capsule-9000001-recorded-medium-r1-e9b66b", "e9b66b26e070"),
            ("cells/capsule-9000001-recorded-hard-r1-4f6d8d", "4f6d8d95cb1b"),
            ("cells/capsule-9000002-recorded-easy-r1-da9e66", "da9e66bc7543"),
            ("cells/capsule-9000002-recorded-medium-r1-81a1fe", "81a1fe24b81b"),
            ("cells/capsule-9000002-recorded-hard-r1-a22dac", "a22dac65b271"),
        ],
    );
}
