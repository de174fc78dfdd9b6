//! The loop's own messages to the model.

use crate::domain::digest::Digest;
use crate::domain::excerpt;

use super::brief::Brief;

/// Said when the output limit cut an answer.
pub const CUT: &str = "Your last message was cut off by the output limit, so nothing in it was used. \
    Send it again in a shorter form: one tool call, or the final answer with terser texts. \
    Write long files in several `write_file` and `edit_file` calls.";

/// Said when an answer held neither a call nor a result.
pub fn nudge(brief: &Brief, hint: Option<&str>, times: u32) -> String {
    let names: Vec<&str> = brief.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut text = String::from("Your message held neither a tool call nor the final answer.");
    if let Some(hint) = hint {
        text.push(' ');
        text.push_str(hint);
    }
    text.push_str(&format!(
        " Either call one of these tools: {}; or send the final answer, which is one JSON object in the shape that \
         the task describes, and nothing else.",
        names.join(", ")
    ));
    if times > 1 {
        text.push_str(&format!(
            " This has happened {times} times in a row; the stage ends if it goes on."
        ));
    }
    text
}

/// Said when the answer does not fit its schema.
pub fn faults(faults: &[String]) -> String {
    format!(
        "The answer does not fit its schema:\n- {}\nSend the whole JSON object again with these places mended.",
        faults.join("\n- ")
    )
}

/// Appended to an observation when the same call keeps failing.
pub fn repeated(tool: &str, times: u32) -> String {
    format!(
        "\n\nThis same call of `{tool}` has failed {times} times in a row. It will not work like this: \
         look at the cause above and try something else."
    )
}

/// Said when few turns are left.
pub fn turns_left(left: u32) -> String {
    format!("{left} turns are left in this stage. Finish, and send the final answer.")
}

/// Said once to a model that wrote a call as text although it can call tools.
pub const WRITTEN_AS_TEXT: &str = "You wrote this call as text. It was performed; \
    call tools through the interface for tool calls from here on.";

/// Said when a message went on behind its call with a result of its own making.
pub const INVENTED: &str = "Your message went on behind the call with an observation of its own making. That part was \
    dropped: stop after the action and wait for the real one.";

/// Most characters of the heading that a pointer repeats.
const HEADING: usize = 100;

/// A result's heading, which names the file and the range, and what follows it.
pub fn parts(text: &str) -> (&str, &str) {
    match text.split_once("\n\n") {
        Some((heading, body)) if !heading.contains('\n') => (heading, body),
        _ => (excerpt::first_line(text), text),
    }
}

/// A result's heading, cut.
fn heading(text: &str) -> String {
    let line = parts(text).0;
    excerpt::shortened(line, HEADING)
}

/// Stands in the place of a result that the conversation holds already: in a
/// turn, counted from 1, or in the task.
pub fn unchanged(text: &str, turn: Option<u32>) -> String {
    let place = turn.map_or_else(|| "the task".to_owned(), |turn| format!("turn {turn}"));
    format!(
        "{}\n[Unchanged since {place}: the same text was shown there, word for word.]",
        heading(text)
    )
}

/// Stands in the place of a file that is read as the model wrote it in a turn, from 1.
pub fn as_written(text: &str, turn: u32) -> String {
    format!(
        "{}\n[Unchanged since turn {turn}: it is word for word what you wrote there.]",
        heading(text)
    )
}

/// What the pointer begins with that stands in the place of a written text.
pub const WRITTEN_BEFORE: &str = "[Left out here:";

/// Stands in a call in the place of a text that it wrote; `path` has the whole.
pub fn written_before(text: &str, path: &str) -> String {
    format!(
        "{WRITTEN_BEFORE} {} bytes, sha256 {}, the whole is in `{path}`]",
        text.len(),
        Digest::compute(text).short()
    )
}

/// Said of a call whose argument repeats such a pointer.
pub fn pointer_written(key: &str) -> String {
    format!(
        "`{key}` is a note that stands for a text which was left out of this conversation, not the text. Give the text \
         itself: `read_file` shows the file as it is"
    )
}

/// Stands in the place of a result that was shrunk; `path` has the whole.
pub fn left_out(text: &str, tool: &str, turn: u32, path: &str) -> String {
    format!(
        "{}\n[Left out: {} bytes that `{tool}` gave in turn {turn}; the whole is in `{path}`]",
        heading(text),
        text.len()
    )
}

/// The beginning of a text, for one-line messages.
pub fn excerpt(text: &str) -> String {
    excerpt::shortened(&excerpt::one_line(text), 200)
}
