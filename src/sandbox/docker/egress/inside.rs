//! A listener on the loopback of another network namespace.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::thread;

use nix::sched::{CloneFlags, setns};

/// The port that the proxy has inside.
pub const PORT: u16 = 3128;

/// Listens inside the network namespace of a process. A socket stays in the
/// namespace it was made in, so the engine itself never has to live there.
pub fn listen(process: i64) -> Result<TcpListener, String> {
    let path = format!("/proc/{process}/ns/net");
    let namespace = File::open(&path).map_err(|error| format!("{path} cannot be opened: {error}"))?;
    // The namespace of a thread changes for good: this one ends with its work.
    let made = thread::spawn(move || {
        setns(namespace, CloneFlags::CLONE_NEWNET)
            .map_err(|error| format!("the container's network cannot be entered: {error}"))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT))
            .map_err(|error| format!("port {PORT} inside the container cannot be used: {error}"))?;
        listener
            .set_nonblocking(true)
            .map_err(|error| format!("the listener inside the container is not usable: {error}"))?;
        Ok(listener)
    });
    made.join()
        .map_err(|_| "the thread that enters the container's network broke".to_owned())?
}
