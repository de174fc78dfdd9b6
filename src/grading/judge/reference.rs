//! Checks that something can be graded at all.

use serde_json::Value;

use crate::domain::excerpt;
use crate::scoring::aggregate::fields::aspects;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::aggregate::items::ROOTS;
use crate::scoring::fields::document::RegistrationFields;
use crate::scoring::fields::statement::StatementKind;

/// Fewest letters of a reference that can be one.
const FEWEST_LETTERS: usize = 200;
/// Up to this many characters, a text that begins like an error is one.
const LONGEST_ERROR: usize = 2_000;

/// The reason why nothing is graded: a sentence's end that names the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceRefusal {
    #[error("the reference {0} is empty; put the document in its place")]
    Empty(String),
    #[error("the reference {name} could not be read: {why}")]
    Unreadable { name: String, why: String },
    #[error("the reference {name} holds {letters} letters, too few for a document: an image, perhaps")]
    TooShort { name: String, letters: usize },
    #[error("the reference {name} holds an error message instead of a document: {start}")]
    ErrorText { name: String, start: String },
    #[error("the reference {0} states nothing")]
    StatesNothing(String),
    #[error("the study has no {0}")]
    NoReference(&'static str),
    #[error("the run has no {0}")]
    NoArtifact(&'static str),
    #[error("{0} is null: there is nothing to grade")]
    NullArtifact(String),
    #[error("{name} holds an error message instead of an answer: {start}")]
    ErrorArtifact { name: String, start: String },
    #[error("{0} has none of the parts of an answer of this stage")]
    OtherArtifact(String),
}

/// Checks a reference that is text.
///
/// # Errors
/// A text that is empty, too short, or an error message.
pub fn check_text(name: &str, text: &str) -> Result<(), ReferenceRefusal> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(ReferenceRefusal::Empty(name.to_owned()));
    }
    if is_error(trimmed) {
        return Err(ReferenceRefusal::ErrorText {
            name: name.to_owned(),
            start: start(trimmed),
        });
    }
    let letters = trimmed.chars().filter(|c| c.is_alphabetic()).count();
    if letters < FEWEST_LETTERS {
        return Err(ReferenceRefusal::TooShort {
            name: name.to_owned(),
            letters,
        });
    }
    Ok(())
}

/// Checks a reference of the post-registration's form.
///
/// # Errors
/// A document that states nothing, or is an error message.
pub fn check_form(name: &str, value: &Value) -> Result<(), ReferenceRefusal> {
    if let Some(text) = error_of(value) {
        return Err(ReferenceRefusal::ErrorText {
            name: name.to_owned(),
            start: start(&text),
        });
    }
    let document = RegistrationFields::read(value);
    let stated = document
        .plain
        .iter()
        .map(|(_, statement)| statement)
        .chain(document.results.iter().flatten());
    if stated
        .filter(|statement| statement.state() == StatementKind::Stated)
        .count()
        == 0
    {
        return Err(ReferenceRefusal::StatesNothing(name.to_owned()));
    }
    Ok(())
}

/// Checks what an agent left.
///
/// # Errors
/// An answer that is null, an error message, or of another stage.
pub fn check_artifact(stage: GradedStage, name: &str, value: &Value) -> Result<(), ReferenceRefusal> {
    if value.is_null() {
        return Err(ReferenceRefusal::NullArtifact(name.to_owned()));
    }
    if let Some(text) = error_of(value) {
        return Err(ReferenceRefusal::ErrorArtifact {
            name: name.to_owned(),
            start: start(&text),
        });
    }
    let inner = ROOTS.iter().find_map(|root| value.get(root)).unwrap_or(value);
    let known = aspects(stage);
    if !known.is_empty()
        && known
            .iter()
            .all(|aspect| inner.get(aspect).is_none_or(Value::is_null))
    {
        return Err(ReferenceRefusal::OtherArtifact(name.to_owned()));
    }
    Ok(())
}

/// The message, where a value is an error instead of a document.
fn error_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(members) if members.len() <= 3 => {
            members.get("error").and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    }
}

fn is_error(text: &str) -> bool {
    let lower = excerpt::start(text, 200).to_lowercase();
    let begins = [
        "error",
        "[error",
        "traceback (most recent",
        "exception",
        "failed to",
        "could not",
        "unable to",
        "{\"error\"",
    ];
    let holds = [
        "no such file or directory",
        "jsondecodeerror",
        "file not found",
        "filenotfounderror",
    ];
    text.chars().count() <= LONGEST_ERROR
        && (begins.iter().any(|word| lower.starts_with(word))
            || holds.iter().any(|word| lower.contains(word)))
}

fn start(text: &str) -> String {
    excerpt::shortened(&excerpt::one_line(text), 120)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::grading::judge::reference::*;

    #[test]
    fn what_is_no_reference_is_refused() {
        let refused = |text: &str| check_text("r.pdf", text).unwrap_err().to_string();
        assert!(refused(" \n").contains("is empty"));
        assert!(refused("abc").contains("3 letters"));
        let error = format!(
            "Error reading JSON: Expecting value, line 1 column 1. {}",
            "context ".repeat(40)
        );
        assert!(refused(&error).contains("error message"));
        assert!(refused("[Errno 2] No such file or directory: 'human_report.pdf'").contains("error message"));
        let prose = "The error terms are clustered by firm, and the replication failed to find an effect. "
            .repeat(60);
        assert_eq!(check_text("r.pdf", &prose), Ok(()));
        assert!(check_form("f.json", &json!("Error: no JSON")).is_err());
        assert!(check_form("f.json", &json!({"original_study": {}})).is_err());
        assert_eq!(
            check_form("f.json", &json!({"claim": {"statement": "x"}})),
            Ok(())
        );
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let check = |value: Value| check_artifact(GradedStage::Design, "replication_info.json", &value);
        assert!(matches!(
            check(json!(null)),
            Err(ReferenceRefusal::NullArtifact(_))
        ));
        assert!(matches!(
            check(json!({"error": "file missing"})),
            Err(ReferenceRefusal::ErrorArtifact { .. })
        ));
        assert!(matches!(
            check(json!({"language": "R"})),
            Err(ReferenceRefusal::OtherArtifact(_))
        ));
        assert_eq!(check(json!({"replication_study": {"hypothesis": "h"}})), Ok(()));
    }
}
