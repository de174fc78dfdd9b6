//! Bounds on Python as a project or a lock writes them, in the standard's words or Poetry's.

use super::super::evidence::{Evidence, FoundEvidence};
use super::super::interpreter_bounds::InterpreterBounds;
use super::super::language::Language;
use super::poetry_bounds::PoetryBounds;

/// Letters of bounds that are shown.
const MOST_SHOWN: usize = 60;

/// Takes bounds on Python in; those that cannot be read are told, and not followed.
pub fn read(evidence: Evidence, written: &str, found: &mut FoundEvidence) {
    let alternatives: Vec<PoetryBounds> = written.split("||").map(PoetryBounds::parse).collect();
    if alternatives.contains(&PoetryBounds::Any) {
        return;
    }
    if let [one] = alternatives.as_slice()
        && let Some(release) = one.series()
    {
        found
            .evidence
            .push(evidence.of_the_time_of(Language::Python, &release));
        return;
    }
    let texts: Vec<String> = alternatives.iter().map(PoetryBounds::text).collect();
    let bounds = texts.join(" || ");
    if InterpreterBounds::parse(&bounds).is_some() {
        found.evidence.push(evidence.naming(Language::Python, &bounds));
        return;
    }
    let shown = written.chars().filter(|letter| !letter.is_control());
    let shown: String = shown.take(MOST_SHOWN).collect();
    let line = evidence.line.unwrap_or(1);
    found.fault(
        &evidence.file,
        format!("line {line}: the bounds `{shown}` on Python cannot be read, so that they are not followed"),
    );
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
    fn both_ways_of_writing_are_read() {
        for (written, version) in [
            (">=3.8,<3.11", ">=3.8,<3.11"),
            ("^3.8", ">=3.8,<4"),
            ("~3.8", "3.8"),
            ("3.8.*", "3.8"),
            (">=3.8 <3.11", ">=3.8,<3.11"),
            ("<3.9", "<3.9"),
            ("~2.7 || ^3.5", ">=2.7,<2.8 || >=3.5,<4"),
            (">=3.6.*", ">=3.6.*"),
            ("!=3.9.*, >=3.7", "!=3.9.*,>=3.7"),
        ] {
            assert_eq!(named(written), Ok(Some(version.to_owned())), "{written}");
        }
        for any in ["*", "", "* || ^3.5"] {
            assert_eq!(named(any), Ok(None), "{any}");
        }
        for unread in ["latest", ">=3.x", "^", "^3.8 || x"] {
            assert_eq!(named(unread), Err(1), "{unread}");
        }
    }
}
