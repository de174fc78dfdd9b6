//! `reprise doctor`.

use std::process::Command;

use clap::Args;
use serde::Serialize;

use crate::app;
use crate::app::searching::SEARCH;
use crate::domain::execution::{EnvironmentSpec, Tier};
use crate::model::access::Access;
use crate::model::providers;
use crate::network::search::name::SearchName;
use crate::sandbox::contract::Sandbox;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::facts::DaemonFacts;
use crate::sandbox::docker::image::{base, owned};
use crate::sandbox::docker::sandbox::DockerSandbox;
use crate::sandbox::docker::settings::DockerSettings;
use crate::settings::Settings;

use super::abilities::{self, Abilities};
use super::disk_use::size;
use super::dumps;
use super::exit::{Failure, Status};
use super::leftovers::{ContainerState, containers};
use super::output::{Printer, paint, printable, styled};
use super::probe;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise doctor --json")]
pub struct DoctorArgs {
    /// Print the findings as JSON.
    #[arg(long)]
    pub json: bool,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    name: &'static str,
    ok: bool,
    /// True if a run cannot do without it.
    needed: bool,
    found: String,
}

/// Everything that was found.
#[derive(Debug, Default, Serialize)]
struct Found {
    findings: Vec<Finding>,
    /// The abilities of each sandbox that works here, best first.
    sandboxes: Vec<Abilities>,
    leftovers: Leftovers,
}

/// The leftovers that `clean` could remove.
#[derive(Debug, Default, Serialize)]
struct Leftovers {
    /// Containers of runs that are over.
    containers: usize,
    /// Containers of runs that go on, or of which nothing is known.
    others: usize,
    images: usize,
    /// Bytes of the images; layers that they share count once for each.
    image_bytes: u64,
    cache_bytes: u64,
}

/// Says what this machine can do; infrastructure fails when something that
/// every run needs is missing.
///
/// # Errors
/// Findings that JSON cannot hold.
pub async fn doctor(settings: &Settings, printer: Printer, args: &DoctorArgs) -> Result<Status, Failure> {
    let mut found = Found::default();
    found.docker(settings).await;
    found.local(settings).await;
    found.add("cache", true, writable(settings));
    found.add("disk", true, disk(settings));
    let dumps = dumps::standing();
    found.add(
        "dumps",
        false,
        dumps.map(str::to_owned).map_err(|why| why.to_string()),
    );
    found.leftovers.cache_bytes = size(&settings.cache);
    let tesseract = Command::new("tesseract").arg("--version").output();
    found.add(
        "ocr",
        false,
        tesseract
            .map(|output| {
                String::from_utf8_lossy(&output.stdout)
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })
            .map_err(|_| "tesseract is not installed: pages without a text layer stay unread".to_owned()),
    );
    found.add("keys", false, keys(settings));
    found.add("search", false, search(settings));
    let failed = found.findings.iter().any(|finding| finding.needed && !finding.ok);
    if args.json {
        printer.json(&found)?;
    } else {
        found.print(printer);
    }
    Ok(if failed {
        Status::Infrastructure
    } else {
        Status::Done
    })
}

impl Found {
    fn add(&mut self, name: &'static str, needed: bool, result: Result<String, String>) {
        let ok = result.is_ok();
        self.findings.push(Finding {
            name,
            ok,
            needed,
            found: result.unwrap_or_else(|problem| problem),
        });
    }

