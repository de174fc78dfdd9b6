//! Cells of our own that find, read and write files for commands on files, from where the kernel stands.
//!
//! One program does what it is asked and prints its answer as one line of JSON; it leaves no name and no
//! result in the kernel. What it prints is the kernel's word and is only shown to the agent that acts there.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::domain::excerpt;

/// The largest file that is shown or edited, in bytes.
pub const LARGEST: usize = 512 << 10;
/// The most files that a search tells.
pub const MOST_FOUND: usize = 100;

const ANSWER: &str = "REPRISE-ANSWER ";

const PROGRAM: &str = r#"
import base64, fnmatch, json, os, warnings
asked = json.loads(asked)

def parses(path, data):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            compile(data, path, 'exec', dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return str(error)

def walked(folder):
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith('.'))
        for name in sorted(names):
            yield name, os.path.join(root, name)

def holds(path):
    if not os.path.isfile(path) or os.path.getsize(path) > 16 * asked['largest']:
        return 0
    with open(path, errors='replace') as file:
        return sum(asked['term'] in line for line in file)

def done():
    name = os.path.abspath(os.path.expanduser(asked.get('name') or '.'))
    if asked['do'] == 'read':
        if os.path.isdir(name):
            return {'fault': 'it is a folder'}
        with open(name, 'rb') as file:
            return {'path': name, 'data': base64.b64encode(file.read(asked['largest'] + 1)).decode()}
    if asked['do'] == 'create':
        with open(name, 'x'):
            return {'path': name, 'data': ''}
    if asked['do'] == 'write':
        data = base64.b64decode(asked['data'])
        if name.endswith('.py'):
            with open(name, 'rb') as file:
                before = parses(name, file.read())
            after = parses(name, data)
            if after and not before:
                return {'path': name, 'syntax': after}
        with open(name, 'wb') as file:
            file.write(data)
        return {'path': name}
    if not os.path.isdir(name):
        return {'fault': 'there is no such folder'}
    found = []
    for one, path in walked(name):
        if asked['do'] == 'find':
            count = int(fnmatch.fnmatch(one, asked['term']))
        else:
            count = 0 if one.startswith('.') else holds(path)
        if count and len(found) == asked['most']:
            return {'path': name, 'found': found, 'is_cut': True}
        if count:
            found.append([os.path.relpath(path, name), count])
    return {'path': name, 'found': found}

try:
    answer = done()
except OSError as error:
    answer = {'fault': error.strerror or error.__class__.__name__}
print('\nREPRISE-ANSWER', json.dumps(answer))
"#;

/// A wish of a command on files. Paths are as an agent wrote them, or as the kernel named them.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum FileWish<'a> {
    Read {
        name: &'a str,
    },
    /// A file that is not there yet.
    Create {
        name: &'a str,
    },
    /// In base64. A script of Python that could be parsed before and cannot any more is not written.
    Write {
        name: &'a str,
        data: &'a str,
    },
    /// The files below a folder that hold a term.
    Search {
        name: &'a str,
        term: &'a str,
    },
    /// The files below a folder whose names fit a pattern.
    Find {
        name: &'a str,
        term: &'a str,
    },
}

/// The answer to a wish.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FileAnswer {
    /// The file or the folder, from the root.
    pub path: String,
    /// In base64.
    pub data: Option<String>,
    /// The reason why nothing was written.
    pub syntax: Option<String>,
    pub fault: Option<String>,
    /// Files below the folder, with the number of lines that hold the term.
    pub found: Vec<(String, u64)>,
    /// Whether there are more of them.
    pub is_cut: bool,
}

/// The cell that does what is wished.
pub fn cell(wish: &FileWish<'_>) -> String {
    let mut asked = json!(wish);
    asked["largest"] = json!(LARGEST);
    asked["most"] = json!(MOST_FOUND);
    // Texts are written alike in JSON and in Python.
    format!(
        "exec({}, {{\"asked\": {}}})",
        json!(PROGRAM),
        json!(asked.to_string())
    )
}

/// The last words of a cell that printed no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(String);

/// The answer that a cell printed.
///
/// # Errors
/// What it printed instead.
pub fn answer(printed: &str) -> Result<FileAnswer, NoAnswer> {
    let line = printed.lines().rev().find_map(|line| line.strip_prefix(ANSWER));
    let answer = line.and_then(|line| serde_json::from_str(line).ok());
    answer.ok_or_else(|| {
        let last = excerpt::last_line(printed).unwrap_or("the cell printed nothing");
        NoAnswer(excerpt::shortened(last, 300))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;
    use crate::need::program;

    /// The answer of a wish, by Python itself in a folder.
    fn done(folder: &std::path::Path, wish: &FileWish<'_>) -> FileAnswer {
        let output = Command::new("python3")
            .args(["-c", &cell(wish)])
            .current_dir(folder)
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        answer(&printed).unwrap_or_else(|said| panic!("{said}: {output:?}"))
    }

    #[test]
    fn files_are_read_written_and_found() {
        let Some(()) = program("python3", "apt-get install python3") else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("src/.hidden")).unwrap();
        fs::write(root.join("src/a.py"), "x = 1\ny = 1\n").unwrap();
        fs::write(root.join("src/.hidden/b.py"), "x = 1\n").unwrap();
        let read = done(&root, &FileWish::Read { name: "src/a.py" });
        assert_eq!(read.path, root.join("src/a.py").display().to_string());
        assert_eq!(STANDARD.decode(read.data.unwrap()).unwrap(), b"x = 1\ny = 1\n");
        assert!(done(&root, &FileWish::Read { name: "src" }).fault.is_some());
        let missing = done(
            &root,
            &FileWish::Read {
                name: "it's \"gone\"\n.py",
            },
        );
        assert_eq!(missing.fault.as_deref(), Some("No such file or directory"));
        let write = |data: &str| {
            let data = STANDARD.encode(data);
            done(
                &root,
                &FileWish::Write {
                    name: "src/a.py",
                    data: &data,
                },
            )
        };
        assert!(write("x = (1\n").syntax.is_some());
        assert_eq!(
            fs::read_to_string(root.join("src/a.py")).unwrap(),
            "x = 1\ny = 1\n"
        );
        assert_eq!(write("x = 2\n").syntax, None);
        assert_eq!(fs::read_to_string(root.join("src/a.py")).unwrap(), "x = 2\n");
        // One that was broken before may stay so.
        fs::write(root.join("src/a.py"), "print 1\n").unwrap();
        assert_eq!(write("print 2\n").syntax, None);
        assert_eq!(done(&root, &FileWish::Create { name: "new.py" }).fault, None);
        assert!(done(&root, &FileWish::Create { name: "new.py" }).fault.is_some());
        let found = done(
            &root,
            &FileWish::Search {
                name: "",
                term: "print",
            },
        );
        assert_eq!(found.found, [("src/a.py".to_owned(), 1)]);
        let found = done(
            &root,
            &FileWish::Find {
                name: ".",
                term: "*.py",
            },
        );
        assert_eq!(
            found.found,
            [("new.py".to_owned(), 1), ("src/a.py".to_owned(), 1)]
        );
        assert!(
            done(
                &root,
                &FileWish::Find {
                    name: "no",
                    term: "*"
                }
            )
            .fault
            .is_some()
        );
    }

    #[test]
    fn a_cell_that_printed_no_answer_is_quoted() {
        assert_eq!(
            answer("Traceback\nKilled\n").unwrap_err(),
            NoAnswer("Killed".to_owned())
        );
        assert_eq!(
            cell(&FileWish::Read {
                name: "\"); import os\n"
            })
            .lines()
            .count(),
            1
        );
    }
}
