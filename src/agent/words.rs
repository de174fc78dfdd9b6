//! What the loop itself says to the model.

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

/// The beginning of a text, for one-line messages.
pub fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(200) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}
