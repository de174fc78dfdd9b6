//! Codex, OpenCode and Gemini CLI as clients: how each is told of a model and of a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::place::Place;

/// The words that an agent is begun with.
const PROMPT: &str = "Carry out the task of the server capsule by its tools.";
/// The seconds that an agent waits for a server to begin.
const PATIENCE: u64 = 600;

/// An agent of others that speaks the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodingAgent {
    Codex,
    OpenCode,
    Gemini,
}

/// The words that an agent is told before it begins.
pub struct AgentSetting<'a> {
    /// The port of its model.
    pub port: u16,
    /// The program that serves the run, and its words.
    pub served: &'a [String],
    /// The seconds that it waits for a call, where it is told of any.
    pub call_seconds: u64,
}

impl CodingAgent {
    pub fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
        }
    }

    /// Fetches the agent's files, once a build folder, and returns their folder.
    pub fn fetched(self, place: &Place) -> PathBuf {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-agents/cache");
        let added = place
            .command(&["agents", "add", self.name(), "--json"])
            .env("REPRISE_CACHE", cache)
            .output()
            .unwrap();
        assert!(added.status.success(), "{}", said(&added));
        let told: Value = serde_json::from_slice(&added.stdout).unwrap();
        PathBuf::from(told["installed"]["folder"].as_str().unwrap())
    }

    /// Writes the agent's files into its home, which is the folder of the place.
    pub fn configure(self, home: &Path, setting: &AgentSetting<'_>) {
        let (path, text) = match self {
            Self::Codex => (".codex/config.toml", codex(setting)),
            Self::OpenCode => (".config/opencode/opencode.json", opencode(setting)),
            Self::Gemini => (".gemini/settings.json", gemini(setting)),
        };
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs the agent, whose files lie in a folder, to its end.
    pub fn run(self, files: &Path, home: &Path, port: u16) -> Output {
        let folder = home.join("elsewhere");
        fs::create_dir_all(&folder).unwrap();
        let (program, words) = self.words();
        let mut command = Command::new(files.join(program));
        command
            .args(
                words
                    .iter()
                    .map(|word| word.replace("{files}", &files.to_string_lossy())),
            )
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .envs(self.variables(port));
        let input = home.join("prompt");
        fs::write(&input, PROMPT).unwrap();
        command.stdin(match self {
            Self::OpenCode => fs::File::open(input).unwrap().into(),
            Self::Codex | Self::Gemini => Stdio::null(),
        });
        command.output().unwrap()
    }

    fn words(self) -> (&'static str, Vec<&'static str>) {
        match self {
            Self::Codex => (
                "bin/codex",
                vec![
                    "exec",
                    "--json",
                    "--ephemeral",
                    "--skip-git-repo-check",
                    "--dangerously-bypass-approvals-and-sandbox",
                    PROMPT,
                ],
            ),
            Self::OpenCode => (
                "bin/opencode",
                vec!["run", "--auto", "--format", "json", "--title", "capsule"],
            ),
            Self::Gemini => (
                "bin/node",
                vec![
                    "{files}/bundle/gemini.js",
                    "-m",
                    "gemini-2.5-pro",
                    "--yolo",
                    "--skip-trust",
                    "-o",
                    "stream-json",
                    "-p",
                    PROMPT,
                ],
            ),
        }
    }

    fn variables(self, port: u16) -> Vec<(&'static str, String)> {
        match self {
            Self::Codex => vec![("MODEL_KEY", "k".to_owned())],
            Self::OpenCode => vec![
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
                ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1".to_owned()),
            ],
            Self::Gemini => vec![
                ("GOOGLE_GEMINI_BASE_URL", at(port)),
                ("GEMINI_API_KEY", "k".to_owned()),
                ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
            ],
        }
    }
}

/// Both streams of an output.
pub fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn at(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

fn codex(setting: &AgentSetting<'_>) -> String {
    let off = json!({ "enabled": false });
    let config = json!({
        "model": "scripted",
        "model_provider": "scripted",
        "model_context_window": 200_000,
        "approval_policy": "never",
        "sandbox_mode": "danger-full-access",
        "check_for_update_on_startup": false,
        "web_search": "disabled",
        "analytics": off,
        "feedback": off,
        "otel": { "exporter": "none" },
        "skills": { "bundled": off },
        "features": { "plugins": false, "apps": false, "remote_plugin": false, "multi_agent": false },
        "model_providers": { "scripted": {
            "name": "scripted", "base_url": at(setting.port) + "/v1", "env_key": "MODEL_KEY",
            "wire_api": "responses", "requires_openai_auth": false, "supports_websockets": false,
        } },
        "mcp_servers": { "capsule": {
            "command": setting.served[0], "args": setting.served[1..], "required": true,
            "startup_timeout_sec": PATIENCE, "tool_timeout_sec": setting.call_seconds,
        } },
    });
    toml::to_string(&toml::Table::try_from(config).unwrap()).unwrap()
}

fn opencode(setting: &AgentSetting<'_>) -> String {
    let models = json!({ "scripted": { "limit": { "context": 200_000, "output": 32_000 } } });
    json!({
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "share": "disabled",
        "autoupdate": false,
        "permission": "allow",
        "lsp": false,
        "formatter": false,
        "enabled_providers": ["scripted"],
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": at(setting.port) + "/v1", "apiKey": "k" },
            "models": models,
        } },
        "mcp": { "capsule": {
            "type": "local", "command": setting.served, "enabled": true, "timeout": setting.call_seconds * 1000,
        } },
    })
    .to_string()
}

fn gemini(setting: &AgentSetting<'_>) -> String {
    json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "mcpServers": { "capsule": {
            "command": setting.served[0], "args": setting.served[1..], "trust": true,
            "timeout": setting.call_seconds * 1000,
        } },
    })
    .to_string()
}
