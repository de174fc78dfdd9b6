//! The form of SWE-agent: a discussion, and one command in a fenced block.

use serde_json::json;

use super::fenced_block;
use super::step::{ReadStep, UnreadStep, call, submission};
use crate::notebook::file_command;

/// Reads an answer. The first fenced block is its command: one on files, `submit`, `continue_wait`,
/// `interrupt`, or else a cell.
///
/// # Errors
/// The correction that the model is told.
pub fn read(text: &str) -> Result<ReadStep, UnreadStep> {
    let block = fenced_block::first(text).ok_or_else(|| {
        UnreadStep::from(
            "Your answer holds no command. Write DISCUSSION and what you mean to do, and behind it one command between two \
             lines of three backticks.",
        )
    })?;
    let command = block.content.trim_matches('\n');
    let trimmed = command.trim();
    if trimmed.is_empty() {
        return Err("The block holds no command: write one between the two lines of three backticks.".into());
    }
    let first = trimmed.split_whitespace().next().unwrap_or_default();
    let call = match first {
        "submit" if trimmed != first => submission(trimmed[first.len()..].trim())?,
        "submit" => {
            return Err(
                "Write the answer behind `submit`, as JSON in the form that the task asks for.".into(),
            );
        }
        "continue_wait" | "interrupt" if trimmed == first => call(first, json!({})),
        _ if file_command::is_meant(command) => call("file_command", json!({ "command": command })),
        _ => call("execute", json!({ "cell": command })),
    };
    Ok(ReadStep {
        said: written(discussion(block.before), command),
        call,
    })
}

/// A command in the form.
pub fn written(discussion: &str, command: &str) -> String {
    format!("DISCUSSION\n{discussion}\n```\n{command}\n```")
}

fn discussion(before: &str) -> &str {
    let text = before.trim();
    text.strip_prefix("DISCUSSION")
        .unwrap_or(text)
        .trim_start_matches(':')
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_is_the_command() {
        for (block, tool, arguments) in [
            ("open a.py 30", "file_command", json!({"command": "open a.py 30"})),
            (
                "edit 1:2\n  x = 1\nend_of_edit",
                "file_command",
                json!({"command": "edit 1:2\n  x = 1\nend_of_edit"}),
            ),
            ("open('a').read()", "execute", json!({"cell": "open('a').read()"})),
            ("!python train.py", "execute", json!({"cell": "!python train.py"})),
            ("submit {\"a\": 1}", "submit", json!({"answer": {"a": 1}})),
            ("submit\n{\"a\": 1}", "submit", json!({"answer": {"a": 1}})),
            ("continue_wait", "continue_wait", json!({})),
            ("interrupt = 3", "execute", json!({"cell": "interrupt = 3"})),
        ] {
            let text = format!("DISCUSSION\nI go on.\n```\n{block}\n```\n(made up)\n```\n!rm\n```");
            let step = read(&text).unwrap();
            assert_eq!(
                (step.call.tool.as_str(), step.call.arguments.unwrap()),
                (tool, arguments),
                "{block}"
            );
            assert_eq!(step.said, format!("DISCUSSION\nI go on.\n```\n{block}\n```"));
        }
    }

    #[test]
    fn what_cannot_be_read_is_corrected() {
        for (text, said) in [
            ("DISCUSSION\nI am done.", "no command"),
            ("```\n\n```", "holds no command"),
            ("```\nsubmit\n```", "behind `submit`"),
            ("```\nsubmit about 5\n```", "has to be JSON"),
        ] {
            let fault = read(text).unwrap_err().0;
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }
}
