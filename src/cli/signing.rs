//! The key that a person's decisions are signed with.

use std::path::PathBuf;

use clap::Args;

use crate::journal::signature::keys::SigningKey;

use super::exit::Failure;

/// The choice to sign.
#[derive(Debug, Clone, Args)]
pub struct SignArgs {
    /// Sign each decision of yours, and the end of the run, with this private Ed25519 key
    /// (PKCS#8 in PEM, as `openssl genpkey -algorithm ed25519 -out KEYFILE` makes one), for
    /// `reprise show verify`.
    #[arg(long = "sign", value_name = "KEYFILE", help_heading = "Record")]
    pub key: Option<PathBuf>,
}

impl SignArgs {
    /// The key, where one was named.
    ///
    /// # Errors
    /// A file that cannot be read, that others can reach, or that holds no such key.
    pub fn open(&self) -> Result<Option<SigningKey>, Failure> {
        let key = self.key.as_deref().map(SigningKey::open).transpose();
        key.map_err(|error| Failure::usage(format!("--sign: {error}")))
    }
}
