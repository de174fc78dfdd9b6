//! Released gradings that were made against no reference, or of no answer.
//!
//! The benchmark's judges were shown whatever a reader gave: where it failed, the text of
//! its error stood in the place of the reference, or `null` in the place of the answer. The
//! prompt is kept beside the grading, and says so; where it is not, the judge's own
//! explanations may.

use std::path::Path;

use serde_json::Value;

use crate::domain::lazy_regex::LazyRegex;
use crate::grading::discovery::bounded_file;
use crate::grading::judge::reference::{self, ReferenceRefusal};
use crate::scoring::aggregate::grading::GradedStage;
use crate::study::mend;

/// What a heading of a prompt holds, above and below the answer and the reference.
const ANSWER: &str = "TO BE EVALUATED";
const REFERENCE: &str = "WITH THE CORRECT INFO";

static NO_REFERENCE: LazyRegex = LazyRegex::new(
    r"(?i)\breference\b[^.;]{0,60}\b(?:error (?:message|text|string)|unreadable|invalid json|not valid json|(?:could not|cannot|can't) be (?:read|parsed|loaded))\b",
);

/// The reason why a grading in a judge's folder is of nothing, a sentence's end; `None` of
/// one that is sound as far as can be seen.
pub fn refusal(folder: &Path, stage: GradedStage, grading: &[u8]) -> Option<String> {
    let log = folder.join(log_name(stage)?);
    match bounded_file::read_if_there(&log).ok().flatten() {
        Some(bytes) => of_prompt(&String::from_utf8_lossy(&bytes), stage).map(|refusal| refusal.to_string()),
        None => of_explanations(grading),
    }
}

/// The prompt's file; executions were graded in a conversation, which has none.
fn log_name(stage: GradedStage) -> Option<&'static str> {
    match stage {
        GradedStage::Extract => Some("extract_llm_eval.log"),
        GradedStage::Design => Some("design_llm_eval.log"),
        GradedStage::Interpret => Some("interpret_eval.log"),
        GradedStage::Execute => None,
    }
}

fn of_prompt(prompt: &str, stage: GradedStage) -> Option<ReferenceRefusal> {
    let of_answer = || {
        let answer = value_of(section(prompt, ANSWER)?);
        match reference::check_artifact(stage, "the answer that the judge was shown", &answer) {
            // An answer of another shape is the agent's fault, and the judge has seen it.
            Ok(()) | Err(ReferenceRefusal::OtherArtifact(_)) => None,
            Err(refusal) => Some(refusal),
        }
    };
    let of_reference = || {
        let shown = section(prompt, REFERENCE)?;
        let name = "that the judge was shown";
        let checked = match stage {
            GradedStage::Extract => match value_of(shown) {
                // Annotators' JSON that no reader mends was shown as it is, and can be read.
                Value::Null if shown.starts_with('{') => Ok(()),
                value => reference::check_form(name, &value),
            },
            _ => reference::check_text(name, shown),
        };
        checked.err()
    };
    of_reference().or_else(of_answer)
}

/// The text below the first heading with these words, up to the next heading.
fn section<'a>(prompt: &'a str, words: &str) -> Option<&'a str> {
    let is_heading = |line: &str| line.starts_with("===") && line.trim_end().ends_with("===");
    let mut at = 0;
    let mut start = None;
    for line in prompt.split_inclusive('\n') {
        match start {
            None if is_heading(line) && line.contains(words) => start = Some(at + line.len()),
            Some(start) if is_heading(line) && line.contains(words) => {
                return prompt.get(start..at).map(str::trim);
            }
            _ => {}
        }
        at += line.len();
    }
    prompt.get(start?..).map(str::trim)
}

/// A text as JSON; one that does not begin as such is the message of a reader.
fn value_of(text: &str) -> Value {
    match mend::parse(text) {
        Ok((value, _)) => value,
        Err(_) if text.starts_with(['{', '[']) => Value::Null,
        Err(_) => Value::String(text.to_owned()),
    }
}

/// Of the explanations of a grading, at least half say that the reference is no document.
fn of_explanations(grading: &[u8]) -> Option<String> {
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(grading) else {
        return None;
    };
    let said: Vec<&str> = fields
        .values()
        .filter_map(|field| field.get("explanation")?.as_str())
        .collect();
    let saying = said.iter().filter(|text| NO_REFERENCE.is_match(text)).count();
    (saying > 0 && 2 * saying >= said.len()).then(|| {
        format!(
            "{saying} of its {} explanations say that the reference could not be read or is an error",
            said.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(answer: &str, reference: &str) -> String {
        format!(
            "=== GENERATED PROMPT ===\nScore it.\n=== EXTRACTED JSON TO BE EVALUATED START ===\n    {answer}\n\
             === EXTRACTED JSON TO BE EVALUATED END ===\n    \n=== REFERENCE JSON WITH THE CORRECT INFO ===\n    \
             {reference}\n=== REFERENCE JSON WITH THE CORRECT INFO ===\n\nPlease return.\n"
        )
    }

    #[test]
    fn a_prompt_without_a_reference_or_an_answer_is_told() {
        let answer = r#"{"original_study": {"claim": {"statement": "s"}}}"#;
        let reference = r#"{"original_study": {"claim": {"statement": "s", }}}"#;
        let told = |answer: &str, reference: &str| {
            let refusal = of_prompt(&prompt(answer, reference), GradedStage::Extract);
            refusal.map(|refusal| refusal.to_string())
        };
        assert_eq!(told(answer, reference), None);
        assert_eq!(told(answer, "{\"claim\": {\"steps\": 'one'} \"x\"}"), None);
        let error = "Error reading JSON file: Expecting ',' delimiter: line 19 column 60 (char 1220)";
        assert!(
            told(answer, error)
                .unwrap()
                .contains("error message instead of a document: Error reading")
        );
        assert!(told("null", reference).unwrap().contains("is null"));
        assert!(
            told(error, reference)
                .unwrap()
                .contains("error message instead of an answer")
        );
        // Another shape is a wrong answer, and a wrong answer is graded.
        assert_eq!(told(r#"{"language": "R"}"#, reference), None);
        let of_design = prompt(answer, "\n \n 1\n").replace("JSON WITH", "DOCUMENT WITH");
        assert!(of_prompt(&of_design, GradedStage::Design).is_some());
    }

    #[test]
    fn explanations_tell_where_no_prompt_is_kept() {
        let of = |text: &str| {
            let all = format!(
                r#"{{"a": {{"score": 3, "explanation": "{text}"}}, "b": {{"score": 3, "explanation": "ok"}}}}"#
            );
            of_explanations(all.as_bytes())
        };
        assert!(of("The reference JSON is an error message, so nothing contradicts it.").is_some());
        assert_eq!(
            of("The reference states 'error correction model'; the answer agrees."),
            None
        );
        assert_eq!(of("Identical to the reference."), None);
    }
}
