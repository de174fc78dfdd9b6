//! Reading in a process of its own, so that no file can harm the run.
//!
//! The crates that decode PDF and office files can panic, loop for ever, or
//! ask for more memory than there is. A thread can be abandoned but not ended,
//! and memory can only be bounded for a whole process; so the program starts
//! itself again, with a memory limit that the helper sets on itself, and ends
//! it at the deadline.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};

use crate::documents::document::Document;

use crate::documents::limits::{Limits, ReadError};
use crate::documents::pdf::marks::copy::mark;
use crate::documents::pdf::marks::request::{MarkRequest, MarkedCopy};
use crate::documents::pdf::withhold::withhold;
use crate::documents::picture::view::{PictureRequest, View, view};
use crate::documents::read::read;

/// The argument under which the program serves as a helper.
pub const VERB: &str = "__read";
/// Precedes the answer, so that nothing else on the stream is taken for it.
const MARK: &[u8; 16] = b"\x00reprise-answer\x00";
/// Address space beyond the limit, for the program itself and the reader's stack.
const HEADROOM: u64 = 256 << 20;
/// The stack of the reading thread; layouts and nested objects recurse.
const STACK: usize = 64 << 20;
/// Times that a reading may take by the clock what it may take of a processor.
const WAITED: u64 = 10;
/// Bytes of standard error that are looked at.
const COMPLAINT: u64 = 16 << 10;

/// The command that starts the helper.
#[derive(Debug, Clone)]
pub struct Helper {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

#[derive(Serialize, Deserialize)]
struct Request {
    name: String,
    limits: Limits,
    work: Work,
}

/// The work that the helper does on a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Work {
    Read,
    View(PictureRequest),
    Mark(MarkRequest),
    Withhold(Vec<u32>),
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Document(Document),
    View(View),
    Marked(MarkedCopy),
    Withheld(Vec<u8>),
}

impl Answer {
    fn name(&self) -> &'static str {
        match self {
            Self::Document(_) => "a document",
            Self::View(_) => "a picture",
            Self::Marked(_) => "a marked copy",
            Self::Withheld(_) => "a copy without some pages",
        }
    }

    /// The error of an answer to another question.
    fn unexpected(&self) -> ReadError {
        ReadError::Crashed(format!("the answer is {}", self.name()))
    }
}

impl Helper {
    /// The running program itself, called with [`VERB`].
    ///
    /// # Errors
    /// A program whose own file cannot be told.
    pub fn from_current_exe() -> std::io::Result<Self> {
        Ok(Self {
            program: std::env::current_exe()?,
            arguments: vec![VERB.into()],
        })
    }

    /// Reads a file in a helper process.
    ///
    /// # Errors
    /// A file that cannot be read, or a helper that crashed, took too long or too much memory.
    pub fn read(&self, name: &str, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
        match self.ask(name, bytes, limits, Work::Read)? {
            Answer::Document(document) => Ok(document),
            other => Err(other.unexpected()),
        }
    }

    /// A picture of a page of a PDF or of an image file, made in a helper process.
    ///
    /// # Errors
    /// A page or file that cannot be drawn, or a helper that crashed, took too long or too much memory.
    pub fn view(&self, bytes: &[u8], wanted: &PictureRequest, limits: &Limits) -> Result<View, ReadError> {
        match self.ask("", bytes, limits, Work::View(*wanted))? {
            Answer::View(view) => Ok(view),
            other => Err(other.unexpected()),
        }
    }

    /// A copy of a PDF with marks and notes, made in a helper process.
    ///
    /// # Errors
    /// A file that cannot be read or written again, or a helper that crashed, took too long or too much memory.
    pub fn mark(&self, bytes: &[u8], wanted: &MarkRequest, limits: &Limits) -> Result<MarkedCopy, ReadError> {
        match self.ask("", bytes, limits, Work::Mark(wanted.clone()))? {
            Answer::Marked(copy) => Ok(copy),
            other => Err(other.unexpected()),
        }
    }

    /// A copy of a PDF with some pages emptied, made in a helper process.
    ///
    /// # Errors
    /// A file that cannot be read or written again, or a helper that crashed, took too long or too much memory.
    pub fn withhold(&self, bytes: &[u8], pages: &[u32], limits: &Limits) -> Result<Vec<u8>, ReadError> {
        match self.ask("", bytes, limits, Work::Withhold(pages.to_vec()))? {
            Answer::Withheld(copy) => Ok(copy),
            other => Err(other.unexpected()),
        }
    }

    fn ask(&self, name: &str, bytes: &[u8], limits: &Limits, work: Work) -> Result<Answer, ReadError> {
        let failed = |error: std::io::Error| {
            ReadError::Crashed(format!("no helper process could be started: {error}"))
        };
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            // Nothing of the operator's is any business of a hostile file.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let request = Request {
            name: name.to_owned(),
            limits: *limits,
            work,
        };
        let answer = std::thread::scope(|scope| converse(scope, &mut child, &request, bytes));
        let status = child.wait().map_err(failed)?;
        match answer? {
            Conversation::Answer(answer) => postcard::from_bytes(&answer)
                .map_err(|error| ReadError::Crashed(format!("the answer is broken: {error}")))?,
            Conversation::Silence(complaint) => Err(post_mortem(status, &complaint, limits)),
        }
    }
}

enum Conversation {
    Answer(Vec<u8>),
    Silence(String),
}

