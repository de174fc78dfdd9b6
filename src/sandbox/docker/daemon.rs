//! The connection to a Docker-compatible daemon.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use bollard::errors::Error;
use bollard::{API_DEFAULT_VERSION, Docker};

use super::facts::{DaemonFacts, Engine, Podman};
use super::raw::{UnansweredQuestion, get};

/// A daemon that answered.
#[derive(Debug, Clone)]
pub struct Daemon {
    pub client: Docker,
    /// How long it may be silent during an execution before it counts as lost.
    pub silence: Duration,
    facts: Arc<DaemonFacts>,
}

/// The error of a daemon that cannot be used, in words for the operator.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct NoDaemon(pub String);

/// Seconds for a request that is no stream.
const PATIENCE: u64 = 120;
/// How long a daemon may take to say what it is.
const ANSWER: Duration = Duration::from_secs(20);

const SILENCE: Duration = Duration::from_secs(60);

const SYSTEM: &str = "/var/run/docker.sock";

impl Daemon {
    /// Connects to `DOCKER_HOST`, or to the first socket at a usual place (of
    /// the system's Docker, of a rootless Docker, of Podman) that answers.
    ///
    /// # Errors
    /// Where nothing answers; what was tried and how each failed is in the words.
    pub async fn connect(operator: &BTreeMap<String, String>) -> Result<Self, NoDaemon> {
        let set = |name: &str| operator.get(name).filter(|value| !value.is_empty());
        if let Some(host) = set("DOCKER_HOST") {
            return Self::at(host, set("DOCKER_TLS_VERIFY").is_some(), ANSWER)
                .await
                .map_err(|why| NoDaemon(format!("DOCKER_HOST={host}: {why}.")));
        }
        let mut tried = Vec::new();
        for socket in sockets(set("XDG_RUNTIME_DIR").map(String::as_str)) {
            match Self::at(&format!("unix://{socket}"), false, ANSWER).await {
                Ok(daemon) => return Ok(daemon),
                Err(why) => tried.push(format!("{socket}: {why}")),
            }
        }
        // What is not there says nothing where something else is there and fails.
        let present: Vec<String> = tried
            .iter()
            .filter(|why| !why.ends_with(ABSENT))
            .cloned()
            .collect();
        let tried = if present.is_empty() { tried } else { present };
        Err(NoDaemon(format!(
            "No Docker or Podman daemon answers ({}).",
            tried.join("; ")
        )))
    }

    /// Connects to one address.
    async fn at(address: &str, tls: bool, time_limit: Duration) -> Result<Self, NoAnswer> {
        let connected = if let Some(socket) = address.strip_prefix("unix://") {
            reachable(socket)?;
            Docker::connect_with_unix(address, PATIENCE, API_DEFAULT_VERSION)
        } else if address.starts_with("tcp://") || address.starts_with("http://") {
            if tls {
                return Err(NoAnswer::Tls);
            }
            Docker::connect_with_http(address, PATIENCE, API_DEFAULT_VERSION)
        } else if address.starts_with("ssh://") {
            return Err(NoAnswer::Ssh);
        } else {
            return Err(NoAnswer::Address);
        };
        let client = connected?;
        let asked = async {
            let client = client.negotiate_version().await?;
            let (version, info) = (client.version().await?, client.info().await?);
            let mut facts = DaemonFacts::new(address, version, info);
            if facts.engine == Engine::Podman {
                let own: Podman = get(address, "/v4.0.0/libpod/info", &[]).await?;
                facts.correct(&own);
            }
            Ok::<_, NoAnswer>((client, facts))
        };
        match tokio::time::timeout(time_limit, asked).await {
            Ok(Ok((client, facts))) => Ok(Self {
                client,
                silence: SILENCE,
                facts: Arc::new(facts),
            }),
            Ok(Err(why)) => Err(why),
            Err(_) => Err(NoAnswer::Late(time_limit)),
        }
    }

    /// Asks, but waits no longer than a daemon may be silent.
    ///
    /// # Errors
    /// What was asked for fails, or no answer in time.
    pub async fn within<T>(&self, asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        tokio::time::timeout(self.silence, asked)
            .await
            .unwrap_or(Err(Error::RequestTimeoutError))
    }

    /// Whether the daemon takes another connection.
    pub async fn still_answers(&self) -> bool {
        Self::at(&self.facts.address, false, ANSWER).await.is_ok()
    }

    /// What the daemon is and what it can enforce.
    pub fn describe(&self) -> &DaemonFacts {
        &self.facts
    }
}

