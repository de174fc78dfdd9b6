//! The report as a Word document, made of its Markdown by pandoc.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::domain::excerpt;

/// The program, as it is found on `PATH`.
pub const PANDOC: &str = "pandoc";
/// The longest that it may take.
pub const LIMIT: Duration = Duration::from_secs(60);
/// The bytes with which every Word document begins, those of a zip archive.
const HEAD: &[u8] = b"PK\x03\x04";

/// A Word document that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum WordError {
    #[error(
        "a Word document is made by pandoc, which is not installed here: `apt-get install pandoc`, or write the report \
         with `--format md`"
    )]
    NoPandoc,
    #[error("pandoc could not be started: {0}")]
    Unstartable(std::io::Error),
    #[error("pandoc took longer than {} s and was stopped; `--format md` writes what it was given", .0.as_secs())]
    TooSlow(Duration),
    #[error("pandoc made no Word document: {0}")]
    Failed(String),
}

/// A Word document of a report in Markdown. Nothing in such a report is fetched, since all its
/// text is escaped, so that no network is needed.
///
/// # Errors
/// A program that is not there, fails, takes longer than `limit`, or writes something else.
pub fn from_markdown(markdown: &str, program: &OsStr, limit: Duration) -> Result<Vec<u8>, WordError> {
    let mut child = Command::new(program)
        .args(["--from", "gfm", "--to", "docx", "--output", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => WordError::NoPandoc,
            _ => WordError::Unstartable(error),
        })?;
    if let Some(mut input) = child.stdin.take() {
        let text = markdown.as_bytes().to_vec();
        // A program that does not read shows in what it writes.
        thread::spawn(move || input.write_all(&text));
    }
    let document = whole(child.stdout.take());
    let complaint = whole(child.stderr.take());
    let Ok(bytes) = document.recv_timeout(limit) else {
        let _it_may_have_ended = child.kill();
        let _it_is_gone = child.wait();
        return Err(WordError::TooSlow(limit));
    };
    let status = child.wait().map_err(WordError::Unstartable)?;
    if status.success() && bytes.starts_with(HEAD) {
        return Ok(bytes);
    }
    let said = complaint.recv_timeout(limit).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    Err(WordError::Failed(match excerpt::last_line(&said) {
        Some(line) => line.trim().to_owned(),
        None if status.success() => "it wrote something else".to_owned(),
        None => status.to_string(),
    }))
}

/// All that a stream gives. A process that the program left behind may hold the stream open, so
/// nobody waits for the thread.
fn whole(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _what_came_is_looked_at = stream.read_to_end(&mut bytes);
        }
        let _nobody_waits_any_more = tell.send(bytes);
    });
    told
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use super::*;

    fn script(folder: &tempfile::TempDir, text: &str) -> PathBuf {
        let path = folder.path().join("pandoc");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn made(text: &str, limit: Duration) -> Result<Vec<u8>, WordError> {
        let folder = tempfile::tempdir().unwrap();
        from_markdown("# Report\n", script(&folder, text).as_os_str(), limit)
    }

    #[test]
    fn a_document_is_taken_and_anything_else_is_not() {
        let text = r#"[ "$*" = "--from gfm --to docx --output -" ] && printf 'PK\003\004' && cat"#;
        assert_eq!(made(text, LIMIT).unwrap(), b"PK\x03\x04# Report\n");
        let failed = |text: &str| made(text, LIMIT).unwrap_err().to_string();
        assert_eq!(
            failed("cat >/dev/null; echo something"),
            "pandoc made no Word document: it wrote something else"
        );
        assert_eq!(
            failed("cat >/dev/null; echo 'no template' >&2; exit 97"),
            "pandoc made no Word document: no template"
        );
    }

    #[test]
    fn one_that_does_not_end_is_stopped() {
        let error = made("sleep 600", Duration::from_millis(300)).unwrap_err();
        assert!(matches!(error, WordError::TooSlow(_)), "{error}");
    }
}
