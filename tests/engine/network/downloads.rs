//! Downloads over connections that break, from servers that differ in what they offer.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reprise::domain::digest::Digest;
use reprise::network::download::bounds::DownloadBounds;
use reprise::network::download::downloader::{
    ArchiveKind, DownloadNews, DownloadRequest, DownloadedFile, Downloader,
};
use reprise::network::download::error::DownloadError;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::server::{Answer, Asked, Server, Told, status};

/// A file of a gzip's first bytes and 40,000 others.
fn content() -> Vec<u8> {
    let noise = (0..10_000_u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes());
    [0x1f, 0x8b].into_iter().chain(noise).collect()
}

/// A place to download to.
struct Desk {
    folder: TempDir,
    timer: Arc<Told>,
    bounds: DownloadBounds,
    news: Mutex<Vec<DownloadNews>>,
}

impl Desk {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            timer: Arc::default(),
            bounds: DownloadBounds {
                idle: Duration::from_secs(20),
                ..DownloadBounds::default()
            },
            news: Mutex::default(),
        }
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("capsules/a.tar.gz")
    }

    async fn fetch(&self, server: &Server, digest: Option<Digest>) -> Result<DownloadedFile, DownloadError> {
        self.fetch_until(server, digest, &CancellationToken::new()).await
    }

    async fn fetch_until(
        &self,
        server: &Server,
        digest: Option<Digest>,
        cancel: &CancellationToken,
    ) -> Result<DownloadedFile, DownloadError> {
        let base = server.url("/").parse().unwrap();
        let url = server.url("/a.tar.gz").parse().unwrap();
        let downloader = Downloader::new(&base, self.timer.clone(), self.bounds).unwrap();
        let target = self.target();
        let request = DownloadRequest {
            url: &url,
            target: &target,
            digest,
            kind: ArchiveKind::Gzip,
        };
        let on_news = |news| self.news.lock().unwrap().push(news);
        downloader.fetch(request, cancel, &on_news).await
    }

    fn pauses(&self) -> Vec<u64> {
        self.timer.0.lock().unwrap().clone()
    }

    /// Names in the folder.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.folder.path().join("capsules"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// The first byte that a request wants.
fn wanted(asked: &Asked) -> usize {
    let range = asked.headers.get("range").map_or("bytes=0-", String::as_str);
    range["bytes=".len()..range.len() - 1].parse().unwrap()
}

/// The answer of a server that knows ranges; `most` bytes of it arrive.
fn ranged(asked: &Asked, content: &[u8], etag: &str, most: usize) -> Answer {
    let first = match asked.headers.get("if-range") {
        Some(known) if known != etag => 0,
        _ => wanted(asked),
    };
    let head = match first {
        0 => "200 OK".to_owned(),
        first => format!(
            "206 Partial Content\r\nContent-Range: bytes {first}-{}/{}",
            content.len() - 1,
            content.len()
        ),
    };
    let rest = &content[first..];
    let head = format!(
        "HTTP/1.1 {head}\r\nETag: {etag}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        rest.len()
    );
    let mut bytes = head.into_bytes();
    bytes.extend(&rest[..most.min(rest.len())]);
    Answer::Raw(bytes)
}

#[tokio::test]
async fn a_download_that_breaks_off_goes_on_where_it_was() {
    let server = Server::start(|asked| ranged(asked, &content(), "\"one\"", 15_000));
    let desk = Desk::new();
    let fetched = desk
        .fetch(&server, Some(Digest::compute(content())))
        .await
        .unwrap();
    assert_eq!(fs::read(desk.target()).unwrap(), content());
    assert_eq!((fetched.attempts, fetched.resumed_from), (3, 0));
    assert_eq!(fetched.bytes, content().len() as u64);
    assert_eq!(desk.names(), ["a.tar.gz"]);
    assert_eq!(desk.pauses(), [1, 2]);
    let asked = server.asked();
    let firsts: Vec<_> = asked.iter().map(wanted).collect();
    assert_eq!(firsts, [0, 15_000, 30_000]);
    assert_eq!(asked[1].headers["if-range"], "\"one\"");
    let news = desk.news.lock().unwrap();
    assert!(news.contains(&DownloadNews::Received {
        bytes: 30_000,
        length: Some(40_002)
    }));
    assert!(matches!(
        &news[2],
        DownloadNews::Waiting { .. } | DownloadNews::Received { .. }
    ));
}

