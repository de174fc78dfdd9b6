//! Bounds on Python as a project or a lock writes them, in the standard's words.

use super::super::evidence::{Evidence, FoundEvidence};
use super::super::interpreter_bounds::InterpreterBounds;
use super::super::language::Language;
use super::super::release_span::release_numbers;
use super::shown_line::shown;

/// Takes bounds on Python in; those that cannot be read are told, and not followed.
pub fn read(evidence: Evidence, written: &str, found: &mut FoundEvidence) {
    let bounds = written.replace(' ', "").replace("||", " || ");
    if matches!(bounds.as_str(), "" | "*") {
        return;
    }
    if let Some(release) = release(&bounds) {
        return found
            .evidence
            .push(evidence.of_the_time_of(Language::Python, &release));
    }
    // A space parts two bounds in Poetry's form, and is none of the standard's.
    if InterpreterBounds::parse(written).is_some() {
        return found.evidence.push(evidence.naming(Language::Python, &bounds));
    }
    let line = evidence.line.unwrap_or(1);
    found.fault(
        &evidence.file,
        format!(
            "line {line}: the bounds `{}` on Python cannot be read, so that they are not followed",
            shown(written)
        ),
    );
}

/// The one release that bounds admit, such as `3.8`.
fn release(bounds: &str) -> Option<String> {
    let version = bounds.trim_start_matches("==").trim_end_matches(".*");
    if version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Some(version.to_owned());
    }
    let (least, most) = bounds.strip_prefix(">=")?.split_once(",<")?;
    let (major, minor) = release_numbers(least)?;
    (release_numbers(most)? == (major, minor + 1)).then(|| least.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence::EvidenceKind;

    fn named(written: &str) -> Result<Option<String>, usize> {
        let mut found = FoundEvidence::default();
        let evidence = Evidence::new(EvidenceKind::LockFile, "pyproject.toml", "It says so.");
        read(evidence, written, &mut found);
        match found.faults.len() {
            0 => Ok(found
                .evidence
                .pop()
                .and_then(|one| one.interpreter)
                .map(|named| named.version)),
            faults => Err(faults),
        }
    }

    #[test]
    fn bounds_in_the_words_of_the_standard_are_read() {
        for (written, version) in [
            (">=3.8,<3.11", ">=3.8,<3.11"),
            ("3.8", "3.8"),
            ("3.8.*", "3.8"),
            ("==3.8.2", "3.8.2"),
            (">=3.8,<3.9", "3.8"),
            (">= 3.8, < 3.11", ">=3.8,<3.11"),
            ("<3.9", "<3.9"),
            (">=2.7,<3 || >=3.5", ">=2.7,<3 || >=3.5"),
            (">=3.6.*", ">=3.6.*"),
            ("!=3.9.*, >=3.7", "!=3.9.*,>=3.7"),
        ] {
            assert_eq!(named(written), Ok(Some(version.to_owned())), "{written}");
        }
        for any in ["*", ""] {
            assert_eq!(named(any), Ok(None), "{any}");
        }
        for unread in [
            "latest",
            ">=3.x",
            "^3.8",
            "~3.8",
            ">=3.8 <3.11",
            "3.8 || x",
            ">=3.8,<3.11.x",
        ] {
            assert_eq!(named(unread), Err(1), "{unread}");
        }
    }
}