    /// The daemon, what it has, and whether containers do what they should.
    async fn docker(&mut self, settings: &Settings) {
        let docker = DockerSettings::new(settings.cache.clone(), settings.operator.clone());
        let daemon = match Daemon::connect(&docker.operator).await {
            Ok(daemon) => daemon,
            Err(why) => {
                let out = "install Docker or Podman (`apt-get install docker.io`) and start it, or set DOCKER_HOST; \
                    without it code runs in the local sandbox";
                self.add("docker", false, Err(format!("{why} To use containers, {out}.")));
                return;
            }
        };
        let facts = daemon.describe().clone();
        self.add("docker", false, Ok(describe(&facts)));
        self.add("images", false, daemon_disk(&facts));
        let bases = base::present(&daemon, &docker).await;
        let bases = match bases {
            Ok(bases) if bases.is_empty() => Err(
                "none is here: a run fetches what it needs, or make them by tests/images/make where no registry \
                 can be reached"
                    .to_owned(),
            ),
            Ok(bases) => Ok(bases),
            Err(failure) => Err(failure.summary),
        };
        let first = bases.as_ref().ok().and_then(|bases| bases.first().cloned());
        self.add("bases", false, bases.map(|bases| bases.join(", ")));
        match DockerSandbox::connect(docker).await {
            Ok(sandbox) => {
                if let Some(image) = first {
                    self.add(
                        "container",
                        false,
                        probe::container(&sandbox, &daemon, &image)
                            .await
                            .map_err(|why| why.to_string()),
                    );
                }
                self.sandboxes.push(Abilities::for_docker(&sandbox, &facts));
            }
            Err(why) => self.add("container", false, Err(why.to_string())),
        }
        if let Ok(all) = containers(&daemon).await {
            let over = all
                .iter()
                .filter(|(_, life)| *life == ContainerState::Over)
                .count();
            self.leftovers.containers = over;
            self.leftovers.others = all.len() - over;
        }
        if let Ok(images) = owned::images(&daemon).await {
            self.leftovers.images = images.len();
            self.leftovers.image_bytes = images.iter().map(|image| image.bytes).sum();
        }
    }

    /// The sandboxes of this machine itself, and what they find to run.
    async fn local(&mut self, settings: &Settings) {
        let needed = self.sandboxes.is_empty();
        match app::sandboxes::local_sandbox(settings, None) {
            Ok(sandbox) => {
                self.add("sandbox", needed, Ok(tier(sandbox.tier()).to_owned()));
                let python = EnvironmentSpec {
                    python: Some(Vec::new()),
                    ..EnvironmentSpec::default()
                };
                let r = EnvironmentSpec {
                    r: Some(Default::default()),
                    ..EnvironmentSpec::default()
                };
                self.add("python", false, language(&sandbox, &python).await);
                self.add("r", false, language(&sandbox, &r).await);
                self.sandboxes.push(Abilities::for_local(&sandbox));
            }
            Err(error) => self.add("sandbox", needed, Err(error.to_string())),
        }
        let landlock = app::sandboxes::local_sandbox(settings, Some(Tier::Landlock));
        if let Ok(sandbox) = &landlock
            && self.sandboxes.iter().all(|row| row.sandbox != "landlock")
        {
            self.sandboxes.push(Abilities::for_local(sandbox));
        }
        self.add(
            "landlock",
            false,
            landlock
                .map(|_| "works".to_owned())
                .map_err(|error| error.to_string()),
        );
    }

    fn print(&self, printer: Printer) {
        for finding in &self.findings {
            let mark = match (finding.ok, finding.needed) {
                (true, _) => styled(paint::GOOD, "ok     "),
                (false, true) => styled(paint::BAD, "missing"),
                (false, false) => styled(paint::WARN, "absent "),
            };
            printer.line(format!(
                "{mark} {:<9} {}",
                finding.name,
                printable(&finding.found)
            ));
        }
        if !self.sandboxes.is_empty() {
            printer.line("");
            for (number, line) in abilities::lines(&self.sandboxes).iter().enumerate() {
                if number == 0 {
                    printer.line(styled(paint::STRONG, line));
                } else {
                    printer.line(line);
                }
            }
        }
        printer.line("");
        printer.line(self.leftovers.text());
    }
}

