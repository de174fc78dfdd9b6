//! `edit_file`: a change of one place in a text file.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Tool, ToolOutcome};
use super::cut::{self, Keep};
use super::diff;
use super::locate::{self, NoSinglePlace, TextMatch};
use super::text_file::{self, TextFile};
use super::workspace::Workspace;
use super::write_file::{LARGEST, SHOWN, Writable, change};
use crate::domain::digest::Digest;
use crate::domain::format;
use crate::domain::workspace_path::WorkspacePath;
use crate::model::chat::ToolSpec;

/// Edits a file.
pub struct EditFile {
    writable: Writable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum Operation {
    Replace,
    InsertAfter,
    ReplaceBetween,
    Append,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, such as `work/analysis.py`.
    path: String,
    /// `replace` puts `new_text` in the place of `old_text`; `insert_after` puts it on the lines below
    /// `anchor`; `replace_between` puts it between `start_marker` and `end_marker`, which stay; `append`
    /// puts it at the end of the file.
    operation: Operation,
    /// The text that is put in.
    new_text: String,
    /// For `replace`: the text to be replaced, exactly as in the file, and there only once.
    #[serde(default)]
    old_text: Option<String>,
    /// For `insert_after`: text that is in the file exactly once.
    #[serde(default)]
    anchor: Option<String>,
    /// For `replace_between`: text before the place, in the file exactly once.
    #[serde(default)]
    start_marker: Option<String>,
    /// For `replace_between`: the first text of this kind behind `start_marker` ends the place.
    #[serde(default)]
    end_marker: Option<String>,
}

/// The text after an edit.
struct EditedText {
    text: String,
    /// True where space at the ends of lines was ignored to find the place.
    spaces_ignored: bool,
}

/// The error of an edit that cannot be made.
#[derive(Debug, thiserror::Error)]
enum EditError {
    #[error("`{operation}` needs the argument `{argument}`")]
    NoArgument {
        operation: Operation,
        argument: &'static str,
    },
    #[error(transparent)]
    Place(#[from] NoSinglePlace),
    #[error("`end_marker` does not follow `start_marker`")]
    EndMarker,
}

impl EditFile {
    /// The tool with the places that may be written.
    pub fn new(writable: Writable) -> Self {
        Self { writable }
    }