fn converse<'scope, 'data: 'scope>(
    scope: &'scope std::thread::Scope<'scope, 'data>,
    child: &mut Child,
    request: &Request,
    bytes: &'data [u8],
) -> Result<Conversation, ReadError> {
    let limits = request.limits;
    let head = postcard::to_stdvec(request).map_err(|error| ReadError::Crashed(error.to_string()))?;
    let (tell, told) = mpsc::channel();
    let (mut input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    scope.spawn(move || {
        if let Some(input) = &mut input {
            // A helper that has died shows in its silence.
            let _ = input
                .write_all(&(head.len() as u64).to_le_bytes())
                .and_then(|()| input.write_all(&head))
                .and_then(|()| input.write_all(bytes));
        }
    });
    let complaint = scope.spawn(move || {
        let mut text = Vec::new();
        if let Some(mut errors) = errors {
            let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut text);
            let _ = std::io::copy(&mut errors, &mut std::io::sink());
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    scope.spawn(move || {
        let answer = output.and_then(|output| answer(output, limits.memory.saturating_mul(2)));
        let _ = tell.send(answer);
    });
    match told.recv_timeout(Duration::from_secs(limits.seconds.saturating_mul(WAITED))) {
        Ok(Some(answer)) => Ok(Conversation::Answer(answer)),
        Ok(None) | Err(mpsc::RecvTimeoutError::Disconnected) => {
            let _ = child.kill();
            Ok(Conversation::Silence(complaint.join().unwrap_or_default()))
        }
        Err(mpsc::RecvTimeoutError::Timeout) => {
            let _ = child.kill();
            Err(ReadError::TooSlow(limits.seconds))
        }
    }
}

/// The bytes behind the mark; `None` where the stream ends before them.
fn answer(mut output: impl Read, most: u64) -> Option<Vec<u8>> {
    let mut window = [0; MARK.len()];
    output.read_exact(&mut window).ok()?;
    while window != *MARK {
        window.rotate_left(1);
        let mut byte = [0];
        output.read_exact(&mut byte).ok()?;
        window[MARK.len() - 1] = byte[0];
    }
    let mut length = [0; 8];
    output.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let mut answer = Vec::new();
    output.take(length.min(most)).read_to_end(&mut answer).ok()?;
    (answer.len() as u64 == length).then_some(answer)
}

/// What a helper died of.
fn post_mortem(status: ExitStatus, complaint: &str, limits: &Limits) -> ReadError {
    use std::os::unix::process::ExitStatusExt;
    if complaint.contains("memory allocation of") || complaint.contains("capacity overflow") {
        return ReadError::TooBig(limits.memory >> 20);
    }
    if complaint.contains("overflowed its stack") {
        return ReadError::Crashed("its parts are nested too deep".to_owned());
    }
    if status.signal() == Some(nix::sys::signal::Signal::SIGXCPU as i32) {
        return ReadError::TooSlow(limits.seconds);
    }
    let last = complaint.lines().last().unwrap_or("it said nothing");
    ReadError::Crashed(format!("the helper ended with {status}: {last}"))
}

/// Serves one request as the helper process: limits itself, reads, answers.
/// Returns the exit code.
pub fn serve(mut input: impl Read, mut output: impl Write) -> u8 {
    let mut length = [0; 8];
    let mut head = Vec::new();
    let mut bytes = Vec::new();
    let received = input
        .read_exact(&mut length)
        .and_then(|()| {
            input
                .by_ref()
                .take(u64::from_le_bytes(length))
                .read_to_end(&mut head)
        })
        .and_then(|_| input.read_to_end(&mut bytes));
    let Ok(request) = postcard::from_bytes::<Request>(&head) else {
        return 2;
    };
    if received.is_err() {
        return 2;
    }
    let limits = request.limits;
    let space = limits
        .memory
        .saturating_add(HEADROOM)
        .saturating_add(2 * bytes.len() as u64);
    // Where a limit cannot be set, the deadline of the caller still holds.
    let _ = setrlimit(Resource::RLIMIT_AS, space, space);
    let _ = setrlimit(Resource::RLIMIT_CPU, limits.seconds + 1, limits.seconds + 2);
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let answer = in_thread(request, bytes);
    let Ok(encoded) = postcard::to_stdvec(&answer) else {
        return 3;
    };
    let sent = output
        .write_all(MARK)
        .and_then(|()| output.write_all(&(encoded.len() as u64).to_le_bytes()))
        .and_then(|()| output.write_all(&encoded))
        .and_then(|()| output.flush());
    u8::from(sent.is_err())
}

fn in_thread(request: Request, bytes: Vec<u8>) -> Result<Answer, ReadError> {
    let reading = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let attempt = catch_unwind(AssertUnwindSafe(|| match request.work {
            Work::Read => read(&request.name, &bytes, &request.limits).map(Answer::Document),
            Work::View(wanted) => view(bytes, &wanted).map(Answer::View),
            Work::Mark(wanted) => mark(&bytes, &wanted).map(Answer::Marked),
            Work::Withhold(pages) => withhold(&bytes, &pages).map(Answer::Withheld),
        }));
        attempt.unwrap_or_else(|panic| Err(ReadError::Crashed(reason(panic.as_ref()))))
    });
    match reading.map(std::thread::JoinHandle::join) {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(ReadError::Crashed("the reading thread broke off".to_owned())),
        Err(error) => Err(ReadError::Crashed(format!("no thread could be started: {error}"))),
    }
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it panicked".to_owned())
}
