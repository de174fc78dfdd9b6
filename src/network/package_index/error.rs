//! Errors of asking an index.

/// An index that does not answer as it should; nothing is written of what it said before.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("the index address `{address}` cannot be used: {reason}")]
    Address { address: String, reason: String },
    #[error("no HTTP client can be made: {0}")]
    NoClient(String),
    #[error("{path} cannot be used as certificates: {reason}")]
    Certificates { path: String, reason: String },
    #[error(
        "{address} cannot be reached ({reason}) after {answered} answers of the index: nothing is kept of them; try again \
         when it is up, or name another with `--index` or `--cran`"
    )]
    Unreachable {
        address: String,
        reason: String,
        answered: usize,
    },
    #[error(
        "{address} gave no answer for {waited} s, in {attempts} attempts, after {answered} answers of the index: nothing is \
         kept of them; try again when it answers, or name another with `--index` or `--cran`"
    )]
    Silent {
        address: String,
        waited: u64,
        attempts: u32,
        answered: usize,
    },
    #[error(
        "{address} answers with status {status} after {answered} answers of the index: nothing is kept of them"
    )]
    Status {
        address: String,
        status: u16,
        answered: usize,
    },
    #[error(
        "{address} answers in {kind}, and not in the JSON form of the simple index, so that it gives no dates: name an index \
         that does with `--index`"
    )]
    NoDates { address: String, kind: String },
    #[error("{address}: {reason}")]
    Content { address: String, reason: String },
    #[error("{address} is larger than the {most} bytes that are read of it")]
    TooLarge { address: String, most: usize },
    #[error("the index leads to {0}, which is not on the public web, nor the index itself")]
    LeadsInside(String),
}