    fn edit(&self, given: &Value, workspace: &Workspace) -> Result<ToolOutcome, Observation> {
        let asked: Arguments = arguments::read(self.name(), given)?;
        let path = arguments::path(&asked.path)?;
        let refuse = |why: String| Observation::bad(format!("`{path}` was not changed: {why}."));
        let content = workspace
            .read(&path, LARGEST as u64)
            .map_err(|problem| Observation::bad(problem.to_string()))?;
        self.writable.check(&path, workspace, Some(&content))?;
        if !content.is_whole() {
            return Err(refuse(format!(
                "it has {}, and files up to {} can be edited",
                format::size(content.size),
                format::size(LARGEST as u64)
            )));
        }
        let file = text_file::decode(&content.bytes).map_err(|kind| refuse(format!("it is {kind}")))?;
        let crlf = all_crlf(&file.text);
        let before = if crlf {
            file.text.replace("\r\n", "\n")
        } else {
            file.text.clone()
        };
        let edited = edited(&before, &asked, crlf).map_err(|why| refuse(why.to_string()))?;
        let EditedText {
            text: after,
            spaces_ignored,
        } = edited;
        if after == before {
            return Err(refuse("the edit leaves every character as it is".to_owned()));
        }
        if after.len() > LARGEST {
            return Err(refuse(format!(
                "it would have {}",
                format::size(after.len() as u64)
            )));
        }
        let bytes = written(&after, crlf, &file).ok_or_else(|| {
            refuse(format!(
                "its encoding ({}) cannot hold the text",
                file.encoding.name()
            ))
        })?;
        let diff = diff::unified(path.as_str(), &before, &after);
        let seen = observation(&path, &diff, spaces_ignored);
        Ok(change(
            path,
            Some(Digest::compute(&content.bytes)),
            bytes,
            diff,
            seen,
        ))
    }
}

fn observation(path: &WorkspacePath, diff: &str, spaces_ignored: bool) -> String {
    let ignored = if spaces_ignored {
        " Space at the ends of lines was ignored to find the place."
    } else {
        ""
    };
    let shown = cut::cut(diff, SHOWN, Keep::BothEnds, "`read_file` shows the whole file");
    format!("`{path}` is changed.{ignored}\n{shown}")
}

/// Whether there are line breaks, and every one is CR LF.
fn all_crlf(text: &str) -> bool {
    let breaks = text.matches('\n').count();
    breaks > 0 && text.matches("\r\n").count() == breaks
}

fn written(text: &str, crlf: bool, like: &TextFile) -> Option<Vec<u8>> {
    if crlf {
        text_file::encode(&text.replace('\n', "\r\n"), like)
    } else {
        text_file::encode(text, like)
    }
}

fn edited(text: &str, asked: &Arguments, crlf: bool) -> Result<EditedText, EditError> {
    let plain = |value: &str| {
        if crlf {
            value.replace("\r\n", "\n")
        } else {
            value.to_owned()
        }
    };
    let needed = |value: &Option<String>, argument| {
        value.as_deref().map(plain).ok_or(EditError::NoArgument {
            operation: asked.operation,
            argument,
        })
    };
    let new = plain(&asked.new_text);
    match asked.operation {
        Operation::Replace => {
            let place = locate::locate(text, &needed(&asked.old_text, "old_text")?, "old_text")?;
            Ok(put(text, place, &new))
        }
        Operation::InsertAfter => {
            let place = locate::locate(text, &needed(&asked.anchor, "anchor")?, "anchor")?;
            let end = place.range.end;
            let at = match text[..end].ends_with('\n') {
                true => end,
                false => text[end..]
                    .find('\n')
                    .map_or(text.len(), |offset| end + offset + 1),
            };
            Ok(EditedText {
                text: inserted(text, at, &new),
                spaces_ignored: place.spaces_ignored,
            })
        }
        Operation::ReplaceBetween => {
            let start = needed(&asked.start_marker, "start_marker")?;
            let end = needed(&asked.end_marker, "end_marker")?;
            let place = locate::locate(text, &start, "start_marker")?;
            let from = place.range.end;
            let length = match text[from..].find(&end) {
                Some(length) if !end.is_empty() => length,
                _ => return Err(EditError::EndMarker),
            };
            let place = TextMatch {
                range: from..from + length,
                ..place
            };
            Ok(put(text, place, &new))
        }
        Operation::Append => Ok(EditedText {
            text: inserted(text, text.len(), &new),
            spaces_ignored: false,
        }),
    }
}

fn put(text: &str, place: TextMatch, new: &str) -> EditedText {
    let (head, tail) = (&text[..place.range.start], &text[place.range.end..]);
    EditedText {
        text: format!("{head}{new}{tail}"),
        spaces_ignored: place.spaces_ignored,
    }
}

/// Puts whole lines at `at`, the beginning of a line or the end of the text.
fn inserted(text: &str, at: usize, new: &str) -> String {
    let (head, tail) = text.split_at(at);
    let open = if head.is_empty() || head.ends_with('\n') || new.is_empty() {
        ""
    } else {
        "\n"
    };
    let close = if new.is_empty() || new.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{head}{open}{new}{close}{tail}")
}

impl Tool for EditFile {
    fn name(&self) -> &'static str {
        "edit_file"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            &format!(
                "Changes one place of a text file and shows the difference. It may change files in {}.",
                self.writable.places()
            ),
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> ToolOutcome {
        self.edit(given, workspace).unwrap_or_else(ToolOutcome::Observed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::Fixture;
    use super::*;

    const SCRIPT: &str = "import a\nx = 1  \ny = 2\nx = 3\n# end\n";

    fn tool() -> EditFile {
        EditFile::new(Writable::default())
    }

    fn after(content: &[u8], mut arguments: Value) -> (Vec<u8>, String) {
        let fixture = Fixture::new(&[("work/a.py", content)]);
        arguments["path"] = json!("work/a.py");
        let (change, seen) = fixture.change(&tool(), arguments);
        assert_eq!(change.before, Some(Digest::compute(content)));
        (change.after, seen)
    }

    fn problem(content: &[u8], mut arguments: Value) -> String {
        let fixture = Fixture::new(&[("work/a.py", content)]);
        arguments["path"] = json!("work/a.py");
        fixture.bad(&tool(), arguments)
    }

    #[test]
    fn each_operation() {
        let text = |arguments| String::from_utf8(after(SCRIPT.as_bytes(), arguments).0).unwrap();
        assert_eq!(
            text(json!({"operation": "replace", "old_text": "y = 2", "new_text": "y = 5"})),
            "import a\nx = 1  \ny = 5\nx = 3\n# end\n"
        );
        assert_eq!(
            text(json!({"operation": "insert_after", "anchor": "import a", "new_text": "import b"})),
            "import a\nimport b\nx = 1  \ny = 2\nx = 3\n# end\n"
        );
        assert_eq!(
            text(
                json!({"operation": "replace_between", "start_marker": "import a\n", "end_marker": "# end",
                        "new_text": "z\n"})
            ),
            "import a\nz\n# end\n"
        );
        assert_eq!(
            text(json!({"operation": "append", "new_text": "done"})),
            format!("{SCRIPT}done\n")
        );
        // As the published tool is called.
        assert_eq!(
            text(json!({"edit_type": "insert_after", "anchor": "import a", "insert_text": "import b"})),
            "import a\nimport b\nx = 1  \ny = 2\nx = 3\n# end\n"
        );
        let (_, seen) = after(
            SCRIPT.as_bytes(),
            json!({"operation": "replace", "old_text": "y = 2", "new_text": "y = 5"}),
        );
        assert!(seen.contains("-y = 2\n+y = 5\n"));
    }

    #[test]
    fn line_ends_and_encoding_are_kept() {
        let replace = json!({"operation": "replace", "old_text": "b\nc", "new_text": "ü\nc"});
        assert_eq!(
            after(b"a\r\nb\r\nc\r\n", replace.clone()).0,
            "a\r\nü\r\nc\r\n".as_bytes()
        );
        assert_eq!(after(b"a\r\nb\nc\n", replace.clone()).0, "a\r\nü\nc\n".as_bytes());
        let latin = b"Die Gr\xf6\xdfe der Stra\xdfe in M\xfcnchen\nb\nc\n";
        assert_eq!(
            after(latin, replace).0,
            b"Die Gr\xf6\xdfe der Stra\xdfe in M\xfcnchen\n\xfc\nc\n"
        );
        let foreign = json!({"operation": "append", "new_text": "日"});
        assert!(problem(latin, foreign).contains("windows-1252"));
        assert!(problem(b"a\0b", json!({"operation": "append", "new_text": "x"})).contains("NUL"));
    }

    #[test]
    fn trailing_space_is_ignored_only_where_one_place_is_meant() {
        let edit = json!({"operation": "replace", "old_text": "x = 1\ny = 2", "new_text": "x = y = 2"});
        let (bytes, seen) = after(SCRIPT.as_bytes(), edit.clone());
        assert_eq!(bytes, b"import a\nx = y = 2\nx = 3\n# end\n");
        assert!(seen.contains("Space at the ends of lines was ignored"));
        let twice = format!("{SCRIPT}{SCRIPT}");
        assert!(problem(twice.as_bytes(), edit).contains("is not in the file"));
    }

    #[test]
    fn a_failed_edit_says_what_is_there() {
        let replace = |old: &str| json!({"operation": "replace", "old_text": old, "new_text": "q"});
        let several = problem(SCRIPT.as_bytes(), replace("x = "));
        assert!(several.contains("occurs 2 times, in lines 2, 4"), "{several}");
        let near = problem(SCRIPT.as_bytes(), replace("import  a"));
        assert!(near.contains("\n1: import a\n"), "{near}");
        assert!(problem(SCRIPT.as_bytes(), replace("")).contains("is empty"));
        assert!(problem(SCRIPT.as_bytes(), replace("@@@@@@@@")).contains("No line resembles"));
        let same = json!({"operation": "replace", "old_text": "y = 2", "new_text": "y = 2"});
        assert!(problem(SCRIPT.as_bytes(), same).contains("every character as it is"));
        let lacking = json!({"operation": "insert_after", "new_text": "q"});
        assert!(problem(SCRIPT.as_bytes(), lacking).contains("needs the argument `anchor`"));
        let unknown = json!({"operation": "delete", "new_text": "q"});
        assert!(problem(SCRIPT.as_bytes(), unknown).contains("`operation`"));
        let hostile = "x\n".repeat(1 << 20);
        assert!(problem(hostile.as_bytes(), replace("x\nx")).contains("occurs 524,288 times"));
    }

    #[test]
    fn nothing_outside_is_edited() {
        let fixture = Fixture::new(&[("replication_data/d.csv", b"a\n")]).with_traps();
        let append = |path: &str| json!({"path": path, "operation": "append", "new_text": "x"});
        for trap in Fixture::TRAPS
            .iter()
            .chain(&["replication_data/d.csv", "work/none.py"])
        {
            fixture.bad(&tool(), append(trap));
        }
        let root = fixture.root();
        std::os::unix::fs::symlink("../replication_data/d.csv", root.join("work/d.csv")).unwrap();
        assert!(
            fixture
                .bad(&tool(), append("work/d.csv"))
                .contains("symbolic link")
        );
        std::fs::hard_link(fixture.parent.path().join("secret.txt"), root.join("work/hard")).unwrap();
        assert!(fixture.bad(&tool(), append("work/hard")).contains("hard link"));
    }
}