#[tokio::test]
async fn a_later_call_goes_on_with_what_an_earlier_one_has_left() {
    let most = Arc::new(AtomicUsize::new(4_000));
    let shared = most.clone();
    let server =
        Server::start(move |asked| ranged(asked, &content(), "\"one\"", shared.load(Ordering::SeqCst)));
    let desk = Desk::new();
    let failed = desk.fetch(&server, None).await.unwrap_err();
    assert!(
        matches!(failed, DownloadError::Failed { attempts: 5, .. }),
        "{failed}"
    );
    assert!(
        failed.may_pass() && failed.to_string().contains("broke off at 20000"),
        "{failed}"
    );
    assert_eq!(desk.pauses(), [1, 2, 4, 8]);
    assert_eq!(desk.names(), ["a.tar.gz.partial", "a.tar.gz.partial.json"]);
    most.store(usize::MAX, Ordering::SeqCst);
    let fetched = desk.fetch(&server, None).await.unwrap();
    assert_eq!((fetched.attempts, fetched.resumed_from), (1, 20_000));
    assert_eq!(fs::read(desk.target()).unwrap(), content());
}

#[tokio::test]
async fn a_file_that_has_changed_meanwhile_is_begun_again() {
    let calls = AtomicUsize::new(0);
    let mut other = content();
    other.truncate(35_000);
    other[20] ^= 1;
    let expected = other.clone();
    let server = Server::start(move |asked| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => ranged(asked, &content(), "\"one\"", 15_000),
        _ => ranged(asked, &other, "\"two\"", usize::MAX),
    });
    let desk = Desk::new();
    desk.fetch(&server, None).await.unwrap();
    assert_eq!(fs::read(desk.target()).unwrap(), expected);
    // Without a validator the length tells.
    let calls = AtomicUsize::new(0);
    let expected = content();
    let server = Server::start(move |asked| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => ranged(asked, &[content(), vec![9]].concat(), "W/\"x\"", 15_000),
        _ => ranged(asked, &content(), "W/\"x\"", usize::MAX),
    });
    let desk = Desk::new();
    let fetched = desk.fetch(&server, None).await.unwrap();
    assert_eq!(fetched.attempts, 3);
    assert_eq!(fs::read(desk.target()).unwrap(), expected);
}

#[tokio::test]
async fn pieces_that_do_not_fit_together_are_fetched_once_more_as_one() {
    // Says that nothing has changed, and it has.
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |asked| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => ranged(
            asked,
            &[[0x1f, 0x8b].as_slice(), &[7; 40_000]].concat(),
            "\"one\"",
            15_000,
        ),
        _ => ranged(asked, &content(), "\"one\"", usize::MAX),
    });
    let desk = Desk::new();
    let fetched = desk
        .fetch(&server, Some(Digest::compute(content())))
        .await
        .unwrap();
    assert_eq!(fetched.attempts, 3);
    assert_eq!(fs::read(desk.target()).unwrap(), content());
}

#[tokio::test]
async fn a_server_without_ranges_is_asked_for_all_of_it() {
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => ranged(&Asked::default(), &content(), "\"one\"", 15_000),
        _ => Answer::Whole(200, vec![], content()),
    });
    let desk = Desk::new();
    desk.fetch(&server, None).await.unwrap();
    assert_eq!(fs::read(desk.target()).unwrap(), content());
    assert_eq!(wanted(&server.asked()[1]), 15_000);
}

#[tokio::test]
async fn a_server_that_is_busy_is_asked_again_and_a_missing_file_is_not() {
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |_| match calls.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => status(503, &[]),
        _ => Answer::Whole(200, vec![], content()),
    });
    let desk = Desk::new();
    assert_eq!(desk.fetch(&server, None).await.unwrap().attempts, 3);
    assert_eq!(desk.pauses(), [1, 2]);
    for missing in [404, 403, 410] {
        let server = Server::start(move |_| status(missing, &[]));
        let desk = Desk::new();
        let error = desk.fetch(&server, None).await.unwrap_err();
        assert!(
            error.to_string().contains(&format!("answers {missing}")),
            "{error}"
        );
        assert!(!error.may_pass());
        assert_eq!(server.asked().len(), 1);
        assert_eq!(desk.names(), [""; 0]);
    }
}

