//! The download of a file, attempt by attempt.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, IF_RANGE, RANGE};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::model::http::{chain, is_distrust};
use crate::model::layers::timer::Timer;
use crate::model::loopback::is_loopback;

use super::address::{check_base, follow};
use super::bounds::DownloadBounds;
use super::error::DownloadError;
use super::partial_file::{PartialFile, PartialOrigin};
use super::range::{AnsweredRange, strong_etag};

/// The file that is wanted.
#[derive(Debug, Clone, Copy)]
pub struct DownloadRequest<'a> {
    pub url: &'a Url,
    /// Where it goes; it must not be there.
    pub target: &'a Path,
    /// The digest that it must have.
    pub digest: Option<Digest>,
    pub kind: ArchiveKind,
}

/// The kind of an archive, by how it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveKind {
    Gzip,
    Zip,
}

impl ArchiveKind {
    /// The kind as it is named.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zip => "zip",
        }
    }

    fn beginning(self) -> &'static [u8] {
        match self {
            Self::Gzip => &[0x1f, 0x8b],
            Self::Zip => b"PK\x03\x04",
        }
    }
}

/// A file that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DownloadedFile {
    pub bytes: u64,
    pub digest: Digest,
    pub attempts: u32,
    /// Bytes that were there before the first attempt.
    pub resumed_from: u64,
}

/// The news of a download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownloadNews {
    Received {
        bytes: u64,
        length: Option<u64>,
    },
    /// An attempt failed; the next one follows the pause.
    Waiting {
        pause: Duration,
        reason: String,
    },
}

/// Is told how a download goes.
pub type OnDownload<'a> = &'a (dyn Fn(DownloadNews) + Send + Sync);

/// Fetches archives from one address.
pub struct Downloader {
    http: reqwest::Client,
    timer: Arc<dyn Timer>,
    bounds: DownloadBounds,
}

/// The failure of an attempt.
enum AttemptFault {
    /// Another attempt may succeed.
    Again(String),
    Final(DownloadError),
}

impl From<DownloadError> for AttemptFault {
    fn from(error: DownloadError) -> Self {
        Self::Final(error)
    }
}

impl Downloader {
    /// A downloader from below `base`. Redirects keep their scheme, and lead to this machine or a
    /// private network only where `base` itself does.
    ///
    /// # Errors
    /// An address that [`check_base`] refuses, or certificates and proxy settings of the system that
    /// cannot be used.
    pub fn new(base: &Url, timer: Arc<dyn Timer>, bounds: DownloadBounds) -> Result<Self, DownloadError> {
        check_base(base)?;
        // Fails only if a provider is installed already, which does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("reprise/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::custom(follow))
            .connect_timeout(bounds.connect)
            .read_timeout(bounds.idle);
        if is_loopback(base) {
            builder = builder.no_proxy();
        }
        if base.scheme() == "http" && is_loopback(base) {
            builder = builder.tls_certs_only([]);
        }
        let http = builder
            .build()
            .map_err(|error| DownloadError::NoClient(chain(&error)))?;
        Ok(Self { http, timer, bounds })
    }

