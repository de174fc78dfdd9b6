//! Taking in what a command prints, without ever holding it up.

use std::fs::File;
use std::io::{Read, Write as _};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::sync::mpsc::Sender;

/// Longest line passed on to people; the rest of it is dropped.
const LINE: usize = 4096;

/// The destination of an output stream.
pub enum Sink {
    /// The first bytes to a file, up to a cap.
    File { file: File, cap: u64 },
    /// Line by line to a channel.
    Lines(Sender<String>),
}

/// The output of one command in all of its streams, shared with its supervisor.
#[derive(Debug, Default)]
pub struct Flow {
    /// Bytes seen so far, in all streams: tells whether there is progress.
    pub seen: AtomicU64,
    /// Set when whoever still holds a stream open is no longer waited for.
    pub over: AtomicBool,
}

/// Starts a thread that empties `stream`; it returns the bytes that came.
pub fn pump<R>(stream: R, sink: Sink, flow: Arc<Flow>) -> std::io::Result<JoinHandle<std::io::Result<u64>>>
where
    R: Read + AsFd + Send + 'static,
{
    std::thread::Builder::new()
        .name("sandbox-output".to_owned())
        .spawn(move || drain(stream, sink, &flow))
}

fn drain<R: Read + AsFd>(mut stream: R, mut sink: Sink, flow: &Flow) -> std::io::Result<u64> {
    let mut buffer = vec![0_u8; 1 << 16];
    let mut total = 0_u64;
    let mut line = Vec::new();
    let mut failure = None;
    loop {
        let mut waiting = [PollFd::new(stream.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waiting, PollTimeout::from(100_u16)) {
            Ok(0) if flow.over.load(Ordering::Relaxed) => break,
            Ok(0) | Err(Errno::EINTR) => continue,
            Ok(_) => {}
            Err(errno) => return Err(errno.into()),
        }
        let read = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        flow.seen.fetch_add(read as u64, Ordering::Relaxed);
        match &mut sink {
            Sink::File { file, cap } => {
                let room = usize::try_from(cap.saturating_sub(total)).unwrap_or(usize::MAX);
                // A full disk must not block the command: the stream is emptied all the same.
                if let (None, Err(error)) = (&failure, file.write_all(&buffer[..read.min(room)])) {
                    failure = Some(error);
                }
            }
            Sink::Lines(sender) => split(&buffer[..read], &mut line, sender),
        }
        total += read as u64;
    }
    if let Sink::Lines(sender) = &sink
        && !line.is_empty()
    {
        let _ = sender.blocking_send(String::from_utf8_lossy(&line).into_owned());
    }
    failure.map_or(Ok(total), Err)
}

fn split(bytes: &[u8], line: &mut Vec<u8>, sender: &Sender<String>) {
    for byte in bytes {
        match byte {
            b'\n' => {
                let text = String::from_utf8_lossy(line).trim_end().to_owned();
                line.clear();
                // A receiver that is gone no longer wants lines.
                let _ = sender.blocking_send(text);
            }
            byte if line.len() < LINE => line.push(*byte),
            _ => {}
        }
    }
}
