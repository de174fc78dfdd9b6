//! Dockerfiles that cannot be read at all.

/// The error of a Dockerfile that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DockerfileError {
    #[error("the Dockerfile has more than {} KiB", super::text::LARGEST >> 10)]
    TooLarge,
    #[error("the Dockerfile is no text")]
    NoText,
}