    /// Fetches a file, going on from what an earlier call has left.
    ///
    /// # Errors
    /// A file that is not there, too large, no archive of its kind or of another digest, a server that fails in
    /// every attempt, a disk that cannot be written, or a stop; what is worth going on with stays.
    pub async fn fetch(
        &self,
        request: DownloadRequest<'_>,
        cancel: &CancellationToken,
        on_news: OnDownload<'_>,
    ) -> Result<DownloadedFile, DownloadError> {
        let url = request.url;
        let stopped = || DownloadError::Stopped { url: url.to_string() };
        let mut partial = PartialFile::open(request.target, url.as_str())?;
        let resumed_from = partial.written();
        let mut attempt = 1;
        let (partial, digest) = loop {
            let had = partial.written();
            let ended = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(stopped()),
                ended = self.attempt(url, &mut partial, on_news) => ended,
            };
            let ended = match ended {
                Ok(()) => {
                    let checked = tokio::select! {
                        biased;
                        () = cancel.cancelled() => return Err(stopped()),
                        checked = check(&partial, &request) => checked,
                    };
                    match checked {
                        Ok(digest) => break (partial, digest),
                        // Pieces of two versions may have been joined.
                        Err(CheckFault::Content(error)) if had > 0 => {
                            partial.restart()?;
                            Err(AttemptFault::Again(error.to_string()))
                        }
                        Err(CheckFault::Content(error)) => {
                            partial.remove();
                            return Err(error);
                        }
                        Err(CheckFault::Disk(error)) => return Err(error),
                    }
                }
                Err(fault) => Err(fault),
            };
            match ended {
                Err(AttemptFault::Final(error)) => {
                    if partial.written() == 0 || matches!(error, DownloadError::TooLarge { .. }) {
                        partial.remove();
                    }
                    return Err(error);
                }
                Err(AttemptFault::Again(reason)) if attempt >= self.bounds.attempts => {
                    if partial.written() == 0 {
                        partial.remove();
                    }
                    return Err(DownloadError::Failed {
                        url: url.to_string(),
                        attempts: attempt,
                        reason,
                    });
                }
                Err(AttemptFault::Again(reason)) => {
                    let pause = self.bounds.pause_after(attempt);
                    on_news(DownloadNews::Waiting { pause, reason });
                    tokio::select! {
                        biased;
                        () = cancel.cancelled() => return Err(stopped()),
                        () = self.timer.wait(pause) => {}
                    }
                    attempt += 1;
                }
                Ok(()) => {}
            }
        };
        let bytes = partial.written();
        partial.put_in_place()?;
        Ok(DownloadedFile {
            bytes,
            digest,
            attempts: attempt,
            resumed_from,
        })
    }

    /// Asks once, and takes what comes.
    async fn attempt(
        &self,
        url: &Url,
        partial: &mut PartialFile,
        on_news: OnDownload<'_>,
    ) -> Result<(), AttemptFault> {
        let have = partial.written();
        // Packed once more, a range would be one of something else.
        let mut request = self.http.get(url.clone()).header(ACCEPT_ENCODING, "identity");
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
            if let Some(etag) = partial.origin().and_then(|origin| origin.etag.as_ref()) {
                request = request.header(IF_RANGE, etag);
            }
        }
        let mut response = request.send().await.map_err(|error| unsent(url, error))?;
        let length = match begin(url, partial, &response)? {
            Beginning::Whole => return Ok(()),
            Beginning::Content { length } => length,
        };
        let too_large = || DownloadError::TooLarge {
            url: url.to_string(),
            limit: self.bounds.bytes,
        };
        if length.is_some_and(|length| length > self.bounds.bytes) {
            return Err(too_large().into());
        }
        loop {
            on_news(DownloadNews::Received {
                bytes: partial.written(),
                length,
            });
            let chunk = match response.chunk().await {
                Ok(chunk) => chunk,
                Err(error) => return Err(broken_off(partial, length, Some(error))),
            };
            let Some(chunk) = chunk else { break };
            if partial.written() + chunk.len() as u64 > self.bounds.bytes {
                return Err(too_large().into());
            }
            partial.add(&chunk)?;
        }
        match length {
            Some(whole) if whole != partial.written() => Err(broken_off(partial, length, None)),
            _ => Ok(()),
        }
    }
}

/// The failure of a connection that ended too early.
fn broken_off(partial: &PartialFile, length: Option<u64>, error: Option<reqwest::Error>) -> AttemptFault {
    let of = length.map_or_else(String::new, |length| format!(" of {length}"));
    let reason = error.map_or_else(String::new, |error| format!(" ({})", chain(&error.without_url())));
    AttemptFault::Again(format!("it broke off at {}{of} bytes{reason}", partial.written()))
}

/// The beginning of an answer.
enum Beginning {
    /// All is there already.
    Whole,
    /// More follows, of a file of so many bytes in all.
    Content { length: Option<u64> },
}

