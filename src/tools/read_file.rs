//! `read_file`: a file as text, page by page.

use std::fmt::Display;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Tool, ToolOutcome};
use super::personal_data::{self, PersonalData};
use super::text_file::{self, NotText};
use super::workspace::Workspace;
use crate::documents::limits::ReadError;
use crate::domain::excerpt;
use crate::domain::format;
use crate::model::chat::ToolSpec;

/// Most bytes that are read of one file.
const LARGEST: u64 = 32 << 20;
/// Most characters of one page, and of one line on it.
const PAGE: usize = 40_000;
const LINE: usize = 4_000;

/// A document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// What the document is, such as `PDF document, 12 pages`; empty for plain text.
    pub kind: String,
}

/// The error of a file that is not rendered, in words for the model.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A file of data, by the name of its kind.
    #[error("it is {0}; `inspect_data` shows it")]
    Data(&'static str),
    #[error("it is {0}, which cannot be shown as text")]
    NotText(#[from] NotText),
    #[error(transparent)]
    Document(#[from] ReadError),
}

/// Something that renders the content of files. It goes by the bytes; the name
/// only decides where those leave a choice.
pub trait DocumentReader: Send + Sync {
    /// Renders a whole file.
    ///
    /// # Errors
    /// What the file is instead, or why it cannot be read.
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Rendered, RenderError>;
}

/// Reads text in whatever encoding it has, and names anything else.
pub struct PlainText;

impl DocumentReader for PlainText {
    fn read(&self, _: &str, bytes: &[u8]) -> Result<Rendered, RenderError> {
        let file = text_file::decode(bytes)?;
        Ok(Rendered {
            text: file.text,
            kind: match file.encoding.name() {
                "UTF-8" => String::new(),
                encoding => format!("text in {encoding}"),
            },
        })
    }
}

/// Reads a file.
pub struct ReadFile {
    reader: Arc<dyn DocumentReader>,
    personal: PersonalData,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace.
    path: String,
    /// The first line to show, counted from 1.
    #[serde(default = "first")]
    #[schemars(range(min = 1))]
    start_line: usize,
    /// Most lines to show, from 1 to 2000.
    #[serde(default = "four_hundred")]
    #[schemars(range(min = 1, max = 2000))]
    lines: usize,
}

fn first() -> usize {
    1
}

fn four_hundred() -> usize {
    400
}

impl ReadFile {
    /// The tool over a reader of documents, with what masks personal data.
    pub fn new(reader: Arc<dyn DocumentReader>, personal: PersonalData) -> Self {
        Self { reader, personal }
    }

    fn read(&self, given: &Value, workspace: &Workspace) -> Result<String, Observation> {
        let asked: Arguments = arguments::read(self.name(), given)?;
        let path = arguments::path(&asked.path)?;
        let content = workspace
            .read(&path, LARGEST)
            .map_err(|problem| Observation::bad(problem.to_string()))?;
        if content.bytes.is_empty() {
            return Ok(format!("`{path}` is empty."));
        }
        if let Some(real) = text_file::lfs_size(&content.bytes) {
            return Err(Observation::bad(format!(
                "`{path}` is a Git LFS pointer: the file of {} was not fetched, so its content is not here.",
                format::size(real)
            )));
        }
        let unreadable = |problem: &dyn Display| {
            Observation::bad(format!(
                "`{path}` ({}) cannot be read: {problem}.",
                format::size(content.size)
            ))
        };
        let masked = self
            .personal
            .masked(&path, &content)
            .map_err(|problem| unreadable(&problem))?;
        // A part of a document is none; a part of a text is still text.
        let rendered = if let Some(masked) = masked {
            Ok(Rendered {
                text: masked.text,
                kind: personal_data::clause(&masked.columns),
            })
        } else if content.is_whole() {
            self.reader.read(path.file_name(), &content.bytes)
        } else {
            PlainText.read(path.file_name(), &content.bytes)
        }
        .map_err(|problem| unreadable(&problem))?;
        let mut about = format::size(content.size);
        if !rendered.kind.is_empty() {
            about = format!("{}, {about}", rendered.kind);
        }
        if !content.is_whole() {
            about.push_str(&format!("; only the first {} are read", format::size(LARGEST)));
        }
        page(&format!("{path}"), &rendered.text, &asked, &about)
    }
}

fn page(path: &str, text: &str, asked: &Arguments, about: &str) -> Result<String, Observation> {
    let total = text.lines().count();
    if total == 0 {
        return Ok(format!("`{path}` ({about}) holds no text."));
    }
    if asked.start_line > total {
        return Err(Observation::bad(format!(
            "`{path}` has {} lines ({about}), and `start_line` is {}.",
            format::count(total),
            asked.start_line
        )));
    }
    let mut body = String::new();
    let (mut shown, mut characters, mut cut_lines) = (0, 0, 0);
    for line in text.lines().skip(asked.start_line - 1).take(asked.lines) {
        let length = line.chars().count();
        if shown > 0 && characters + length.min(LINE) > PAGE {
            break;
        }
        if length > LINE {
            body.push_str(excerpt::start(line, LINE));
            body.push_str(&format!(
                "[... {} further characters of this line]",
                format::count(length - LINE)
            ));
            cut_lines += 1;
        } else {
            body.push_str(line);
        }
        body.push('\n');
        shown += 1;
        characters += length.min(LINE);
    }
    let last = asked.start_line + shown - 1;
    let mut head = format!(
        "`{path}`: lines {}-{} of {} ({about})",
        format::count(asked.start_line),
        format::count(last),
        format::count(total)
    );
    if last < total {
        head.push_str(&format!("; ask for start_line={}", last + 1));
    }
    if cut_lines > 0 {
        head.push_str(&format!(
            "; {cut_lines} long lines are cut, `search_files` finds text in them"
        ));
    }
    Ok(format!("{head}\n\n{body}"))
}

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Reads a file as text, page by page: code, text, JSON, logs, and documents such as PDF. Use \
             `inspect_data` for data sets.",
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> ToolOutcome {
        ToolOutcome::Observed(match self.read(given, workspace) {
            Ok(text) => Observation::good(text),
            Err(problem) => problem,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::{Fixture, InProcess};
    use super::*;
    use crate::documents::table::personal::Privacy;

    fn allowing(columns: &[&str]) -> ReadFile {
        let privacy = Privacy::allowing(columns.iter().map(|name| (*name).to_owned()));
        ReadFile::new(
            Arc::new(PlainText),
            PersonalData::new(Arc::new(InProcess), privacy),
        )
    }

    fn tool() -> ReadFile {
        allowing(&[])
    }

    #[test]
    fn personal_values_of_the_data_are_masked() {
        let table = b"Name,x\nJane Doe,1\nJoe Roe,2\n";
        let lists = b"[[\"email\", \"x\"], [\"a@b.org\", 1], [\"c@d.org\", 2]]";
        let fixture = Fixture::new(&[
            ("data/d.csv", table),
            ("data/d.json", lists),
            ("work/made.csv", table),
        ]);
        let asked = json!({"path": "data/d.csv"});
        assert_eq!(
            fixture.good(&tool(), asked.clone()),
            "`data/d.csv`: lines 1-3 of 3 (values of `Name` are likely personal and not shown, 28 bytes)\n\n\
             Name,x\n(not shown),1\n(not shown),2\n"
        );
        assert!(fixture.good(&allowing(&["Name"]), asked).contains("Jane Doe,1"));
        let refused = fixture.bad(&tool(), json!({"path": "data/d.json"}));
        assert!(
            refused.contains("`email`") && !refused.contains("a@b.org"),
            "{refused}"
        );
        // What a script wrote names no columns of the study.
        assert!(
            fixture
                .good(&tool(), json!({"path": "work/made.csv"}))
                .contains("Jane Doe,1")
        );
    }

    #[test]
    fn pages_follow_one_another() {
        let text: String = (1..=2310).map(|line| format!("row {line}\n")).collect();
        let fixture = Fixture::new(&[
            ("work/a.txt", text.as_bytes()),
            ("work/latin.do", b"* Gr\xf6\xdfe\r\nreg y"),
        ]);
        let page = fixture.good(&tool(), json!({"path": "work/a.txt"}));
        assert!(
            page.starts_with("`work/a.txt`: lines 1-400 of 2,310 (20 kB); ask for start_line=401\n\nrow 1\n"),
            "{}",
            &page[..90]
        );
        assert!(page.ends_with("row 400\n"));
        let last = fixture.good(&tool(), json!({"path": "work/a.txt", "start_line": 2310}));
        assert_eq!(
            last,
            "`work/a.txt`: lines 2,310-2,310 of 2,310 (20 kB)\n\nrow 2310\n"
        );
        assert!(
            fixture
                .bad(&tool(), json!({"path": "work/a.txt", "start_line": 9999}))
                .contains("2,310 lines")
        );
        assert!(
            fixture
                .good(&tool(), json!({"path": "work/latin.do"}))
                .contains("* Größe\nreg y")
        );
    }

    #[test]
    fn what_cannot_be_shown_is_named() {
        let fixture = Fixture::new(&[
            ("work/data.rds", b"\x1f\x8b123"),
            ("work/nul.txt", b"a\0b"),
            (
                "work/lfs.csv",
                b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2000000\n",
            ),
            ("work/empty", b""),
        ]);
        assert!(
            fixture
                .bad(&tool(), json!({"path": "work/data.rds"}))
                .contains("gzip")
        );
        assert!(
            fixture
                .bad(&tool(), json!({"path": "work/nul.txt"}))
                .contains("NUL")
        );
        assert!(
            fixture
                .bad(&tool(), json!({"path": "work/lfs.csv"}))
                .contains("2.0 MB")
        );
        assert!(
            fixture
                .good(&tool(), json!({"path": "work/empty"}))
                .contains("is empty")
        );
        assert!(
            fixture
                .bad(&tool(), json!({"path": "work"}))
                .contains("is a folder")
        );
    }

    #[test]
    fn nothing_leads_out_of_the_workspace() {
        let fixture = Fixture::new(&[("work/inside.txt", b"fine")]).with_traps();
        for trap in Fixture::TRAPS {
            fixture.bad(&tool(), json!({"path": trap}));
        }
        // A link that stays inside is followed, and a swap of its target is not.
        let link = fixture.root().join("work/link");
        std::os::unix::fs::symlink("inside.txt", &link).unwrap();
        assert!(
            fixture
                .good(&tool(), json!({"path": "work/link"}))
                .contains("fine")
        );
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("../../secret.txt", &link).unwrap();
        assert!(
            fixture
                .bad(&tool(), json!({"path": "work/link"}))
                .contains("leads out")
        );
        // A folder swapped for a link after the workspace was opened.
        std::fs::rename(fixture.root().join("work"), fixture.root().join("old")).unwrap();
        std::os::unix::fs::symlink(fixture.parent.path(), fixture.root().join("work")).unwrap();
        fixture.bad(&tool(), json!({"path": "work/secret.txt"}));
    }

    #[test]
    fn a_huge_file_and_a_huge_line_are_bounded() {
        let fixture = Fixture::new(&[("work/line.json", "x".repeat(1 << 20).as_bytes())]);
        let line = fixture.good(&tool(), json!({"path": "work/line.json"}));
        assert!(line.len() < 5_000 && line.contains("1,044,576 further characters"));
        let huge = std::fs::File::create(fixture.root().join("work/huge.txt")).unwrap();
        std::io::Write::write_all(&mut &huge, "text\n".repeat(8 << 20).as_bytes()).unwrap();
        huge.set_len(100 << 20).unwrap();
        let page = fixture.good(&tool(), json!({"path": "work/huge.txt"}));
        assert!(
            page.len() < 3_000 && page.contains("(104.9 MB; only the first 33.6 MB are read)"),
            "{}",
            &page[..99]
        );
    }
}
