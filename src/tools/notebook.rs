//! The tools of an attempt in a notebook kernel, under the names of the published actions.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments;
use super::contract::{Observation, Request, Tool, ToolOutcome};
use super::submit;
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;
use crate::notebook::act::NotebookAct;

/// The longest cell or edit, in bytes.
const LONGEST: usize = 256 << 10;
/// Seconds that a cell may be waited for at most.
const LONGEST_WAIT: u64 = 3600;

/// A cell of the notebook.
pub struct Execute;
/// A change of a file.
pub struct Edit;
/// A command on files that are seen through a window.
pub struct FileCommands;
/// A further wait for the cell that still runs.
pub struct ContinueWait;
/// The end of the cell that still runs.
pub struct Interrupt;
/// The answer.
pub struct SubmitAnswer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExecuteArguments {
    /// The cell: Python, `!` commands, `%` and `%%` magics, mixed as in a notebook. There is no
    /// input: what asks for any fails.
    cell: String,
    /// Seconds to wait for its end, where less than usual are wanted; it runs on behind them.
    #[serde(default)]
    seconds: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    /// The file's name on the first line; lines that stand before the place and stay, where they
    /// are needed to find it; a line `<<<BEFORE_EDIT>>>`; the lines to remove; a line
    /// `<<<AFTER_EDIT>>>`; the lines to put in their place.
    edit: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileArguments {
    /// `open FILE [LINE]`, `create FILE`, `goto LINE`, `scroll_down`, `scroll_up`, `search_dir TERM
    /// [FOLDER]`, `search_file TERM [FILE]`, `find_file NAME [FOLDER]`, or `edit FIRST:LAST` with the
    /// lines to put there on lines of their own and `end_of_edit` behind them.
    command: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

impl Tool for Execute {
    fn name(&self) -> &'static str {
        "execute"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<ExecuteArguments>(
            self.name(),
            "Executes a cell in the kernel, whose state and folder last, and returns what it printed. A cell that \
             still runs is interrupted first.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        let ExecuteArguments { cell, seconds } = match arguments::read(self.name(), given) {
            Ok(arguments) => arguments,
            Err(wrong) => return ToolOutcome::Observed(wrong),
        };
        if let Some(seconds) = seconds.filter(|seconds| !(1..=LONGEST_WAIT).contains(seconds)) {
            return bad(&format!(
                "`seconds` is {seconds}, and has to lie between 1 and {LONGEST_WAIT}"
            ));
        }
        match fault("cell", &cell) {
            Some(why) => bad(&why),
            None => act(NotebookAct::Execute { cell, seconds }),
        }
    }
}

impl Tool for Edit {
    fn name(&self) -> &'static str {
        "edit"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<EditArguments>(
            self.name(),
            "Changes a file at one place. The lines before it and the lines to remove have to stand in the file \
             exactly as they are given, at one place alone.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        match arguments::read::<EditArguments>(self.name(), given) {
            Ok(EditArguments { edit }) => match fault("edit", &edit) {
                Some(why) => bad(&why),
                None => act(NotebookAct::Edit { edit }),
            },
            Err(wrong) => ToolOutcome::Observed(wrong),
        }
    }
}

impl Tool for FileCommands {
    fn name(&self) -> &'static str {
        "file_command"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<FileArguments>(
            self.name(),
            "Opens, searches or edits a file, of which a window of 100 lines is shown.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        match arguments::read::<FileArguments>(self.name(), given) {
            Ok(FileArguments { command }) => match fault("command", &command) {
                Some(why) => bad(&why),
                None => act(NotebookAct::Files { command }),
            },
            Err(wrong) => ToolOutcome::Observed(wrong),
        }
    }
}

impl Tool for ContinueWait {
    fn name(&self) -> &'static str {
        "continue_wait"
    }

    fn spec(&self) -> ToolSpec {
        bare_spec(
            self.name(),
            "Waits on for the cell that still runs, and returns what it printed since.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        without_arguments(self.name(), given, NotebookAct::ContinueWait)
    }
}

