//! ReAct's form: a thought, the type of an action, and its content between marks.

use serde_json::json;

use super::fenced_block;
use super::step::{ReadStep, Step, UnreadStep, call, submission};

const OPEN: &str = "<content>";
const CLOSE: &str = "</content>";

/// Reads an answer: what stands before the first line `Action:` is its thought, the rest of that line
/// its type, what stands between the marks its content. A type that is none is no fault of the form.
///
/// # Errors
/// The correction that the model is told.
pub fn read(text: &str) -> Result<ReadStep, UnreadStep> {
    let (before, behind) = split(text).ok_or_else(|| {
        UnreadStep::from(
            "Your answer holds no action. Write `Thought: ` and your thought, `Action: ` and its type on one line, and its \
             content between a line `<content>` and a line `</content>`.",
        )
    })?;
    let (line, rest) = behind.split_once('\n').unwrap_or((behind, ""));
    let (kind, same_line) = match line.split_once(OPEN) {
        Some((kind, content)) => (kind, Some(content)),
        None => (line, None),
    };
    let kind =
        kind.trim_matches(|one: char| one.is_whitespace() || matches!(one, '*' | '`' | '"' | '.' | ':'));
    let content = match same_line {
        Some(beginning) => until_close(&format!("{beginning}\n{rest}"))
            .trim_start_matches('\n')
            .to_owned(),
        None => content(rest),
    };
    let content = content.trim_end_matches('\n');
    let thought = thought(before);
    let call = match kind {
        "" => {
            return Err("Your action has no type. Write it behind `Action: `, on the same line.".into());
        }
        "execute" if content.trim().is_empty() => {
            return Err(
                "There is nothing to execute: write the cell between `<content>` and `</content>`.".into(),
            );
        }
        "execute" => call("execute", json!({ "cell": content })),
        "edit" => call("edit", json!({ "edit": content })),
        "submit" => submission(content.trim())?,
        "continue_wait" | "interrupt" => call(kind, json!({})),
        other => call(other, json!({})),
    };
    Ok(ReadStep {
        said: written(thought, kind, content),
        call,
    })
}

/// An action in the form.
pub fn written(thought: &str, kind: &str, content: &str) -> String {
    format!("Thought: {thought}\nAction: {kind}\n{OPEN}\n{content}\n{CLOSE}")
}

/// The history as one text; of steps before the latest, the last characters of what was seen.
pub fn history(steps: &[Step], seen: impl Fn(usize, &Step) -> String) -> String {
    let steps = steps.iter().enumerate();
    let steps =
        steps.map(|(index, step)| format!("{}\nObservation: {}\n", step.said, seen(index, step).trim_end()));
    steps.collect::<Vec<_>>().join("\n")
}

/// What stands before the first action, and behind its mark.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let lead =
            line.trim_start_matches(|one: char| one.is_whitespace() || matches!(one, '*' | '#' | '_' | '>'));
        if let Some(behind) = lead.strip_prefix("Action") {
            let rest = behind.trim_start_matches(['*', '_', ' ']);
            if let Some(rest) = rest.strip_prefix(':') {
                let at = offset + line.len() - rest.len();
                return Some((&text[..offset], &text[at..]));
            }
        }
        offset += line.len();
    }
    // In the midst of a line, as the published parser takes it.
    text.split_once("Action: ")
}

fn thought(before: &str) -> &str {
    let text = before.trim().trim_start_matches(['*', '_', '#', ' ']);
    let text = text.strip_prefix("Thought").map_or(text, |rest| {
        rest.trim_start_matches(['*', '_', ' '])
            .trim_start_matches(':')
            .trim_start_matches(['*', '_'])
    });
    text.trim()
}

/// The content behind the line with the type: between the marks; without them a fenced block, or all up
/// to what the model made up of its outcome.
fn content(rest: &str) -> String {
    let begun = rest.trim_start();
    if let Some(behind) = begun.strip_prefix(OPEN) {
        return until_close(behind.strip_prefix('\n').unwrap_or(behind)).to_owned();
    }
    let own = until_line(rest, &["Observation:", "Action:", "Thought:"]);
    match fenced_block::first(own) {
        Some(block) if block.before.trim().is_empty() => block.content.to_owned(),
        _ => until_close(own).trim_matches('\n').to_owned(),
    }
}

fn until_close(text: &str) -> &str {
    let text = text.split_once(CLOSE).map_or(text, |(before, _)| before);
    text.strip_suffix('\n').unwrap_or(text)
}

/// A text before the first line that begins with one of some words.
fn until_line<'a>(text: &'a str, words: &[&str]) -> &'a str {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if words.iter().any(|word| line.starts_with(word)) {
            return &text[..offset];
        }
        offset += line.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read_call(text: &str) -> (String, Value) {
        let step = read(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        (step.call.tool, step.call.arguments.unwrap())
    }

    #[test]
    fn the_published_form_is_read_and_written_alike() {
        let text = "Thought: I look around.\nAction: execute\n<content>\n!ls\n\n%cd a\n</content>";
        let step = read(text).unwrap();
        assert_eq!(step.said, text);
        assert_eq!(step.call.arguments, Ok(json!({"cell": "!ls\n\n%cd a"})));
        let edit = "Thought: x\nAction: edit\n<content>\na.py\n<<<BEFORE_EDIT>>>\n  x\n<<<AFTER_EDIT>>>\n  y\n</content>";
        assert_eq!(
            read_call(edit),
            (
                "edit".to_owned(),
                json!({"edit": "a.py\n<<<BEFORE_EDIT>>>\n  x\n<<<AFTER_EDIT>>>\n  y"})
            )
        );
        // A stop text that was taken off, and an empty content.
        assert_eq!(
            read_call("Thought: w\nAction: continue_wait\n<content>"),
            ("continue_wait".to_owned(), json!({}))
        );
        assert_eq!(
            read_call("Thought: done\nAction: submit\n<content>\n{\"a\": NaN}"),
            ("submit".to_owned(), json!({"answer": {"a": null}}))
        );
    }

    #[test]
    fn near_forms_are_read() {
        for text in [
            "Action: execute\n<content>\n!ls\n</content>\nObservation: made up\nThought: more\nAction: submit",
            "**Thought**: I look.\n**Action**: `execute`\n<content>!ls</content>",
            "Thought: I look. Action: execute\n<content>\n!ls\n</content>",
            "Thought: I look.\nAction: execute\n```python\n!ls\n```",
            "Thought: I look.\nAction: execute\n!ls\nObservation: made up",
            "Thought: I look.\nAction: execute <content>\n!ls\n</content>\nAction: execute\n<content>\n!rm\n</content>",
        ] {
            assert_eq!(
                read_call(text),
                ("execute".to_owned(), json!({"cell": "!ls"})),
                "{text}"
            );
        }
        assert_eq!(
            read_call("Thought: x\nAction: look around\n<content>\n</content>").0,
            "look around"
        );
    }

    #[test]
    fn what_cannot_be_read_is_corrected() {
        for (text, said) in [
            ("I am done.", "no action"),
            ("Thought: x\nAction: \n", "no type"),
            (
                "Thought: x\nAction: execute\n<content>\n</content>",
                "nothing to execute",
            ),
            (
                "Thought: x\nAction: submit\n<content>\nabout 0.5\n</content>",
                "has to be JSON",
            ),
        ] {
            let fault = read(text).unwrap_err().0;
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }
}
