//! `task.toml` of a task folder.

use serde::Serialize;

use crate::capsule::harbor::ExportedCapsule;

/// The version of Harbor's schema that is written.
const SCHEMA: &str = "1.4";
/// The organisation that tasks are named under.
const ORGANISATION: &str = "reprise";
/// Seconds that an agent may take: CORE-Bench's two hours.
const AGENT_SECONDS: f64 = 7200.0;
/// Seconds that grading and the building of images may take.
const VERIFIER_SECONDS: f64 = 120.0;
const BUILD_SECONDS: f64 = 1800.0;

/// A task as its file tells it.
pub struct ToldTask<'a> {
    pub name: &'a str,
    pub title: &'a str,
    pub field: &'a str,
    pub language: &'a str,
    pub doi: Option<&'a str>,
    pub needs_gpu: bool,
    /// The hosts that the agent's work may reach.
    pub hosts: &'a [String],
    /// The one file that the verifier is given.
    pub report: &'a str,
    pub exported: &'a ExportedCapsule,
}

#[derive(Serialize)]
struct Written<'a> {
    schema_version: &'static str,
    // Before the first table: below one it would be that table's.
    artifacts: [&'a str; 1],
    task: Task<'a>,
    metadata: Metadata<'a>,
    agent: Agent<'a>,
    verifier: Verifier,
    environment: Machine,
}

#[derive(Serialize)]
struct Task<'a> {
    name: String,
    description: &'a str,
    keywords: [&'a str; 2],
}

#[derive(Serialize)]
struct Metadata<'a> {
    category: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    doi: Option<&'a str>,
    reprise: &'a ExportedCapsule,
}

#[derive(Serialize)]
struct Agent<'a> {
    timeout_sec: f64,
    network_mode: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    allowed_hosts: &'a [String],
}

#[derive(Serialize)]
struct Verifier {
    timeout_sec: f64,
    environment_mode: &'static str,
    environment: Machine,
}

#[derive(Serialize)]
struct Machine {
    network_mode: &'static str,
    build_timeout_sec: f64,
    cpus: u32,
    memory_mb: u32,
    storage_mb: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpus: Option<u32>,
}

impl ToldTask<'_> {
    /// The text of the file.
    ///
    /// # Errors
    /// Texts that TOML cannot hold.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&Written {
            schema_version: SCHEMA,
            artifacts: [self.report],
            task: Task {
                name: format!("{ORGANISATION}/{}", self.name),
                description: self.title,
                keywords: [self.field, self.language],
            },
            metadata: Metadata {
                category: self.field,
                doi: self.doi,
                reprise: self.exported,
            },
            agent: Agent {
                timeout_sec: AGENT_SECONDS,
                network_mode: "allowlist",
                allowed_hosts: self.hosts,
            },
            verifier: Verifier {
                timeout_sec: VERIFIER_SECONDS,
                environment_mode: "separate",
                environment: Machine {
                    network_mode: "no-network",
                    build_timeout_sec: BUILD_SECONDS,
                    cpus: 1,
                    memory_mb: 1024,
                    storage_mb: 2048,
                    gpus: None,
                },
            },
            environment: Machine {
                // An agent is installed before it is begun, from wherever its harness has it.
                network_mode: "public",
                build_timeout_sec: BUILD_SECONDS,
                cpus: 2,
                memory_mb: 4096,
                storage_mb: 20_480,
                gpus: self.needs_gpu.then_some(1),
            },
        })
    }
}