impl Tool for Interrupt {
    fn name(&self) -> &'static str {
        "interrupt"
    }

    fn spec(&self) -> ToolSpec {
        bare_spec(
            self.name(),
            "Interrupts the cell that still runs. The kernel's state stays.",
        )
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        without_arguments(self.name(), given, NotebookAct::Interrupt)
    }
}

impl Tool for SubmitAnswer {
    fn name(&self) -> &'static str {
        submit::NAME
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: submit::NAME.to_owned(),
            description: "Hands in the answer, which ends the task. Call it alone.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "answer": {
                        "description": "The answer as JSON, in the form that the task asks for.",
                    }
                },
                "required": ["answer"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        ToolOutcome::Observed(match submit::handed_in(given) {
            Some(Value::Null) => Observation::bad("Nothing was handed in: `answer` is null."),
            Some(_) => Observation::good("The answer was taken."),
            None => {
                Observation::bad("Nothing was handed in: give `answer`, in the form that the task asks for.")
            }
        })
    }
}

/// A tool that takes nothing.
fn bare_spec(name: &str, description: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": {}, "additionalProperties": false}),
    }
}

fn without_arguments(name: &str, given: &Value, what: NotebookAct) -> ToolOutcome {
    match arguments::read::<NoArguments>(name, given) {
        Ok(NoArguments {}) => act(what),
        Err(wrong) => ToolOutcome::Observed(wrong),
    }
}

fn fault(name: &str, text: &str) -> Option<String> {
    if text.len() > LONGEST {
        Some(format!("`{name}` is longer than {LONGEST} bytes"))
    } else if text.contains('\0') {
        Some(format!("`{name}` holds a NUL byte"))
    } else {
        None
    }
}

fn act(act: NotebookAct) -> ToolOutcome {
    ToolOutcome::Wanted(Request::Act { action: json!(act) })
}

fn bad(why: &str) -> ToolOutcome {
    ToolOutcome::Observed(Observation::bad(format!("Nothing was done: {why}.")))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn each_tool_is_one_act() {
        let fixture = Fixture::new(&[]);
        let wanted = |tool: &dyn Tool, arguments: Value| match tool.call(&arguments, &fixture.workspace) {
            ToolOutcome::Wanted(Request::Act { action }) => {
                serde_json::from_value::<NotebookAct>(action).ok()
            }
            _ => None,
        };
        assert_eq!(
            wanted(&Execute, json!({"cell": "!ls", "seconds": 5})),
            Some(NotebookAct::Execute {
                cell: "!ls".to_owned(),
                seconds: Some(5)
            })
        );
        assert_eq!(
            wanted(&Edit, json!({"edit": "a.py"})),
            Some(NotebookAct::Edit {
                edit: "a.py".to_owned()
            })
        );
        assert_eq!(
            wanted(&FileCommands, json!({"command": "goto 3"})),
            Some(NotebookAct::Files {
                command: "goto 3".to_owned()
            })
        );
        assert_eq!(wanted(&ContinueWait, json!({})), Some(NotebookAct::ContinueWait));
        assert_eq!(wanted(&Interrupt, json!({})), Some(NotebookAct::Interrupt));
        for arguments in [
            json!({}),
            json!({"cell": "x", "seconds": 0}),
            json!({"cell": "a\u{0}"}),
            json!({"cell": "x".repeat(LONGEST + 1)}),
        ] {
            assert_eq!(wanted(&Execute, arguments), None);
        }
    }

    #[test]
    fn null_is_no_answer() {
        let fixture = Fixture::new(&[]);
        let is_taken = |arguments: Value| match SubmitAnswer.call(&arguments, &fixture.workspace) {
            ToolOutcome::Observed(seen) => seen.ok,
            other => panic!("{other:?}"),
        };
        assert!(is_taken(json!({"answer": 0})) && is_taken(json!({"answer": [1]})));
        assert!(!is_taken(json!({"answer": null})) && !is_taken(json!({})));
    }
}
