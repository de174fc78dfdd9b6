//! Masking of secret keys in what providers answer.

use crate::model::key::Key;

/// Bytes of the shortest key that is masked.
const SHORTEST: usize = 8;

impl Key {
    /// `text` with every occurrence of the secret masked, as bytes.
    ///
    /// Providers have been seen to echo a key in an error page. A key of fewer
    /// than 8 characters is left alone: masking `x` would ruin every answer.
    pub fn mask(&self, text: Vec<u8>) -> Vec<u8> {
        let secret = self.expose().as_bytes();
        if secret.len() < SHORTEST {
            return text;
        }
        let finder = memchr::memmem::Finder::new(secret);
        let mut found = finder.find_iter(&text).peekable();
        if found.peek().is_none() {
            return text;
        }
        let mut masked = Vec::with_capacity(text.len());
        let mut rest = 0;
        for at in found {
            masked.extend_from_slice(&text[rest..at]);
            masked.extend_from_slice(b"[key]");
            rest = at + secret.len();
        }
        masked.extend_from_slice(&text[rest..]);
        masked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_masked_in_what_comes_back() {
        let key = Key::new(" sk-canary-0123456789\n").unwrap();
        let echoed = b"bad key sk-canary-0123456789, sk-canary-0123456789!".to_vec();
        assert_eq!(key.mask(echoed), b"bad key [key], [key]!");
        assert_eq!(key.mask(b"nothing".to_vec()), b"nothing");
    }
}
