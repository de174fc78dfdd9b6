//! `reprise clean`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::domain::excerpt;
use crate::sandbox::docker::container::remove::remove;
use crate::sandbox::docker::container::sweep::sweep;
use crate::sandbox::docker::daemon::{Daemon, words};
use crate::sandbox::docker::image::owned::{images, remove_image};
use crate::sandbox::docker::labels::SHARED;
use crate::sandbox::in_use::{InUse, Others};
use crate::sandbox::socket_folder;
use crate::settings::Settings;

use super::disk_use::size;
use super::exit::{Failure, Status};
use super::leftovers::{ContainerState, containers};
use super::output::{Printer, printable};

#[derive(Debug, Args)]
#[command(after_help = "\
Removes environments and scratch folders from the cache and the containers of runs that are over. \
What a live run uses stays, and so do runs and studies.

Examples:
  reprise clean --dry-run
  reprise clean --images")]
pub struct CleanArgs {
    /// Remove the images, too; the next run that needs one builds it again.
    #[arg(long)]
    pub images: bool,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print what was removed as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The parts of the cache that can be made again: environments and scratch folders, what
/// installs packages and their cache, and from images the logs of their builds and what was
/// learned about their bases.
const PARTS: [&str; 6] = ["environments", "scratch", "installers", "uv", "builds", "bases"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Folder,
    Container,
    Image,
}

/// One thing that is ours.
#[derive(Debug, Serialize)]
struct Thing {
    kind: Kind,
    name: String,
    bytes: u64,
}

/// One thing that stays, and why.
#[derive(Debug, Serialize)]
struct Kept {
    kind: Kind,
    name: String,
    why: String,
}

/// The removals that were done, or would be.
#[derive(Debug, Default, Serialize)]
struct Cleaned {
    dry_run: bool,
    removed: Vec<Thing>,
    kept: Vec<Kept>,
    /// Why containers and images were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_daemon: Option<String>,
}

/// Removes what reprise made and can make again: what is in its cache, the
/// containers of runs that are over and, with `--images`, its images. Runs and
/// studies are never touched, and nothing is that a live run uses.
///
/// # Errors
/// A cache that cannot be locked, looked into or removed.
pub async fn clean(settings: &Settings, printer: Printer, args: &CleanArgs) -> Result<Status, Failure> {
    let mut cleaned = Cleaned {
        dry_run: args.dry_run,
        ..Cleaned::default()
    };
    let cache = &settings.cache;
    // Held to the end: no run may begin to use what is about to go.
    // Images need the hold even where there is no cache yet.
    let alone = if cache.is_dir() || args.images && fs::create_dir_all(cache).is_ok() {
        InUse::alone(cache)
            .map_err(|error| failed(&cache.join("in-use"), &error))?
            .map(Some)
    } else {
        Ok(None)
    };
    match &alone {
        Ok(_) => cleaned.cache(cache)?,
        Err(others) => cleaned.keep(Kind::Folder, cache.display().to_string(), used_by(others)),
    }
    cleaned.sockets()?;
    match Daemon::connect(&settings.operator).await {
        Ok(daemon) => {
            cleaned.containers(&daemon).await?;
            if args.images {
                cleaned.images(&daemon, alone.as_ref().err()).await?;
            }
        }
        Err(why) => cleaned.no_daemon = Some(why.to_string()),
    }
    if args.json {
        printer.json(&cleaned)?;
    } else {
        cleaned.print(printer);
    }
    Ok(Status::Done)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}

fn used_by(others: &Others) -> String {
    let who = match others.0.as_slice() {
        [] => "another process".to_owned(),
        [one] => format!("process {one}"),
        many => {
            let every: Vec<String> = many.iter().map(u32::to_string).collect();
            format!("processes {}", every.join(", "))
        }
    };
    format!("in use by {who}; clean again when its run has ended")
}

impl Cleaned {
    fn keep(&mut self, kind: Kind, name: String, why: String) {
        self.kept.push(Kept { kind, name, why });
    }

    fn remove(&mut self, kind: Kind, name: String, bytes: u64) {
        self.removed.push(Thing { kind, name, bytes });
    }

