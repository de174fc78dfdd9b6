//! Ed25519 keys (RFC 8032) in the files of openssl and ssh.

use std::fmt;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};

/// Most bytes of a file with a key.
const LARGEST: u64 = 64 << 10;
/// What stands before the key's own bytes in a public key of RFC 8410.
const PREFIX: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];
/// The name of the kind of key in the files of ssh.
const SSH: &str = "ssh-ed25519";
/// The permissions of anybody but the owner.
const OTHERS: u32 = 0o077;

/// The error of a file that gives no key. No error holds a part of the file.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("the key {path} cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error(
        "the key {path} has permissions {mode:03o}, so that others can sign with it: run `chmod 600 {path}`, or make another"
    )]
    Open { path: String, mode: u32 },
    #[error(
        "{path} holds no private Ed25519 key as PKCS#8 in PEM: `openssl genpkey -algorithm ed25519 -out {path}` makes one"
    )]
    NotPrivate { path: String },
    #[error(
        "{path} holds no public Ed25519 key in PEM or of ssh: `openssl pkey -in KEYFILE -pubout -out {path}` writes that of a private one"
    )]
    NotPublic { path: String },
}

/// A key that signs.
#[derive(Clone)]
pub struct SigningKey(Arc<Ed25519KeyPair>);

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningKey(..)")
    }
}

impl SigningKey {
    /// Reads a private key that nobody but its owner can reach.
    ///
    /// # Errors
    /// A file that cannot be read, that others can reach, or that holds no such key.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        let (text, mode) = read(path)?;
        let path = path.display().to_string();
        if mode & OTHERS != 0 {
            return Err(KeyError::Open { path, mode });
        }
        let pair = PrivatePkcs8KeyDer::from_pem_slice(&text)
            .ok()
            .and_then(|der| Ed25519KeyPair::from_pkcs8_maybe_unchecked(der.secret_pkcs8_der()).ok());
        pair.map(|pair| Self(Arc::new(pair)))
            .ok_or(KeyError::NotPrivate { path })
    }

    /// The public half.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(bytes)
    }

    /// The signature of a message.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(message).as_ref().to_vec()
    }
}

/// A key that tells whether a signature is its other half's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Reads a public key: PEM as openssl writes it, or a line of ssh's.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds no such key.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        let (text, _) = read(path)?;
        let path = path.display().to_string();
        from_pem(&text)
            .or_else(|| from_ssh(&text))
            .ok_or(KeyError::NotPublic { path })
    }

    /// Whether the signature is one of the message by the other half of this key.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0)
            .verify(message, signature)
            .is_ok()
    }

    /// The key in Base64, as it stands beside signatures.
    pub fn encoded(&self) -> String {
        STANDARD.encode(self.0)
    }
}

fn read(path: &Path) -> Result<(Vec<u8>, u32), KeyError> {
    let unreadable = |source| KeyError::Unreadable {
        path: path.display().to_string(),
        source,
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(std::io::Error::other("it is no file")));
    }
    let mut text = Vec::new();
    file.take(LARGEST).read_to_end(&mut text).map_err(unreadable)?;
    Ok((text, metadata.mode() & 0o777))
}

fn from_pem(text: &[u8]) -> Option<PublicKey> {
    let der = SubjectPublicKeyInfoDer::from_pem_slice(text).ok()?;
    let bytes = der.as_ref().strip_prefix(&PREFIX)?;
    bytes.try_into().ok().map(PublicKey)
}

/// The first key of its kind: a name and the key, each behind its length.
fn from_ssh(text: &[u8]) -> Option<PublicKey> {
    let text = std::str::from_utf8(text).ok()?;
    let encoded = text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(SSH)).then(|| words.next()).flatten()
    })?;
    let bytes = STANDARD.decode(encoded).ok()?;
    let (name, rest) = field(&bytes)?;
    let (key, rest) = field(rest)?;
    (name == SSH.as_bytes() && rest.is_empty())
        .then(|| key.try_into().ok().map(PublicKey))
        .flatten()
}

fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// The first key of RFC 8032, section 7.1, as openssl and ssh write it.
    const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
        -----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
        -----END PUBLIC KEY-----\n";
    const OF_SSH: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea someone@somewhere\n";

    fn file(text: &str, mode: u32) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn keys_are_read_as_openssl_and_ssh_write_them_and_sign_as_published() {
        let signing = SigningKey::open(file(PRIVATE, 0o600).path()).unwrap();
        let public = PublicKey::open(file(PUBLIC, 0o644).path()).unwrap();
        assert_eq!(signing.public(), public);
        assert_eq!(PublicKey::open(file(OF_SSH, 0o644).path()).unwrap(), public);
        // RFC 8032, section 7.1, test 1: the signature of nothing.
        let signature = signing.sign(b"");
        assert_eq!(signature[..4], [0xe5, 0x56, 0x43, 0x00]);
        assert!(public.verifies(b"", &signature) && !public.verifies(b"x", &signature));
        assert_eq!(format!("{signing:?}"), "SigningKey(..)");
    }

    #[test]
    fn a_file_that_gives_no_key_is_named_with_the_way_out() {
        let told = |text: &str, mode| SigningKey::open(file(text, mode).path()).unwrap_err().to_string();
        assert!(
            told(PRIVATE, 0o644).contains("`chmod 600"),
            "{}",
            told(PRIVATE, 0o644)
        );
        for text in [
            PUBLIC,
            "",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ] {
            assert!(told(text, 0o600).contains("openssl genpkey"), "{text}");
        }
        for text in [PRIVATE, "", "ssh-ed25519 AAAA", "ssh-rsa AAAAB3NzaC1yc2E="] {
            let told = PublicKey::open(file(text, 0o644).path()).unwrap_err().to_string();
            assert!(told.contains("openssl pkey"), "{text}");
        }
        let missing = PublicKey::open(Path::new("/nowhere/k.pem"))
            .unwrap_err()
            .to_string();
        assert!(missing.contains("/nowhere/k.pem"), "{missing}");
    }
}
