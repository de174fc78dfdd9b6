//! A listener on the loopback of another network namespace.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::thread;

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns};

/// The port that the proxy to hosts has inside.
pub const PORT: u16 = 3128;

/// The error of a listener that cannot be opened inside a container's network.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("{path} cannot be opened: {error}")]
    Namespace { path: String, error: io::Error },
    #[error("the container's network cannot be entered: {0}")]
    Entering(Errno),
    #[error("port {port} inside the container cannot be used: {error}")]
    Port { port: u16, error: io::Error },
    #[error("the listener inside the container is not usable: {0}")]
    Listener(io::Error),
    #[error("the thread that enters the container's network broke")]
    Thread,
}

/// Listens inside the network namespace of a process. A socket stays in the
/// namespace it was made in, so the engine itself never has to live there.
///
/// # Errors
/// A network that cannot be entered, or a port in it that is taken.
pub fn listen(process: i64, port: u16) -> Result<TcpListener, ListenError> {
    let path = format!("/proc/{process}/ns/net");
    let namespace = File::open(&path).map_err(|error| ListenError::Namespace { path, error })?;
    // The namespace of a thread changes for good: this one ends with its work.
    let made = thread::spawn(move || {
        setns(namespace, CloneFlags::CLONE_NEWNET).map_err(ListenError::Entering)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(|error| ListenError::Port { port, error })?;
        listener.set_nonblocking(true).map_err(ListenError::Listener)?;
        Ok(listener)
    });
    made.join().map_err(|_| ListenError::Thread)?
}
