//! A model on loopback that has its client call tools, one a turn.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::need::shared;

/// A call of a tool by its name at the server.
pub struct ScriptedCall {
    pub tool: &'static str,
    pub arguments: Value,
}

/// The scripted server of the shared data, which ends with this value.
pub struct ScriptedModel {
    child: Child,
    pub port: u16,
    log: PathBuf,
}

impl ScriptedModel {
    /// `None` without the shared data.
    pub fn start(folder: &Path, calls: &[ScriptedCall]) -> Option<Self> {
        let server = shared("agents/mock_agents_server.py")?;
        let (log, script) = (folder.join("requests.jsonl"), folder.join("calls.json"));
        let told: Vec<Value> = calls
            .iter()
            .map(|call| json!({ "tool": call.tool, "arguments": call.arguments }))
            .collect();
        fs::write(&script, Value::Array(told).to_string()).unwrap();
        let mut child = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/model.py"))
            .arg(server)
            .arg("0")
            .args([&log, &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut told)
            .unwrap();
        let port = told.trim().strip_prefix("ready ").unwrap().parse().unwrap();
        Some(Self { child, port, log })
    }

    /// The requests that offered the server's tools, in their order.
    pub fn requests(&self) -> Vec<Value> {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["main"].is_u64()).collect()
    }

    /// Everything that it was asked, as text.
    pub fn asked(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
