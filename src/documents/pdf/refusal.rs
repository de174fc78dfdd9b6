//! The error of a PDF that cannot be opened.

use crate::documents::limits::ReadError;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError};

/// What a file that cannot be opened is told to be.
pub fn refusal(error: LoadPdfError) -> ReadError {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            ReadError::Encrypted("a password is needed to open it".to_owned())
        }
        LoadPdfError::Decryption(other) => ReadError::Encrypted(format!("{other:?}")),
        LoadPdfError::Invalid => ReadError::Damaged(
            "it begins like a PDF, and its page tree cannot be found or rebuilt".to_owned(),
        ),
    }
}
