//! The way from a port inside a container to a socket on the host.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::io::{AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Most connections at once, each of which is two open files of this process. More wait with the system.
const MOST_CONNECTIONS: usize = 256;

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
            let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
            while let Ok(place) = places.clone().acquire_owned().await {
                match listener.accept().await {
                    Ok((client, _)) => {
                        let passing = pass(client, socket.clone());
                        tokio::spawn(async move {
                            passing.await;
                            drop(place);
                        });
                    }
                    // Descriptors may be free again in a while.
                    Err(_) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
                }
            }
        }))
    }
}

/// Either side may break off, which is not reported. Once the host's side has ended, a client that keeps
/// its side open keeps no place.
async fn pass(mut client: TcpStream, socket: PathBuf) {
    let Ok(mut host) = UnixStream::connect(socket).await else {
        return;
    };
    let ((mut from_client, mut to_client), (mut from_host, mut to_host)) = (client.split(), host.split());
    let asked = async {
        let _ = copy(&mut from_client, &mut to_host).await;
        let _ = to_host.shutdown().await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        _ = copy(&mut from_host, &mut to_client) => {}
        () = asked => {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::UnixListener;

    use super::*;

    #[tokio::test]
    async fn one_container_has_so_many_connections_and_gives_each_back_when_the_host_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let host = UnixListener::bind(&socket).unwrap();
        let inside = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = inside.local_addr().unwrap();
        let _gateway = Gateway::new(inside, socket);
        let mut clients = Vec::new();
        let mut hosts = Vec::new();
        for _ in 0..MOST_CONNECTIONS {
            clients.push(TcpStream::connect(address).await.unwrap());
            hosts.push(host.accept().await.unwrap().0);
        }
        let mut further = TcpStream::connect(address).await.unwrap();
        further.write_all(b"x").await.unwrap();
        // Rounds of this thread's runtime, in which one connection more would have been passed on.
        for _ in 0..5_000 {
            let further = futures::FutureExt::now_or_never(host.accept());
            assert!(further.is_none(), "a connection beyond the bound was passed on");
            tokio::task::yield_now().await;
        }
        // The client keeps its side open.
        drop(hosts.pop());
        let (mut passed, _) = host.accept().await.unwrap();
        let mut said = [0];
        passed.read_exact(&mut said).await.unwrap();
        assert_eq!(&said, b"x");
    }
}
