//! `reprise doctor`.

use std::process::Command;
use std::sync::Arc;

use serde::Serialize;

use crate::app;
use crate::domain::execution::{EnvironmentSpec, Tier};
use crate::engine::request::SandboxChoice;
use crate::sandbox::contract::Sandbox;
use crate::settings::Settings;

use super::args::DoctorArgs;
use super::exit::{Failure, Status};
use super::output::{Printer, paint, styled};

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Finding {
    name: &'static str,
    ok: bool,
    /// Whether a run cannot do without it.
    needed: bool,
    found: String,
}

/// Says what this machine can do; infrastructure fails when something that
/// every run needs is missing.
pub async fn doctor(settings: &Settings, printer: Printer, args: &DoctorArgs) -> Result<Status, Failure> {
    let mut findings = Vec::new();
    let mut add = |name, needed, result: Result<String, String>| {
        let ok = result.is_ok();
        findings.push(Finding {
            name,
            ok,
            needed,
            found: result.unwrap_or_else(|problem| problem),
        });
    };
    match app::sandbox(settings, SandboxChoice::Local).await {
        Ok(sandbox) => {
            add("sandbox", true, Ok(tier(sandbox.tier()).to_owned()));
            add(
                "python",
                false,
                language(
                    &sandbox,
                    EnvironmentSpec {
                        python: Some(Vec::new()),
                        ..Default::default()
                    },
                )
                .await,
            );
            add(
                "r",
                false,
                language(
                    &sandbox,
                    EnvironmentSpec {
                        r: Some(Default::default()),
                        ..Default::default()
                    },
                )
                .await,
            );
        }
        Err(error) => add("sandbox", true, Err(error.to_string())),
    }
    let landlock = app::sandbox(settings, SandboxChoice::Landlock).await;
    add(
        "landlock",
        false,
        landlock
            .map(|_| "works".to_owned())
            .map_err(|error| error.to_string()),
    );
    add("cache", true, writable(settings));
    add("disk", true, disk(settings));
    let tesseract = Command::new("tesseract").arg("--version").output();
    add(
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
    let failed = findings.iter().any(|finding| finding.needed && !finding.ok);
    if args.json {
        printer.json(&findings)?;
    } else {
        for finding in &findings {
            let mark = match (finding.ok, finding.needed) {
                (true, _) => styled(paint::GOOD, "ok     "),
                (false, true) => styled(paint::BAD, "missing"),
                (false, false) => styled(paint::WARN, "absent "),
            };
            printer.line(format!("{mark} {:<9} {}", finding.name, finding.found));
        }
    }
    Ok(if failed {
        Status::Infrastructure
    } else {
        Status::Done
    })
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Docker => "containers",
        Tier::Namespaces => "Linux namespaces: own file system, no network, own processes",
        Tier::Landlock => "Landlock and seccomp: files and network confined, processes visible",
    }
}

async fn language(sandbox: &Arc<dyn Sandbox>, spec: EnvironmentSpec) -> Result<String, String> {
    sandbox
        .resolve(&spec)
        .await
        .map(|_| "usable in the sandbox".to_owned())
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
    let text = format!("{:.1} GB free at {}", free as f64 / 1e9, settings.cache.display());
    if free >= NEEDED {
        Ok(text)
    } else {
        Err(format!("{text}: an environment may not fit"))
    }
}
