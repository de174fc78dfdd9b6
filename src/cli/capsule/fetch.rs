//! `reprise capsule fetch`.

use std::fs::{self, File};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reqwest::Url;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::capsule::archive::source::CapsuleSource;
use crate::capsule::task_file::CapsuleId;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::cli::signals;
use crate::domain::digest::Digest;
use crate::domain::format;
use crate::model::layers::timer::RealTime;
use crate::network::download::bounds::DownloadBounds;
use crate::network::download::digest_list::DigestList;
use crate::network::download::downloader::{
    ArchiveKind, DownloadNews, DownloadRequest, DownloadedFile, Downloader,
};
use crate::network::download::error::DownloadError;

use super::args::FetchArgs;
use super::list::opened;

/// A task's capsule after the fetching.
#[derive(Debug, Serialize)]
struct FetchedCapsule {
    id: CapsuleId,
    path: PathBuf,
    #[serde(flatten)]
    outcome: FetchOutcome,
}

#[derive(Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum FetchOutcome {
    Fetched {
        #[serde(flatten)]
        file: DownloadedFile,
        /// Whether a digest was given for it, and held.
        checked: bool,
    },
    There {
        checked: bool,
    },
    Failed {
        reason: String,
        /// Whether the same command may succeed later.
        may_pass: bool,
    },
    /// Ctrl-C came first.
    Stopped,
}

/// Fetches the capsules of a file's tasks.
///
/// # Errors
/// A task file, an address or a list of digests that cannot be used.
pub async fn fetch(printer: Printer, args: &FetchArgs) -> Result<Status, Failure> {
    let ids = chosen(printer, args)?;
    let digests = args
        .sha256
        .as_deref()
        .map(digests)
        .transpose()?
        .unwrap_or_default();
    fs::create_dir_all(&args.into)
        .map_err(|error| Failure::usage(format!("{} cannot be made: {error}", args.into.display())))?;
    let bounds = DownloadBounds {
        bytes: args.max_bytes,
        pause: Duration::from_millis(args.pause_ms),
        ..DownloadBounds::default()
    };
    let downloader = Downloader::new(&args.from, Arc::new(RealTime::default()), bounds)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let (cancel, watcher) = signals::until_stopped();
    let mut fetched = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let name = format!("{id}.tar.gz");
        let digest = digests.get(&name);
        let path = args.into.join(&name);
        let (path, outcome) = match CapsuleSource::find(&args.into, id) {
            _ if cancel.is_cancelled() => (path, FetchOutcome::Stopped),
            Some(source) => (source.path().to_owned(), there(&source, digest)),
            None => {
                let live = LiveLine::new(format!("{}/{} {id}", index + 1, ids.len()));
                let url = below(&args.from, &name)?;
                let request = DownloadRequest {
                    url: &url,
                    target: &path,
                    digest,
                    kind: ArchiveKind::Gzip,
                };
                let outcome = one(&downloader, request, &cancel, &live, printer).await;
                (path, outcome)
            }
        };
        let capsule = FetchedCapsule {
            id: id.clone(),
            path,
            outcome,
        };
        if !args.json {
            tell(printer, &capsule);
        }
        fetched.push(capsule);
    }
    watcher.abort();
    let status = status(&fetched);
    if args.json {
        printer.json(&serde_json::json!({
            "format": "reprise-capsule-fetch/1", "capsules": fetched, "ok": status == Status::Done,
        }))?;
    } else {
        printer.line(summary(&fetched));
    }
    Ok(status)
}

