//! The one way out of a network namespace: a port on its loopback that leads to the engine's proxy.

use std::io::{self, Read as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;

use nix::libc;
use socket2::{Domain, Protocol, Socket, Type};

use super::fault::{Step as _, StepFailure};

/// The port inside that leads to the proxy of a build.
pub const PORT: u16 = 3128;

/// Opens the way, in the network namespace that this thread is in. What serves it keeps the
/// view of files that this thread has now, so that it finds the proxy's socket later.
///
/// # Errors
/// A loopback that cannot be switched on, or a port or thread that is not to be had.
pub fn open(socket: &Path, port: u16) -> Result<(), StepFailure> {
    loopback_up().step(|| "switch the loopback on".to_owned())?;
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).step(|| format!("listen on port {port}"))?;
    let socket = socket.to_owned();
    thread::Builder::new()
        .name("relay".to_owned())
        .spawn(move || serve(&listener, &socket))
        .step(|| "start the relay".to_owned())?;
    Ok(())
}

/// In a fresh namespace the loopback is its first interface, and off.
fn loopback_up() -> io::Result<()> {
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 0x5;
    const LOOPBACK: i32 = 1;
    const UP: u32 = 1;
    let (family, kind) = (Domain::from(libc::AF_NETLINK), Type::from(libc::SOCK_RAW));
    let mut route = Socket::new(family, kind, Some(Protocol::from(libc::NETLINK_ROUTE)))?;
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_AND_ACKNOWLEDGE.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    message.extend([0_u8; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    route.send(&message)?;
    let mut answer = [0_u8; 256];
    let read = route.read(&mut answer)?;
    match answer
        .get(16..20)
        .filter(|_| read >= 20)
        .and_then(|code| code.try_into().ok())
    {
        Some(code) => match i32::from_ne_bytes(code) {
            0 => Ok(()),
            errno => Err(io::Error::from_raw_os_error(-errno)),
        },
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn serve(listener: &TcpListener, socket: &Path) {
    for client in listener.incoming() {
        let Ok(client) = client else { continue };
        let socket: PathBuf = socket.to_owned();
        // Without a thread for it the connection closes, and is tried again.
        let _ = thread::Builder::new().spawn(move || {
            if let Ok(proxy) = UnixStream::connect(socket) {
                pass_both_ways(client, proxy);
            }
        });
    }
}

/// Either side may break off; nothing is to be told to anybody.
fn pass_both_ways(client: TcpStream, proxy: UnixStream) {
    let (Ok(mut from_client), Ok(mut to_proxy)) = (client.try_clone(), proxy.try_clone()) else {
        return;
    };
    let up = thread::Builder::new().spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_proxy);
        let _ = to_proxy.shutdown(Shutdown::Write);
    });
    let (mut from_proxy, mut to_client) = (proxy, client);
    let _ = io::copy(&mut from_proxy, &mut to_client);
    let _ = to_client.shutdown(Shutdown::Both);
    let _ = from_proxy.shutdown(Shutdown::Both);
    if let Ok(up) = up {
        let _ = up.join();
    }
}
