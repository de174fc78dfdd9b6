//! Commands of SPSS syntax.

use super::super::language::Language;
use super::super::need::MentionForm;
use super::findings::{ScriptFindings, place};

/// Reads the commands of a text: each begins a line and ends with a dot or an empty line.
pub fn read(file: &str, text: &str, findings: &mut ScriptFindings) {
    let mut is_start = true;
    let mut is_comment = false;
    let mut is_data = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let upper = trimmed.to_ascii_uppercase();
        if is_data {
            is_data = !upper.starts_with("END DATA");
            is_start = !is_data;
            continue;
        }
        let ends = trimmed.ends_with('.') || trimmed.is_empty();
        if is_start && !trimmed.is_empty() {
            is_comment =
                trimmed.starts_with('*') || upper.starts_with("COMMENT") || trimmed.starts_with("/*");
            if !is_comment {
                findings.mention(Language::Spss, trimmed, MentionForm::Loads, place(file, at + 1));
            }
        }
        is_data = !is_comment && (upper.starts_with("BEGIN DATA") || upper.starts_with("BEGIN PROGRAM"));
        is_start = ends;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_begins_behind_the_end_of_another() {
        let text = "* a comment\nREGRESSION of it.\nREGRESSION\n  /DEPENDENT y\n  /METHOD=ENTER x.\n\nfreq vars=a\n\nBEGIN DATA\n1 2.\nGLM.\nEND DATA.\nT-TEST GROUPS=a(1 2).\n";
        let mut findings = ScriptFindings::default();
        read("a.sps", text, &mut findings);
        let found: Vec<String> = findings
            .mentions
            .iter()
            .map(|one| format!("{}:{}", one.place.line, one.name))
            .collect();
        assert_eq!(
            found,
            [
                "3:REGRESSION",
                "7:freq vars=a",
                "9:BEGIN DATA",
                "13:T-TEST GROUPS=a(1 2)."
            ]
        );
    }
}
