//! Lists of digests as `sha256sum` writes them.

use std::collections::BTreeMap;

use crate::domain::digest::Digest;

/// Digests by the name of their file, without folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DigestList(BTreeMap<String, Digest>);

/// The error of a line that is none of a list of digests.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DigestListError {
    #[error("line {line} is not `DIGEST  NAME`, with 64 hexadecimal digits, as sha256sum writes it")]
    NoDigest { line: usize },
    #[error("line {line} gives {name} another digest than a line before it")]
    Contradiction { line: usize, name: String },
}

impl DigestList {
    /// Reads lines of a digest, two blanks (or a blank and `*`) and a name. Empty lines and those
    /// that begin with `#` are passed over.
    ///
    /// # Errors
    /// The first line that is neither, or contradicts one before it.
    pub fn parse(text: &str) -> Result<Self, DigestListError> {
        let mut digests = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || DigestListError::NoDigest { line: line_number };
            let (digits, name) = line.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
            let digest: Digest = format!("sha256:{}", digits.to_ascii_lowercase())
                .parse()
                .map_err(|_| wrong())?;
            let path = name.trim_start().trim_start_matches('*');
            let name = path.rsplit('/').next().unwrap_or(path).to_owned();
            if name.is_empty() {
                return Err(wrong());
            }
            if digests
                .insert(name.clone(), digest)
                .is_some_and(|earlier| earlier != digest)
            {
                return Err(DigestListError::Contradiction {
                    line: line_number,
                    name,
                });
            }
        }
        Ok(Self(digests))
    }

    /// The digest of a file.
    pub fn get(&self, name: &str) -> Option<Digest> {
        self.0.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_sha256sum_are_read() {
        let of = Digest::compute("abc");
        let text = format!(
            "# capsules\n{0}  a.tar.gz\n\n{1} *capsules/b.tar.gz\r\n{0}  a.tar.gz\n",
            of.hex(),
            of.hex().to_ascii_uppercase()
        );
        let list = DigestList::parse(&text).unwrap();
        assert_eq!(list.get("a.tar.gz"), Some(of));
        assert_eq!(list.get("b.tar.gz"), Some(of));
        assert_eq!(list.get("c.tar.gz"), None);
        let other = Digest::compute("other").hex();
        assert_eq!(
            DigestList::parse(&format!("{text}{other}  x/a.tar.gz")),
            Err(DigestListError::Contradiction {
                line: 6,
                name: "a.tar.gz".into()
            })
        );
        for wrong in ["abc  a", of.hex().as_str(), "a.tar.gz  ba7816bf"] {
            assert_eq!(
                DigestList::parse(&format!("\n{wrong}")),
                Err(DigestListError::NoDigest { line: 2 })
            );
        }
    }
}
