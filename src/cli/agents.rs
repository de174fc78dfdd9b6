//! `reprise agents`: programs of others that can be the agent of an attempt.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use crate::catalog::agents::load::{self, LoadedAgent};

#[derive(Debug, Args)]
pub struct AgentsArgs {
    #[command(subcommand)]
    pub verb: AgentsVerb,
}

/// The verbs of `reprise agents`.
#[derive(Debug, Subcommand)]
pub enum AgentsVerb {
    /// List the agents that `--agent` knows.
    List(ListedAgentsArgs),
    /// Say whether definitions of agents can be used, and what each starts and sets.
    Check(CheckedAgentsArgs),
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

/// Lists agents, or looks at their definitions.
///
/// # Errors
/// A folder that cannot be read, or a definition that cannot be used.
pub fn agents(printer: Printer, args: &AgentsArgs) -> Result<Status, Failure> {
    match &args.verb {
        AgentsVerb::List(args) => list(printer, args),
        AgentsVerb::Check(args) => check(printer, args),
    }
}

fn list(printer: Printer, args: &ListedAgentsArgs) -> Result<Status, Failure> {
    let folder = args.agents_dir.as_deref();
    let all = load_all(&names(&[], folder)?, folder)?;
    if args.json {
        printer.json(&json!({ "agents": all.iter().map(found).collect::<Vec<_>>() }))?;
        return Ok(Status::Done);
    }
    for agent in &all {
        let definition = &agent.definition;
        printer.line(format!(
            "{:<16} {:<16} {}",
            styled(paint::STRONG, printable(&definition.agent)),
            definition.dialect.map_or("any dialect", |dialect| dialect.word()),
            printable(&definition.about)
        ));
    }
    Ok(Status::Done)
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
    line("command", &definition.command.join(" "));
    line(
        "dialect",
        definition.dialect.map_or("any", |dialect| dialect.word()),
    );
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
