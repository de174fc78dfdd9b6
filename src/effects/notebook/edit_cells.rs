//! Cells of our own that read and write the file of an edit, from where the kernel stands.
//!
//! The kernel's folder is known to it alone, so that the file is read and written there, inside the
//! sandbox; the edit itself is made here. Neither cell leaves a name or a result in the kernel.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::domain::excerpt;

/// A file that cannot be edited, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FileFault(String);

/// The largest file that is edited, in bytes.
pub const LARGEST: usize = 512 << 10;

const FILE: &str = "REPRISE-FILE ";
const FAULT: &str = "REPRISE-FAULT ";
const WRITTEN: &str = "REPRISE-WRITTEN";

const READ: &str = "\
import base64
try:
    with open(name, 'rb') as file:
        data = file.read(most + 1)
    print('\\nREPRISE-FILE', base64.b64encode(data).decode())
except OSError as error:
    print('\\nREPRISE-FAULT', error.strerror or error.__class__.__name__)
";

const WRITE: &str = "\
import base64
try:
    with open(name, 'wb') as file:
        file.write(base64.b64decode(data))
    print('\\nREPRISE-WRITTEN')
except OSError as error:
    print('\\nREPRISE-FAULT', error.strerror or error.__class__.__name__)
";

/// The cell that prints a file.
pub fn reading(name: &str) -> String {
    // Texts are written alike in JSON and in Python.
    format!(
        "exec({}, {{\"name\": {}, \"most\": {LARGEST}}})",
        json!(READ),
        json!(name)
    )
}

/// The cell that writes a file.
pub fn writing(name: &str, text: &str) -> String {
    format!(
        "exec({}, {{\"name\": {}, \"data\": {}}})",
        json!(WRITE),
        json!(name),
        json!(STANDARD.encode(text))
    )
}

/// The text of the file that a reading cell printed.
///
/// # Errors
/// A file that cannot be read, is too large or is no text.
pub fn read(name: &str, printed: &str) -> Result<String, FileFault> {
    let marked = |mark: &str| printed.lines().rev().find_map(|line| line.strip_prefix(mark));
    if let Some(why) = marked(FAULT) {
        return Err(FileFault(format!("`{name}` cannot be read: {}.", why.trim())));
    }
    let bytes = marked(FILE).and_then(|data| STANDARD.decode(data.trim()).ok());
    let bytes = bytes.ok_or_else(|| FileFault(format!("`{name}` was not read: {}", end(printed))))?;
    if bytes.len() > LARGEST {
        return Err(FileFault(format!(
            "`{name}` has more than {LARGEST} bytes: change it by a cell of Python."
        )));
    }
    String::from_utf8(bytes).map_err(|_| FileFault(format!("`{name}` is no text in UTF-8.")))
}

/// Whether a writing cell wrote its file.
///
/// # Errors
/// A file that cannot be written.
pub fn written(name: &str, printed: &str) -> Result<(), FileFault> {
    if printed.lines().any(|line| line == WRITTEN) {
        return Ok(());
    }
    let fault = printed.lines().rev().find_map(|line| line.strip_prefix(FAULT));
    Err(FileFault(match fault {
        Some(why) => format!("`{name}` cannot be written: {}.", why.trim()),
        None => format!("`{name}` was not written: {}", end(printed)),
    }))
}

/// The end of what a cell printed that did not say how it went.
fn end(printed: &str) -> String {
    excerpt::shortened(
        excerpt::last_line(printed).unwrap_or("the cell printed nothing"),
        300,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cell_printed_is_read() {
        let data = STANDARD.encode("x = 1\n");
        let printed = format!("late\n{FILE}{data}\n");
        assert_eq!(read("a.py", &printed), Ok("x = 1\n".to_owned()));
        let fault = read("a.py", "\nREPRISE-FAULT No such file or directory\n").unwrap_err();
        assert_eq!(
            fault.to_string(),
            "`a.py` cannot be read: No such file or directory."
        );
        assert!(
            read("a.py", "Error/Traceback: x")
                .unwrap_err()
                .to_string()
                .ends_with("Error/Traceback: x")
        );
        let large = format!("{FILE}{}", STANDARD.encode("x".repeat(LARGEST + 1)));
        assert!(
            read("a.py", &large)
                .unwrap_err()
                .to_string()
                .contains("more than")
        );
        let binary = format!("{FILE}{}", STANDARD.encode([0xff, 0xfe]));
        assert!(read("a.py", &binary).unwrap_err().to_string().contains("no text"));
        assert_eq!(written("a.py", "\nREPRISE-WRITTEN\n"), Ok(()));
        assert!(written("a.py", "\nREPRISE-FAULT Read-only file system\n").is_err());
    }

    #[test]
    fn names_and_texts_cannot_break_out_of_their_cell() {
        let cell = reading("a\"); import os #\n.py");
        assert!(cell.contains(r#""name": "a\"); import os #\n.py""#), "{cell}");
        assert_eq!(cell.lines().count(), 1);
        assert_eq!(writing("a", "'\"\n").lines().count(), 1);
    }
}
