//! The way from a port inside a container to a socket on the host.

use std::path::PathBuf;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::task::JoinHandle;

/// A port that leads to a socket, as long as this is held.
#[derive(Debug)]
pub struct Gateway(JoinHandle<()>);

impl Drop for Gateway {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Gateway {
    /// Leads whoever connects to the listener to the socket.
    pub fn new(listener: TcpListener, socket: PathBuf) -> Self {
        Self(tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((client, _)) => drop(tokio::spawn(pass(client, socket.clone()))),
                    // Descriptors may be free again in a while.
                    Err(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
                }
            }
        }))
    }
}

/// Either side may break off; nothing is to be told to anybody.
async fn pass(mut client: TcpStream, socket: PathBuf) {
    if let Ok(mut host) = UnixStream::connect(socket).await {
        let _ = copy_bidirectional(&mut client, &mut host).await;
    }
}
