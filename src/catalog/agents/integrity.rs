//! The integrity of a package, as registries print it.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{Algorithm, Context, SHA256, SHA512};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::domain::excerpt;

/// A digest of a package's bytes: `sha512-` or `sha256-`, and the digest in base 64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integrity {
    hash: Hash,
    digest: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    const ALL: [Self; 2] = [Self::Sha256, Self::Sha512];

    fn prefix(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256-",
            Self::Sha512 => "sha512-",
        }
    }

    fn algorithm(self) -> &'static Algorithm {
        match self {
            Self::Sha256 => &SHA256,
            Self::Sha512 => &SHA512,
        }
    }
}

/// A text that is no integrity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no integrity: write it as the registry prints it, `sha512-` or `sha256-` and base 64")]
pub struct NotAnIntegrity(String);

impl Integrity {
    /// The integrity that bytes have, by the same hash.
    ///
    /// # Errors
    /// What reading them fails with.
    pub fn of_reader(&self, mut reader: impl Read) -> io::Result<Self> {
        let mut context = Context::new(self.hash.algorithm());
        let mut buffer = vec![0_u8; 1 << 16];
        loop {
            let read = reader.read(&mut buffer)?;
            if read == 0 {
                let digest = context.finish().as_ref().to_vec();
                return Ok(Self {
                    hash: self.hash,
                    digest,
                });
            }
            context.update(&buffer[..read]);
        }
    }
}

impl FromStr for Integrity {
    type Err = NotAnIntegrity;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAnIntegrity(excerpt::shortened(text, 120));
        let found = Hash::ALL
            .into_iter()
            .find_map(|hash| Some((hash, text.strip_prefix(hash.prefix())?)));
        let (hash, digest) = found.ok_or_else(wrong)?;
        let digest = STANDARD.decode(digest).map_err(|_| wrong())?;
        if digest.len() != hash.algorithm().output_len() {
            return Err(wrong());
        }
        Ok(Self { hash, digest })
    }
}

impl fmt::Display for Integrity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}{}",
            self.hash.prefix(),
            STANDARD.encode(&self.digest)
        )
    }
}

impl Serialize for Integrity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Integrity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_registries_print_is_read_and_held_against_bytes() {
        // Of `abc`, by the examples of FIPS 180-4.
        let sha256 = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        let sha512 =
            "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
        for text in [sha256, sha512] {
            let integrity: Integrity = text.parse().unwrap();
            assert_eq!(integrity.to_string(), text);
            assert_eq!(integrity.of_reader(&b"abc"[..]).unwrap(), integrity);
            assert_ne!(integrity.of_reader(&b"abd"[..]).unwrap(), integrity);
        }
        for text in [
            "",
            "sha1-3VlZ",
            "sha512-AAAA",
            &sha256.replace("sha256", "sha512"),
            "sha256-*",
        ] {
            assert!(text.parse::<Integrity>().is_err(), "{text}");
        }
    }
}