/// Reads the head of an answer, and readies the partial file for the content.
fn begin(url: &Url, partial: &mut PartialFile, response: &Response) -> Result<Beginning, AttemptFault> {
    let have = partial.written();
    let range = AnsweredRange::from_headers(response.headers());
    let etag = strong_etag(response.headers());
    match response.status() {
        StatusCode::PARTIAL_CONTENT => {
            let known = partial.origin().cloned().unwrap_or_default();
            let length = range.and_then(|range| range.length);
            let differs = |known: &Option<u64>, found: &Option<u64>| {
                known.is_some_and(|known| found.is_some_and(|found| found != known))
            };
            let follows = range.is_some_and(|range| range.first == Some(have))
                && !differs(&known.length, &length)
                && !(known.etag.is_some() && etag.is_some() && known.etag != etag);
            if !follows {
                partial.restart()?;
                return Err(AttemptFault::Again(
                    "the part that it answers with does not follow what is there".to_owned(),
                ));
            }
            let length = length.or(known.length);
            let rest = response.content_length();
            Ok(Beginning::Content {
                length: length.or(rest.map(|rest| have + rest)),
            })
        }
        StatusCode::OK => {
            partial.restart()?;
            let length = response.content_length();
            partial.set_origin(PartialOrigin {
                url: url.to_string(),
                etag,
                length,
            })?;
            Ok(Beginning::Content { length })
        }
        StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => {
            let is_whole = range.is_some_and(|range| range.length == Some(have));
            if is_whole && partial.origin().is_some_and(|origin| origin.length == Some(have)) {
                return Ok(Beginning::Whole);
            }
            partial.restart()?;
            Err(AttemptFault::Again("it is shorter than what is there".to_owned()))
        }
        status if status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429) => {
            Err(AttemptFault::Again(format!("it answers {}", status.as_u16())))
        }
        status => Err(AttemptFault::Final(DownloadError::Refused {
            url: url.to_string(),
            status: status.as_u16(),
        })),
    }
}

/// The failure of a request without an answer.
fn unsent(url: &Url, error: reqwest::Error) -> AttemptFault {
    let is_redirect = error.is_redirect();
    let is_distrust = is_distrust(&error);
    let reason = chain(&error.without_url());
    if is_redirect {
        return AttemptFault::Final(DownloadError::LeadsElsewhere {
            url: url.to_string(),
            reason,
        });
    }
    if is_distrust {
        return AttemptFault::Final(DownloadError::Failed {
            url: url.to_string(),
            attempts: 1,
            reason,
        });
    }
    AttemptFault::Again(reason)
}

/// The fault of a file that has arrived.
enum CheckFault {
    /// It is not what is wanted.
    Content(DownloadError),
    Disk(DownloadError),
}

/// Looks at a file that is whole.
async fn check(partial: &PartialFile, request: &DownloadRequest<'_>) -> Result<Digest, CheckFault> {
    let beginning = partial.beginning().map_err(CheckFault::Disk)?;
    let path = partial.path().to_owned();
    // Gigabytes take a while, in which Ctrl-C is heard.
    let digested = tokio::task::spawn_blocking(move || {
        File::open(&path)
            .and_then(Digest::compute_reader)
            .map_err(DownloadError::disk(&path))
    });
    let digest = match digested.await {
        Ok(digested) => digested.map_err(CheckFault::Disk)?,
        Err(_) => {
            return Err(CheckFault::Disk(DownloadError::Stopped {
                url: request.url.to_string(),
            }));
        }
    };
    if let Some(wanted) = request.digest.filter(|wanted| *wanted != digest) {
        return Err(CheckFault::Content(DownloadError::WrongDigest {
            url: request.url.to_string(),
            found: digest,
            wanted,
        }));
    }
    if !beginning.starts_with(request.kind.beginning()) {
        return Err(CheckFault::Content(DownloadError::OtherKind {
            url: request.url.to_string(),
            kind: request.kind.word(),
            beginning: String::from_utf8_lossy(&beginning).into_owned(),
        }));
    }
    Ok(digest)
}
