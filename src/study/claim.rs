//! Reading `initial_details.txt`.

use encoding_rs::{Encoding, WINDOWS_1252};

use crate::domain::claim::Claim;

/// A claim as read, with what was odd about its file.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadClaim {
    pub claim: Claim,
    /// Whole sentences.
    pub notes: Vec<String>,
}

/// A text that gives no claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    #[error("`{0}` stands in it twice; keep one")]
    Twice(&'static str),
    #[error("it has no `[CLAIM]` line; add one above the claim")]
    NoClaim,
    #[error("nothing stands below `[CLAIM]`; write the claim there")]
    EmptyClaim,
}

/// Reads the claim and hypotheses.
///
/// Headings are `[CLAIM]` and `[HYPOTHESIS]` or `[HYPOTHESES]`, in any case, at
/// the start of a line. Line ends become `\n` and each part is trimmed.
///
/// # Errors
/// What the text lacks or says twice.
pub fn read(bytes: &[u8]) -> Result<ReadClaim, ClaimError> {
    let mut notes = Vec::new();
    let text = decode(bytes, &mut notes);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut parts: [Option<String>; 2] = [None, None];
    let mut before = String::new();
    let mut current = None;
    for line in text.split('\n') {
        let content = match heading(line) {
            Some((part, rest)) => {
                if parts[part].is_some() {
                    return Err(ClaimError::Twice(["[CLAIM]", "[HYPOTHESIS]"][part]));
                }
                parts[part] = Some(String::new());
                current = Some(part);
                rest
            }
            None => line,
        };
        let target = current
            .and_then(|part| parts[part].as_mut())
            .unwrap_or(&mut before);
        target.push_str(content);
        target.push('\n');
    }
    let [claim, hypotheses] = parts.map(|part| part.map(|text| text.trim().to_owned()));
    let statement = claim.ok_or(ClaimError::NoClaim)?;
    if statement.is_empty() {
        return Err(ClaimError::EmptyClaim);
    }
    if !before.trim().is_empty() {
        notes.push("The text above the first heading is not used.".to_owned());
    }
    let hypotheses = hypotheses.unwrap_or_default();
    if hypotheses.is_empty() {
        notes.push("No hypothesis is given below `[HYPOTHESIS]`.".to_owned());
    }
    Ok(ReadClaim {
        claim: Claim {
            statement,
            hypotheses,
            criterion: None,
            variants: Vec::new(),
        },
        notes,
    })
}

/// Text by its byte order mark, else as UTF-8, else as Windows-1252.
fn decode(bytes: &[u8], notes: &mut Vec<String>) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding
            .decode_without_bom_handling(&bytes[length..])
            .0
            .into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            notes.push("The text is not UTF-8 and was read as Windows-1252.".to_owned());
            WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
        }
    }
}

/// The part that a line opens, and what follows on the line.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let (name, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let part = match name.trim().to_ascii_uppercase().as_str() {
        "CLAIM" | "CLAIMS" => 0,
        "HYPOTHESIS" | "HYPOTHESES" => 1,
        _ => return None,
    };
    Some((part, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(bytes: &[u8]) -> (String, String) {
        let claim = read(bytes).unwrap().claim;
        (claim.statement, claim.hypotheses)
    }

    #[test]
    fn line_ends_marks_and_headings_vary() {
        let expected = ("x is up\n(b = .3)".to_owned(), "x rises".to_owned());
        for text in [
            "[CLAIM]\nx is up\n(b = .3)\n\n[HYPOTHESIS]\nx rises",
            "[CLAIM]\r\nx is up\r\n(b = .3)\r\n\r\n[HYPOTHESES]\r\nx rises\r\n",
            "[CLAIM]\rx is up\r(b = .3)\r[HYPOTHESIS]\rx rises\r",
            "\u{feff}[Claim] x is up\n(b = .3)\n [ hypotheses ] x rises",
            "[HYPOTHESIS]\nx rises\n[CLAIM]\nx is up\n(b = .3)",
        ] {
            assert_eq!(parts(text.as_bytes()), expected, "{text:?}");
        }
        let wide: Vec<u8> = std::iter::once(0xfeff_u16)
            .chain("[CLAIM]\nx is up\n(b = .3)\n[HYPOTHESIS]\nx rises".encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(parts(&wide), expected);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_windows_1252() {
        let read = read(b"[CLAIM]\n\x93up\x94 2 \xd7 2\n[HYPOTHESIS]\nh").unwrap();
        assert_eq!(read.claim.statement, "“up” 2 × 2");
        assert_eq!(read.notes.len(), 1);
    }

    #[test]
    fn brackets_inside_a_claim_are_text() {
        let (claim, _) = parts(b"[CLAIM]\nb = 2\n[95% CI 1, 3] [p < .001]\n[HYPOTHESIS]\nh");
        assert_eq!(claim, "b = 2\n[95% CI 1, 3] [p < .001]");
    }

    #[test]
    fn what_is_missing_is_said() {
        for (text, words) in [
            ("", "no `[CLAIM]`"),
            ("a claim", "no `[CLAIM]`"),
            ("[CLAIM]\n \n[HYPOTHESIS]\nh", "nothing stands below"),
            ("[CLAIM]\na\n[CLAIM]\nb", "twice"),
        ] {
            assert!(
                read(text.as_bytes()).unwrap_err().to_string().contains(words),
                "{text:?}"
            );
        }
        assert_eq!(read(b"title\n[CLAIM]\na").unwrap().notes.len(), 2);
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_claim_or_a_sentence(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            match read(&bytes) {
                Ok(read) => prop_assert!(!read.claim.statement.is_empty()),
                Err(problem) => {
                    let words = problem.to_string();
                    prop_assert!(words.contains("[CLAIM]") || words.contains("[HYPOTHESIS]"));
                }
            }
        }

        #[test]
        fn words_survive_any_line_ends(
            claim in "[a-zé×]{1,9}( [0-9.,(<=]{1,6}){0,5}",
            hypothesis in "[a-z]{1,9}( [a-z]{1,6}){0,5}",
            end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
            plural: bool, mark: bool,
        ) {
            let name = if plural { "HYPOTHESES" } else { "HYPOTHESIS" };
            let mark = if mark { "\u{feff}" } else { "" };
            let text = format!("{mark}[CLAIM]{end}{claim}{end}{end}[{name}]{end}{hypothesis}{end}");
            prop_assert_eq!(parts(text.as_bytes()), (claim, hypothesis));
        }
    }
}
