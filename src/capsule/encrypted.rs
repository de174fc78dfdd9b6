//! Task files that are encrypted with a passphrase (OpenPGP), decrypted in memory alone.
//!
//! Source: RFC 4880, sections 4.2 (packet headers), 5.3 and 5.13. The published test files are of
//! this kind, so that no crawler takes their answers up.

#[cfg(feature = "encrypted")]
use std::io::Read as _;

use crate::domain::digest::Digest;
use crate::domain::excerpt;

/// The passphrase of the published test files, which is public.
const PUBLISHED: &str = "reproducibility";

/// A passphrase, which no debug print shows.
#[derive(Clone)]
pub struct Passphrase(String);

impl Passphrase {
    /// The first line of a text, without its end.
    pub fn from_text(text: &str) -> Self {
        Self(excerpt::first_line(text).to_owned())
    }

    /// As text, for decryption and no message.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Passphrase {
    /// That of the published test files.
    fn default() -> Self {
        Self(PUBLISHED.to_owned())
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Passphrase(..)")
    }
}

/// A published test file in plain text, by its size and the beginning of its digest.
struct PublishedFile {
    name: &'static str,
    bytes: usize,
    digest: &'static str,
}

const PUBLISHED_FILES: [PublishedFile; 2] = [
    PublishedFile {
        name: "CORE-Bench's test file",
        bytes: 51_677,
        digest: "b93d7fda4cba27a0",
    },
    PublishedFile {
        name: "HAL's copy of CORE-Bench's test file",
        bytes: 51_846,
        digest: "3b3f81c87c69b032",
    },
];

/// The plain text of an encrypted file, as far as it may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainText {
    pub bytes: usize,
    pub digest: Digest,
}

impl PlainText {
    /// Of a decrypted text.
    pub fn of(text: &[u8]) -> Self {
        Self {
            bytes: text.len(),
            digest: Digest::compute(text),
        }
    }

    /// The published file that it is.
    pub fn published(&self) -> Option<&'static str> {
        let hex = self.digest.hex();
        PUBLISHED_FILES
            .iter()
            .find(|file| file.bytes == self.bytes && hex.starts_with(file.digest))
            .map(|file| file.name)
    }
}

/// The error of a file that is not decrypted. It holds nothing of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecryptError {
    #[error(
        "this program is built without decryption: build it with `--features encrypted`, or decrypt the file \
         yourself (`gpg -d`)"
    )]
    NotBuilt,
    #[error("it is no OpenPGP message that a passphrase opens")]
    NoMessage,
    #[error("the passphrase is not its own, or it is damaged: `--passphrase-file` names another")]
    WrongPassphrase,
    #[error("it unpacks to more than {0} bytes")]
    TooLarge(u64),
}

/// Whether content is an OpenPGP message: armoured, or by the kind of its first packet (an encrypted
/// session key, or encrypted data).
pub fn is_encrypted(content: &[u8]) -> bool {
    const ARMOUR: &[u8] = b"-----BEGIN PGP MESSAGE-----";
    match content.first() {
        Some(first) if first & 0xc0 == 0xc0 => matches!(first & 0x3f, 1 | 3 | 9 | 18 | 20),
        Some(first) if first & 0x80 != 0 => matches!(first >> 2 & 0x0f, 1 | 3 | 9),
        _ => content.trim_ascii_start().starts_with(ARMOUR),
    }
}

/// Decrypts a message to at most `most` bytes.
///
/// # Errors
/// A build without decryption, no message, another passphrase, or a text that is too large.
#[cfg(not(feature = "encrypted"))]
pub fn decrypt(_: &[u8], _: &Passphrase, _: u64) -> Result<Vec<u8>, DecryptError> {
    Err(DecryptError::NotBuilt)
}

/// Decrypts a message to at most `most` bytes.
///
/// # Errors
/// No message, another passphrase, or a text that is too large.
#[cfg(feature = "encrypted")]
pub fn decrypt(content: &[u8], passphrase: &Passphrase, most: u64) -> Result<Vec<u8>, DecryptError> {
    /// Most layers of compression.
    const DEEPEST: usize = 3;
    let (message, _) = pgp::composed::Message::from_reader(content).map_err(|_| DecryptError::NoMessage)?;
    if !message.is_encrypted() {
        return Err(DecryptError::NoMessage);
    }
    let password = pgp::types::Password::from(passphrase.as_str());
    // An error of the library's may quote what it has read.
    let wrong = || DecryptError::WrongPassphrase;
    let mut message = message.decrypt_with_password(&password).map_err(|_| wrong())?;
    for _ in 0..DEEPEST {
        if message.is_compressed() {
            message = message.decompress().map_err(|_| wrong())?;
        }
    }
    let mut text = Vec::new();
    message
        .take(most + 1)
        .read_to_end(&mut text)
        .map_err(|_| wrong())?;
    if text.len() as u64 > most {
        return Err(DecryptError::TooLarge(most));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_texts_by_their_first_packet() {
        for message in [
            &b"\x8c\x0d\x04\x09"[..],
            b"\xc3\x0d\x04",
            b"\x85\x01\x0c",
            b"\xd2\xff",
            b"-----BEGIN PGP MESSAGE-----\n\n",
        ] {
            assert!(is_encrypted(message), "{message:?}");
        }
        for other in [
            &b"[{}]"[..],
            b"",
            b"\xef\xbb\xbf[",
            b"\x1f\x8b",
            b"-----BEGIN PGP PUBLIC KEY BLOCK-----",
        ] {
            assert!(!is_encrypted(other), "{other:?}");
        }
    }

    #[test]
    fn a_passphrase_is_the_first_line_and_is_not_shown() {
        let passphrase = Passphrase::from_text("open sesame \r\nmore");
        assert_eq!(passphrase.0, "open sesame ");
        assert!(!format!("{passphrase:?}").contains("sesame"));
    }

    #[test]
    fn only_the_published_texts_are_known() {
        assert_eq!(PlainText::of(b"[]").published(), None);
    }

    #[cfg(not(feature = "encrypted"))]
    #[test]
    fn a_build_without_decryption_says_how_to_get_one() {
        let error = decrypt(b"\x8c\x0d", &Passphrase::default(), 10).unwrap_err();
        assert!(error.to_string().contains("--features encrypted"));
    }
}
