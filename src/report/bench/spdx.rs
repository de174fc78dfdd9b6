//! The identifiers of licences that SPDX lists (spdx.org/licenses), deprecated ones too.

/// One a line, in the order of their lower-case letters.
const LICENSES: &str = include_str!("spdx_licenses.txt");

/// A text that is no identifier of a licence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownLicense {
    /// The identifier that is meant, where one is near.
    pub meant: Option<&'static str>,
}

/// Checks that a text is an identifier, letter for letter.
///
/// # Errors
/// One that is none, with what may be meant.
pub fn check(text: &str) -> Result<(), UnknownLicense> {
    let mut all = LICENSES.lines();
    if all.any(|id| id == text) {
        return Ok(());
    }
    let wanted = plain(text);
    let of = |is_meant: &dyn Fn(&str) -> bool| LICENSES.lines().rfind(|id| is_meant(&plain(id)));
    let same = of(&|id| id == wanted);
    // A name without its version means the last one.
    let with_version = || {
        of(&|id| {
            let rest = id.strip_prefix(&wanted);
            rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        })
    };
    let meant = match wanted.is_empty() {
        true => None,
        false => same.or_else(with_version),
    };
    Err(UnknownLicense { meant })
}

/// The letters and digits, without the words that people add.
fn plain(text: &str) -> String {
    let text = text.to_lowercase();
    let text = text.trim();
    let words = ["the ", " license", " licence"];
    let text = words
        .iter()
        .fold(text.to_owned(), |text, word| text.replace(word, ""));
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_known_letter_for_letter() {
        for id in [
            "MIT",
            "CC-BY-4.0",
            "CC0-1.0",
            "Apache-2.0",
            "GPL-3.0",
            "GPL-3.0-or-later",
            "0BSD",
            "ZPL-2.1",
        ] {
            assert_eq!(check(id), Ok(()), "{id}");
        }
        for (text, meant) in [
            ("cc-by-4.0", Some("CC-BY-4.0")),
            ("CC BY 4.0", Some("CC-BY-4.0")),
            ("CC-BY", Some("CC-BY-4.0")),
            ("The MIT License", Some("MIT")),
            ("apache 2.0", Some("Apache-2.0")),
            ("MIT OR Apache-2.0", None),
            ("all rights reserved", None),
            ("", None),
            ("  ", None),
            (" MIT", Some("MIT")),
            ("MIT\nGPL-3.0", None),
        ] {
            assert_eq!(check(text), Err(UnknownLicense { meant }), "{text}");
        }
        assert!(LICENSES.lines().count() > 690);
        assert!(LICENSES.lines().all(|id| !id.is_empty() && id.trim() == id));
    }
}