/// The tasks whose capsules are wanted.
fn chosen(printer: Printer, args: &FetchArgs) -> Result<Vec<CapsuleId>, Failure> {
    let tasks = opened(printer, &args.file, &args.passphrase)?;
    if args.task.is_empty() {
        return Ok(tasks.tasks.into_iter().map(|task| task.id).collect());
    }
    let mut ids = Vec::new();
    for name in &args.task {
        let id = CapsuleId::parse(name).filter(|id| tasks.get(id).is_some());
        let id = id.ok_or_else(|| {
            Failure::usage(format!(
                "{} has no task {name}: `reprise capsule list` shows those that it has",
                args.file.display()
            ))
        })?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn digests(path: &Path) -> Result<DigestList, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{} cannot be read: {error}", path.display())))?;
    DigestList::parse(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// The address of a file below the base.
fn below(base: &Url, name: &str) -> Result<Url, Failure> {
    let text = format!("{}/{name}", base.as_str().trim_end_matches('/'));
    text.parse()
        .map_err(|error| Failure::usage(format!("{base} takes no name behind it: {error}")))
}

/// The outcome for a capsule that is there: its archive is held to the digest that is given.
fn there(source: &CapsuleSource, wanted: Option<Digest>) -> FetchOutcome {
    let (CapsuleSource::Archive(path), Some(wanted)) = (source, wanted) else {
        return FetchOutcome::There { checked: false };
    };
    match File::open(path).and_then(Digest::compute_reader) {
        Ok(found) if found == wanted => FetchOutcome::There { checked: true },
        Ok(found) => FetchOutcome::Failed {
            reason: format!(
                "{} is there with the digest {found}, and {wanted} is wanted: take it away, and fetch it again",
                path.display()
            ),
            may_pass: false,
        },
        Err(error) => FetchOutcome::Failed {
            reason: format!("{} cannot be read: {error}", path.display()),
            may_pass: true,
        },
    }
}

async fn one(
    downloader: &Downloader,
    request: DownloadRequest<'_>,
    cancel: &CancellationToken,
    live: &LiveLine,
    printer: Printer,
) -> FetchOutcome {
    let on_news = |news: DownloadNews| live.show(printer, &news);
    let fetched = downloader.fetch(request, cancel, &on_news).await;
    live.bar.finish_and_clear();
    match fetched {
        Ok(file) => FetchOutcome::Fetched {
            file,
            checked: request.digest.is_some(),
        },
        Err(DownloadError::Stopped { .. }) => FetchOutcome::Stopped,
        Err(error) => FetchOutcome::Failed {
            may_pass: error.may_pass(),
            reason: error.to_string(),
        },
    }
}

/// The line that shows a download on a terminal.
struct LiveLine {
    bar: ProgressBar,
    name: String,
}

impl LiveLine {
    fn new(name: String) -> Self {
        let bar = ProgressBar::no_length();
        if std::io::stderr().is_terminal() {
            let style =
                ProgressStyle::with_template("{msg} {bytes} of {total_bytes} ({bytes_per_sec}, {eta} left)");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        bar.set_message(name.clone());
        Self { bar, name }
    }

    fn show(&self, printer: Printer, news: &DownloadNews) {
        match news {
            DownloadNews::Received { bytes, length } => {
                if let Some(length) = length {
                    self.bar.set_length(*length);
                }
                self.bar.set_position(*bytes);
            }
            DownloadNews::Waiting { pause, reason } => {
                let pause = format::duration(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
                let reason = one_line(reason);
                let note = format!("{}: {reason}; the next attempt is in {pause}", self.name);
                self.bar.suspend(|| printer.note(note));
            }
        }
    }
}

fn tell(printer: Printer, capsule: &FetchedCapsule) {
    let id = &capsule.id;
    let words = |checked: bool| if checked { ", as its digest says" } else { "" };
    match &capsule.outcome {
        FetchOutcome::Fetched { file, checked } => printer.line(format!(
            "{} {id}: {} in {}{}",
            styled(paint::GOOD, "fetched"),
            format::bytes(file.bytes),
            format::counted(file.attempts, "attempt", "attempts"),
            words(*checked)
        )),
        FetchOutcome::There { checked } => {
            printer.line(format!(
                "there {id}: {}{}",
                printable(&capsule.path.display().to_string()),
                words(*checked)
            ));
        }
        FetchOutcome::Failed { reason, .. } => {
            printer.line(format!(
                "{} {id}: {}",
                styled(paint::BAD, "failed"),
                one_line(reason)
            ));
        }
        FetchOutcome::Stopped => {
            printer.line(format!(
                "{} {id}: the same command goes on with it",
                styled(paint::WARN, "stopped")
            ));
        }
    }
}

/// The status of all: a stop, else what may succeed later, else what will not.
fn status(fetched: &[FetchedCapsule]) -> Status {
    let any = |is: fn(&FetchOutcome) -> bool| fetched.iter().any(|capsule| is(&capsule.outcome));
    if any(|outcome| matches!(outcome, FetchOutcome::Stopped)) {
        Status::Interrupted
    } else if any(|outcome| matches!(outcome, FetchOutcome::Failed { may_pass: true, .. })) {
        Status::Infrastructure
    } else if any(|outcome| matches!(outcome, FetchOutcome::Failed { .. })) {
        Status::Differs
    } else {
        Status::Done
    }
}

fn summary(fetched: &[FetchedCapsule]) -> String {
    let count = |is: fn(&FetchOutcome) -> bool| {
        let count = fetched.iter().filter(|capsule| is(&capsule.outcome)).count();
        count as u64
    };
    let mut parts = vec![
        format!(
            "{} fetched",
            count(|outcome| matches!(outcome, FetchOutcome::Fetched { .. }))
        ),
        format!(
            "{} there",
            count(|outcome| matches!(outcome, FetchOutcome::There { .. }))
        ),
        format!(
            "{} failed",
            count(|outcome| matches!(outcome, FetchOutcome::Failed { .. }))
        ),
    ];
    let stopped = count(|outcome| matches!(outcome, FetchOutcome::Stopped));
    if stopped > 0 {
        parts.push(format!("{stopped} left"));
    }
    format!(
        "{}: {}",
        format::counted(fetched.len(), "capsule", "capsules"),
        parts.join(", ")
    )
}