impl Leftovers {
    fn text(&self) -> String {
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
        let others = match self.others {
            0 => String::new(),
            count => format!(" ({count} more belong to runs that go on or are not known here)"),
        };
        format!(
            "`reprise clean` could remove {} of the cache and {} containers of runs that are over{others}; with \
             `--images` also {} images, {}",
            megabytes(self.cache_bytes),
            self.containers,
            self.images,
            megabytes(self.image_bytes)
        )
    }
}

fn describe(facts: &DaemonFacts) -> String {
    let groups = match facts.cgroups {
        Some(version) => format!("cgroups version {version}"),
        None => "unknown cgroups".to_owned(),
    };
    let whose = if facts.rootless { "rootless" } else { "run by root" };
    format!(
        "{} {} (API {}) at {}, {}, {groups}, {whose}",
        facts.engine, facts.version, facts.api_version, facts.address, facts.architecture
    )
}

/// The disk of the daemon's images, where it is one of this machine.
fn daemon_disk(facts: &DaemonFacts) -> Result<String, String> {
    match fs4::available_space(&facts.root) {
        Ok(free) => enough(free, &facts.root),
        Err(error) => Err(format!("{}: {error}", facts.root)),
    }
}

/// The providers whose keys are there; `reprise doctor model list` has more.
fn keys(settings: &Settings) -> Result<String, String> {
    let access = Access::open(settings).map_err(|error| error.to_string())?;
    let found: Vec<String> = providers::all()
        .filter_map(|provider| {
            let source = access.key_source(provider)?;
            Some(format!("{} (in {})", provider.prefix, source.words()))
        })
        .collect();
    match found.is_empty() {
        false => Ok(found.join(", ")),
        true => Err(
            "no provider's key is set (OPENAI_API_KEY, ANTHROPIC_API_KEY ... or ~/.config/reprise/keys.toml): recordings, \
             `--model human` and servers of one's own need none"
                .to_owned(),
        ),
    }
}

/// The search engine that runs use unless they are told another.
fn search(settings: &Settings) -> Result<String, String> {
    let Some(text) = settings.secret(SEARCH) else {
        return Err(format!(
            "{SEARCH} names no search engine: the search stage finds what the paper and its links name, unless \
             --search names one"
        ));
    };
    let name: SearchName = text.parse().map_err(|error| format!("{SEARCH}: {error}"))?;
    match name
        .key_variable()
        .filter(|variable| settings.secret(variable).is_none())
    {
        Some(variable) => Err(format!("{name} needs {variable}, which is not set")),
        None => Ok(format!("{name}, by {SEARCH}")),
    }
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Docker => "containers",
        Tier::Namespaces => "Linux namespaces: own file system, no network, own processes",
        Tier::Landlock => "Landlock and seccomp: files and network confined, processes visible",
    }
}

async fn language(sandbox: &dyn Sandbox, spec: &EnvironmentSpec) -> Result<String, String> {
    sandbox
        .resolve(spec)
        .await
        .map(|_| "usable in the local sandbox".to_owned())
        .map_err(|failure| failure.summary)
}

fn writable(settings: &Settings) -> Result<String, String> {
    let probe = || -> std::io::Result<()> {
        std::fs::create_dir_all(&settings.cache)?;
        tempfile::NamedTempFile::new_in(&settings.cache).map(|_| ())
    };
    let folder = settings.cache.display();
    probe()
        .map(|()| format!("{folder} is writable"))
        .map_err(|error| format!("{folder}: {error}"))
}

/// Free space below which an environment may not fit, in bytes.
const NEEDED: u64 = 2 << 30;

fn disk(settings: &Settings) -> Result<String, String> {
    let free = fs4::available_space(&settings.cache).map_err(|error| error.to_string())?;
    enough(free, &settings.cache.display().to_string())
}

fn enough(free: u64, folder: &str) -> Result<String, String> {
    let text = format!("{:.1} GB free at {folder}", free as f64 / 1e9);
    if free >= NEEDED {
        Ok(text)
    } else {
        Err(format!("{text}: an environment may not fit"))
    }
}