/// The error of an address at which no daemon answers.
#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error("TLS to a daemon is not spoken here; forward its socket and name that")]
    Tls,
    #[error(
        "a daemon behind ssh cannot see this machine's folders; run reprise on that machine, or forward the socket \
         of one that shares them and write unix://PATH"
    )]
    Ssh,
    #[error("not an address that can be used; write unix://PATH or tcp://HOST:PORT")]
    Address,
    #[error("{ABSENT}")]
    Absent,
    #[error("{CLOSED}")]
    Closed,
    #[error(transparent)]
    Socket(io::Error),
    #[error("no answer within {} seconds", .0.as_secs_f64())]
    Late(Duration),
    #[error("{}", words(.0))]
    Client(#[from] Error),
    #[error(transparent)]
    Question(#[from] UnansweredQuestion),
}

const ABSENT: &str = "there is no such socket";
const CLOSED: &str = "permission denied; let this user use the socket (with Docker: join the group `docker`), or \
    start a rootless daemon";

/// Whether a socket is there and not closed off.
fn reachable(socket: &str) -> Result<(), NoAnswer> {
    match fs::metadata(socket) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(NoAnswer::Closed),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(NoAnswer::Absent),
        Err(error) => Err(NoAnswer::Socket(error)),
    }
}

/// The usual places, the system's first.
fn sockets(runtime: Option<&str>) -> Vec<String> {
    let mut sockets = vec![SYSTEM.to_owned()];
    for below in ["docker.sock", "podman/podman.sock"] {
        sockets.extend(runtime.map(|folder| format!("{folder}/{below}")));
    }
    sockets.push("/run/podman/podman.sock".to_owned());
    sockets
}

/// An error of the client in words: what the daemon said, or the innermost cause.
pub fn words(error: &Error) -> String {
    if let Error::DockerResponseServerError { message, .. } = error {
        return message.trim().to_owned();
    }
    if matches!(error, Error::RequestTimeoutError) {
        return "it did not answer in time".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    if let Error::HyperLegacyError { err } = error {
        cause = err;
    }
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    match cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(ErrorKind::PermissionDenied) => CLOSED.to_owned(),
        Some(ErrorKind::NotFound) => ABSENT.to_owned(),
        Some(ErrorKind::ConnectionRefused) => "nobody listens there".to_owned(),
        _ => cause.to_string(),
    }
}

/// Whether the daemon itself refused or failed, with this status.
pub fn status(error: &Error) -> Option<u16> {
    match error {
        Error::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixListener;

    use super::*;

    async fn why(address: &str) -> String {
        Daemon::at(address, false, Duration::from_millis(50))
            .await
            .unwrap_err()
            .to_string()
    }

    #[tokio::test]
    async fn what_keeps_a_daemon_from_answering_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| format!("unix://{}", folder.path().join(name).display());
        assert_eq!(why(&at("absent")).await, ABSENT);
        drop(UnixListener::bind(folder.path().join("dead")).unwrap());
        assert_eq!(why(&at("dead")).await, "nobody listens there");
        // Accepts and never answers.
        let _mute = UnixListener::bind(folder.path().join("mute")).unwrap();
        assert_eq!(why(&at("mute")).await, "no answer within 0.05 seconds");
        let closed = UnixListener::bind(folder.path().join("closed")).unwrap();
        std::fs::set_permissions(
            folder.path().join("closed"),
            std::fs::Permissions::from_mode(0o000),
        )
        .unwrap();
        if !nix::unistd::geteuid().is_root() {
            assert_eq!(why(&at("closed")).await, CLOSED);
        }
        drop(closed);
    }

    #[tokio::test]
    async fn addresses_that_cannot_work_are_refused_with_the_way_out() {
        for (address, words) in [
            ("ssh://me@elsewhere", "run reprise on that machine"),
            (
                "npipe:////./pipe/docker_engine",
                "write unix://PATH or tcp://HOST:PORT",
            ),
            ("/var/run/docker.sock", "write unix://PATH"),
        ] {
            assert!(why(address).await.contains(words), "{address}");
        }
        let tls = BTreeMap::from([
            ("DOCKER_HOST".to_owned(), "tcp://127.0.0.1:1".to_owned()),
            ("DOCKER_TLS_VERIFY".to_owned(), "1".to_owned()),
        ]);
        assert!(Daemon::connect(&tls).await.unwrap_err().0.contains("TLS"));
    }

    #[test]
    fn rootless_daemons_are_looked_for_below_the_users_own_folder() {
        assert_eq!(
            sockets(Some("/run/user/7")),
            [
                "/var/run/docker.sock",
                "/run/user/7/docker.sock",
                "/run/user/7/podman/podman.sock",
                "/run/podman/podman.sock"
            ]
        );
        assert_eq!(sockets(None).len(), 2);
    }
}
