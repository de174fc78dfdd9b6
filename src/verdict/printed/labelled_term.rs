//! The name of a term out of the words around a labelled number.

use crate::domain::lazy_regex::LazyRegex;

/// The longest name of a term, in characters.
const LONGEST_TERM: usize = 80;

static LEADING: LazyRegex = LazyRegex::new(
    r#"(?i)^(?:\[\d+\]\s*)?["'`,;.|\s]*(?:and\s+)?(?:[-*•]\s+)?(?:(?:the\s+)?(?:focal\s+)?(?:effects?|coefficients?|coef|estimates?|results?|slope|test|term|variable|predictor|interaction|correlation)\s*(?:(?:of|for|on|between)\s+|[:-]\s+)(?:the\s+)?|interaction\s+)?"#,
);

static TRAILING: LazyRegex = LazyRegex::new(
    r#"(?i)(?:[\s:;,=|(\[{"'`\->]|\b(?:effect|coefficient|coef|has|had|is|was|with|and|the|an?|at)\b)*$"#,
);

/// A name without the words and marks around it; empty where nothing is left.
pub fn clean_term(text: &str) -> String {
    let text = text.trim();
    let start = LEADING.find(text).map_or(0, |found| found.end());
    let rest = &text[start..];
    let end = TRAILING.find(rest).map_or(rest.len(), |found| found.start());
    let name = rest[..end].trim();
    // Columns of a table are no name.
    if name.contains("   ") {
        return String::new();
    }
    // `Effect of x on y` is the effect of x.
    let name = match name.split_once(" on ") {
        Some((term, _)) if text[..start].to_lowercase().contains("effect of") => term.trim(),
        _ => name,
    };
    // `Model 1: income` names the model first.
    let name = name.rsplit(": ").next().unwrap_or(name).trim();
    let is_name = name.chars().count() <= LONGEST_TERM
        && !name.contains('=')
        && name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '`' | '_' | '.' | '/'))
        && super::number::parse(name).is_none();
    if is_name { name.to_owned() } else { String::new() }
}