#[tokio::test]
async fn nothing_is_kept_of_what_is_not_wanted() {
    let server = Server::start(|_| Answer::Whole(200, vec![], content()));
    let desk = Desk::new();
    let error = desk
        .fetch(&server, Some(Digest::compute("other")))
        .await
        .unwrap_err();
    assert!(
        matches!(error, DownloadError::WrongDigest { .. }) && !error.may_pass(),
        "{error}"
    );
    assert_eq!(desk.names(), [""; 0]);
    let server = Server::start(|_| super::server::page("<html>Please log in</html>"));
    let error = desk.fetch(&server, None).await.unwrap_err();
    assert!(error.to_string().contains("begins with `<html>Please"), "{error}");
    assert_eq!(desk.names(), [""; 0]);
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_file_has_a_largest_size_whatever_its_server_says() {
    let mut desk = Desk::new();
    desk.bounds.bytes = 30_000;
    for says in [true, false] {
        let server = Server::start(move |_| match says {
            true => Answer::Whole(200, vec![], content()),
            false => Answer::Endless,
        });
        let error = desk.fetch(&server, None).await.unwrap_err();
        assert!(
            matches!(error, DownloadError::TooLarge { limit: 30_000, .. }),
            "{error}"
        );
        assert_eq!(desk.names(), [""; 0]);
    }
}

#[tokio::test]
async fn a_redirect_is_followed_within_its_scheme_alone() {
    let server = Server::start(|asked| match asked.target.as_str() {
        "/a.tar.gz" => status(302, &[("Location", "/stored/a")]),
        _ => ranged(asked, &content(), "\"one\"", 25_000),
    });
    let desk = Desk::new();
    assert_eq!(desk.fetch(&server, None).await.unwrap().attempts, 2);
    assert_eq!(wanted(&server.asked()[3]), 25_000);
    for (to, said) in [
        ("https://127.0.0.1:9/a", "scheme `https`"),
        ("ftp://127.0.0.1/a", "ftp"),
        ("/a.tar.gz", "too many redirects"),
    ] {
        let server = Server::start(move |_| status(302, &[("Location", to)]));
        let error = Desk::new().fetch(&server, None).await.unwrap_err();
        assert!(error.to_string().contains(said), "{to}: {error}");
        assert!(!error.may_pass(), "{error}");
    }
}

#[tokio::test]
async fn a_stop_leaves_what_is_there() {
    let server = Server::start(|asked| match wanted(asked) {
        0 => ranged(asked, &content(), "\"one\"", 15_000),
        _ => Answer::Never,
    });
    let desk = Desk::new();
    let cancel = CancellationToken::new();
    let fetching = desk.fetch_until(&server, None, &cancel);
    let stopping = async {
        while server.asked().is_empty() || desk.pauses().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (fetched, ()) = tokio::join!(fetching, stopping);
    let error = fetched.unwrap_err();
    assert!(matches!(error, DownloadError::Stopped { .. }), "{error}");
    let partial = desk.target().with_extension("gz.partial");
    assert_eq!(fs::read(partial).unwrap(), content()[..15_000]);
}

#[tokio::test]
async fn two_processes_do_not_write_one_file() {
    let server = Server::start(|_| Answer::Whole(200, vec![], content()));
    let desk = Desk::new();
    fs::create_dir_all(desk.folder.path().join("capsules")).unwrap();
    let held = fs::File::create(desk.target().with_extension("gz.partial")).unwrap();
    held.lock().unwrap();
    let error = desk.fetch(&server, None).await.unwrap_err();
    assert!(matches!(error, DownloadError::Busy { .. }), "{error}");
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn an_address_with_a_user_a_query_or_another_scheme_is_refused_without_its_secret() {
    for (base, said) in [
        ("http://me:secret@example.org/x", "a user or a password"),
        ("ftp://example.org/x", "http:// or https://"),
        ("file:///x", "http:// or https://"),
        ("https://example.org/x?y=1", "a query"),
        ("https://example.org/x#y", "a query or a fragment"),
    ] {
        let base = base.parse().unwrap();
        let refused = reprise::network::download::address::check_base(&base).unwrap_err();
        let error = refused.to_string();
        assert!(error.contains(said) && !error.contains("secret"), "{error}");
    }
}