    fn cache(&mut self, cache: &Path) -> Result<(), Failure> {
        for folder in PARTS.map(|name| cache.join(name)) {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(&folder, &error)),
            };
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                self.folder(&path)?;
            }
        }
        Ok(())
    }

    /// The sockets of processes that were killed.
    fn sockets(&mut self) -> Result<(), Failure> {
        let left = socket_folder::left().map_err(|error| failed(&std::env::temp_dir(), &error))?;
        left.iter().try_for_each(|path| self.folder(path))
    }

    fn folder(&mut self, path: &Path) -> Result<(), Failure> {
        let bytes = size(path);
        if !self.dry_run {
            let gone = if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            };
            gone.map_err(|error| failed(path, &error))?;
        }
        self.remove(Kind::Folder, path.display().to_string(), bytes);
        Ok(())
    }

    async fn containers(&mut self, daemon: &Daemon) -> Result<(), Failure> {
        let infrastructure = |error: String| Failure::new(Status::Infrastructure, error);
        let found = containers(daemon)
            .await
            .map_err(|error| infrastructure(error.to_string()))?;
        for (container, life) in found {
            let name = format!("{} of run {}", container.name, container.run.parts().0);
            match life {
                ContainerState::Over => {
                    if !self.dry_run && container.run.as_str() == SHARED {
                        remove(daemon, &container.id, &[])
                            .await
                            .map_err(|why| infrastructure(why.to_string()))?;
                    } else if !self.dry_run {
                        sweep(daemon, &container.run)
                            .await
                            .map_err(|error| infrastructure(error.to_string()))?;
                    }
                    self.remove(Kind::Container, name, 0);
                }
                ContainerState::GoingOn => self.keep(Kind::Container, name, "its run goes on".to_owned()),
                ContainerState::Unknown(why) => self.keep(Kind::Container, name, why),
            }
        }
        Ok(())
    }

    /// Removes images, each once nothing stands on it any more.
    async fn images(&mut self, daemon: &Daemon, others: Option<&Others>) -> Result<(), Failure> {
        let found = images(daemon)
            .await
            .map_err(|error| Failure::new(Status::Infrastructure, words(&error)))?;
        let name = |tags: &[String], id: &str| match tags {
            [] => excerpt::start(id.trim_start_matches("sha256:"), 12).to_owned(),
            tags => tags.join(", "),
        };
        let mut open: Vec<_> = found
            .into_iter()
            .map(|image| (name(&image.tags, &image.id), image, String::new()))
            .collect();
        if let Some(others) = others {
            for (name, _, _) in open {
                self.keep(Kind::Image, name, used_by(others));
            }
            return Ok(());
        }
        loop {
            let before = open.len();
            let mut left = Vec::new();
            for (name, image, _) in open {
                let gone = if self.dry_run {
                    Ok(())
                } else {
                    remove_image(daemon, &image.id).await
                };
                match gone {
                    Ok(()) => self.remove(Kind::Image, name, image.bytes),
                    Err(error) => left.push((name, image, words(&error))),
                }
            }
            open = left;
            if open.is_empty() || open.len() == before {
                break;
            }
        }
        for (name, _, why) in open {
            self.keep(Kind::Image, name, why);
        }
        Ok(())
    }

    fn print(&self, printer: Printer) {
        let word = if self.dry_run { "would remove" } else { "removed" };
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        for thing in &self.removed {
            let (kind, size) = match thing.kind {
                Kind::Folder => ("", format!(" ({:.1} MB)", megabytes(thing.bytes))),
                Kind::Container => ("container ", String::new()),
                Kind::Image => ("image ", format!(" ({:.1} MB)", megabytes(thing.bytes))),
            };
            printer.line(format!("{word} {kind}{}{size}", printable(&thing.name)));
        }
        for kept in &self.kept {
            printer.line(format!(
                "kept {}: {}",
                printable(&kept.name),
                printable(&kept.why)
            ));
        }
        let count = |kind| self.removed.iter().filter(|thing| thing.kind == kind).count();
        let total: u64 = self.removed.iter().map(|thing| thing.bytes).sum();
        printer.line(format!(
            "{word} {} folders and files, {} containers and {} images, {:.1} MB",
            count(Kind::Folder),
            count(Kind::Container),
            count(Kind::Image),
            megabytes(total)
        ));
        if let Some(why) = &self.no_daemon {
            printer.note(format!("{why} Containers and images were not looked at."));
        }
    }
}
