//! `reprise agents`: third-party programs that can be the agent of an attempt.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::exit::{Failure, Status};
use super::mcp::args::McpArgs;
use super::mcp::verb::mcp;
use super::output::{Printer, paint, printable, styled};
use super::signals::until_stopped;
use crate::app::agent_trees::add::{AddRequest, AddedTree};
use crate::app::agent_trees::archives::Mirrors;
use crate::app::agent_trees::error::AgentTreeError;
use crate::app::agent_trees::installed::AgentTrees;
use crate::app::program::Program;
use crate::capsule;
use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::load::{self, LoadedAgent};
use crate::catalog::stages::agent_file::StageAgent;
use crate::catalog::stages::plain_agent::{ABOUT_PLAIN, PLAIN};
use crate::domain::claim_only;
use crate::domain::format;
use crate::network::download::downloader::DownloadNews;
use crate::network::download::error::DownloadError;
use crate::notebook;
use crate::settings::Settings;

#[derive(Debug, Args)]
pub struct AgentsArgs {
    #[command(subcommand)]
    pub verb: AgentsVerb,
}

/// The verbs of `reprise agents`.
#[derive(Debug, Subcommand)]
pub enum AgentsVerb {
    /// Fetch the files of an agent, by version and digest, for attempts without a network.
    Add(AddedAgentArgs),
    /// List the agents that `--agent` knows, and which are here.
    List(ListedAgentsArgs),
    /// Say whether definitions of agents can be used, and what each starts and sets.
    Check(CheckedAgentsArgs),
    /// Serve one run to a client of the Model Context Protocol, which carries it.
    Mcp(Box<McpArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "\
The package of this platform, as the definition pins it, goes into the cache, where `capsule run --agent NAME` finds it.

Examples:
  reprise agents add codex
  reprise agents add opencode --registry https://npm.example.org
  reprise agents add gemini --registry npm=https://npm.example.org --registry PyPI=https://files.example.org")]
pub struct AddedAgentArgs {
    /// The agent
    name: String,
    /// Another address of a registry, such as a mirror's; NAME is `npm` or `PyPI` [default: that of the agent's
    /// own package]
    #[arg(long = "registry", value_name = "[NAME=]URL")]
    registries: Vec<String>,
    /// Fetch it although it is here
    #[arg(long)]
    again: bool,
    /// A folder whose definitions of agents stand before the built-in ones
    #[arg(long, value_name = "DIR")]
    agents_dir: Option<PathBuf>,
    /// Print what was added as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub struct ListedAgentsArgs {
    /// A folder whose definitions of agents stand before the built-in ones
    #[arg(long, value_name = "DIR")]
    agents_dir: Option<PathBuf>,
    /// Print the agents as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise agents check codex
  reprise agents check --agents-dir my-agents/ mine --json")]
pub struct CheckedAgentsArgs {
    /// The agents [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// A folder whose definitions of agents stand before the built-in ones
    #[arg(long, value_name = "DIR")]
    agents_dir: Option<PathBuf>,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
}

/// Fetches agents, lists them, looks at their definitions, or serves a run to one.
///
/// # Errors
/// A folder that cannot be read, a definition that cannot be used, or those of `mcp`.
pub async fn agents(program: &Program, printer: Printer, args: AgentsArgs) -> Result<Status, Failure> {
    let settings = &program.settings;
    match args.verb {
        AgentsVerb::Add(args) => add(settings, printer, &args).await,
        AgentsVerb::List(args) => list(program, printer, &args),
        AgentsVerb::Check(args) => check(printer, &args),
        AgentsVerb::Mcp(args) => mcp(program, printer, *args).await,
    }
}

async fn add(settings: &Settings, printer: Printer, args: &AddedAgentArgs) -> Result<Status, Failure> {
    let loaded = load::load(&args.name, args.agents_dir.as_deref());
    let agent = loaded.map_err(|error| Failure::usage(error.to_string()))?;
    let (cancel, watcher) = until_stopped();
    let request = AddRequest {
        definition: &agent.definition,
        mirrors: Mirrors::new(&args.registries),
        again: args.again,
    };
    let on_news = |news: DownloadNews| {
        if let DownloadNews::Waiting { pause, reason } = news {
            printer.note(format!("{}; again in {} s", printable(&reason), pause.as_secs()));
        }
    };
    let added = AgentTrees::new(settings).add(request, &cancel, &on_news).await;
    watcher.abort();
    let AddedTree { tree, was_there } = added.map_err(failure)?;
    if args.json {
        printer.json(&json!({ "installed": tree, "was_there": was_there }))?;
        return Ok(Status::Done);
    }
    let record = &tree.record;
    printer.line(format!(
        "{} {}: {}, {} files, {}, {}",
        styled(paint::STRONG, printable(&record.agent)),
        if was_there { "is there" } else { "was added" },
        printable(&record.package.name()),
        record.files,
        format::bytes(record.bytes),
        record.tree.short()
    ));
    printer.line(tree.folder.display());
    if tree.is_uncompiled() {
        let python = record.package.python.as_deref().unwrap_or_default();
        printer.note(format!(
            "its modules are not compiled, which every start then does anew: there was no Python {python} here; with one, \
             `reprise agents add {} --again`",
            printable(&record.agent)
        ));
    }
    Ok(Status::Done)
}

/// Who has to act on a fault of an agent's files.
fn failure(error: AgentTreeError) -> Failure {
    let status = match &error {
        AgentTreeError::Download(DownloadError::Stopped { .. }) => Status::Interrupted,
        AgentTreeError::Download(fault) if fault.may_pass() => Status::Infrastructure,
        AgentTreeError::Disk { .. } => Status::Infrastructure,
        AgentTreeError::Integrity { .. } => Status::Differs,
        _ => Status::Usage,
    };
    Failure::new(status, error.to_string())
}

fn list(program: &Program, printer: Printer, args: &ListedAgentsArgs) -> Result<Status, Failure> {
    let folder = args.agents_dir.as_deref();
    let all = load_all(&names(&[], folder)?, folder)?;
    let trees = AgentTrees::new(&program.settings);
    let own = own(program)?;
    if args.json {
        let listed = all.iter().map(|agent| {
            let mut listed = found(agent);
            listed["installed"] = json!(trees.find(&agent.definition));
            listed
        });
        let plain = json!({ "name": PLAIN, "about": ABOUT_PLAIN });
        let guess =
            json!({ "name": claim_only::TRACK, "about": claim_only::ABOUT, "track": claim_only::TRACK });
        let own: Vec<Value> = [plain, guess]
            .into_iter()
            .chain(own.iter().map(OwnAgent::json))
            .collect();
        printer.json(&json!({ "agents": listed.collect::<Vec<_>>(), "own": own }))?;
        return Ok(Status::Done);
    }
    let line = |name: &str, of: &str, presence: &str, about: &str| {
        printer.line(format!(
            "{:<16} {:<16} {:<22} {}",
            styled(paint::STRONG, printable(name)),
            of,
            presence,
            printable(about)
        ));
    };
    line(PLAIN, "any task", "built in", ABOUT_PLAIN);
    line(claim_only::TRACK, "of studies", "built in", claim_only::ABOUT);
    for OwnAgent { track, agent } in &own {
        line(&agent.name, &format!("of {track}s"), "built in", &agent.about);
    }
    for agent in &all {
        let definition = &agent.definition;
        let dialect = definition.dialect.map_or("any dialect", |dialect| dialect.word());
        line(
            &definition.agent,
            dialect,
            &presence(&trees, definition),
            &definition.about,
        );
    }
    Ok(Status::Done)
}

/// An agent of this program, and the track whose tasks it attempts.
struct OwnAgent {
    track: &'static str,
    agent: StageAgent,
}

impl OwnAgent {
    fn json(&self) -> Value {
        let mut json = json!(self.agent);
        json["track"] = json!(self.track);
        json
    }
}

/// The agents of this program, by track.
fn own(program: &Program) -> Result<Vec<OwnAgent>, Failure> {
    let mut own = Vec::new();
    for track in [capsule::terms::TRACK, notebook::terms::TRACK] {
        let agents = program.tracks.agents(track, None)?;
        own.extend(agents.into_iter().map(|agent| OwnAgent { track, agent }));
    }
    Ok(own)
}

/// Whether an agent's files are here.
fn presence(trees: &AgentTrees, definition: &AgentDefinition) -> String {
    let Some(release) = definition
        .release
        .as_ref()
        .filter(|release| !release.packages.is_empty())
    else {
        return "files by --agent-files".to_owned();
    };
    match trees.find(definition) {
        Some(tree) => format!("{} is here", printable(&tree.record.version)),
        None => format!("{} not added", printable(&release.version)),
    }
}

fn check(printer: Printer, args: &CheckedAgentsArgs) -> Result<Status, Failure> {
    let folder = args.agents_dir.as_deref();
    let all = load_all(&names(&args.names, folder)?, folder)?;
    if args.json {
        printer.json(&json!({ "agents": all.iter().map(found).collect::<Vec<_>>() }))?;
        return Ok(Status::Done);
    }
    for agent in &all {
        tell(printer, agent);
    }
    Ok(Status::Done)
}

fn tell(printer: Printer, agent: &LoadedAgent) {
    let definition = &agent.definition;
    let line = |name: &str, text: &str| printer.line(format!("{name:<12} {}", printable(text)));
    line(
        "agent",
        &format!("{} ({})", definition.agent, definition.digest().short()),
    );
    line("definition", &agent.file);
    if let Some(release) = &definition.release {
        line(
            "release",
            &format!(
                "{} {} {} ({})",
                release.registry, release.package, release.version, release.license
            ),
        );
    }
    let packages = definition.release.iter().flat_map(|release| &release.packages);
    for package in packages.filter(|package| !package.needs.is_empty()) {
        line(
            "fetched",
            &format!(
                "{}, {} wheels, for {}{}",
                package.name(),
                package.wheels().len(),
                package.platform,
                (package.python.as_ref()).map_or_else(String::new, |python| format!(" and Python {python}"))
            ),
        );
    }
    line("command", &definition.command.join(" "));
    line(
        "dialect",
        definition.dialect.map_or("any", |dialect| dialect.word()),
    );
    let asks = match (definition.asks_for_commands, definition.takes_program()) {
        (true, _) => "asks before each",
        (false, true) => "asks where the program does",
        (false, false) => "asks before none",
    };
    line("commands", asks);
    let names: Vec<&str> = definition.environment.keys().map(String::as_str).collect();
    line("variables", &names.join(", "));
    let files: Vec<String> = definition.files.keys().map(ToString::to_string).collect();
    if !files.is_empty() {
        line("files", &files.join(", "));
    }
    let answers: Vec<String> = definition.answer.files.iter().map(ToString::to_string).collect();
    line("answer", &answers.join(", "));
    let limits = definition.limits;
    line(
        "limits",
        &format!(
            "{} seconds, {} without a call and without output, {} behind a call that a cap refused",
            limits.wall_seconds, limits.idle_seconds, limits.grace_seconds
        ),
    );
}

/// The names that are asked for; all where none is.
fn names(asked: &[String], folder: Option<&Path>) -> Result<Vec<String>, Failure> {
    match asked {
        [] => load::names(folder).map_err(|error| Failure::usage(error.to_string())),
        asked => Ok(asked.to_vec()),
    }
}

fn load_all(names: &[String], folder: Option<&Path>) -> Result<Vec<LoadedAgent>, Failure> {
    let loaded = names.iter().map(|name| load::load(name, folder));
    loaded
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::usage(error.to_string()))
}

fn found(agent: &LoadedAgent) -> Value {
    json!({ "definition": agent.definition, "digest": agent.definition.digest(), "file": agent.file })
}
