//! Exit codes: a vocabulary that scripts can rely on.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use crate::domain::failure::FailureCause;
use crate::engine::error::EngineError;
use crate::grading::discovery::error::DiscoveryError;
use crate::model::chat::ModelError;
use crate::network::package_index::error::IndexError;
use crate::sandbox::descriptors;

/// The status of a verb at its end. Whether a criterion was met is in the output, never here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The verb did what it was asked to do.
    Done,
    /// The things that were compared differ: a replay, a check, a generated file.
    Differs,
    /// The command line, a setting or a file it names is wrong.
    Usage,
    /// The study cannot be used.
    StudyInvalid,
    /// A stage failed; the run is finished and reported.
    StageFailed,
    /// A person has to answer first: `reprise approve`, then `reprise resume`.
    AwaitingApproval,
    /// A turn, token, time or money limit ended a stage.
    Limit,
    /// The provider, the sandbox, the disk or the machine failed: `reprise resume` goes on.
    Infrastructure,
    /// A signature is missing, by another key, or does not fit what it covers.
    Unverified,
    /// A signal stopped it: `reprise resume` goes on.
    Interrupted,
}

impl Status {
    /// Every status, for the help text.
    pub const ALL: [Self; 10] = [
        Self::Done,
        Self::Differs,
        Self::Usage,
        Self::StudyInvalid,
        Self::StageFailed,
        Self::AwaitingApproval,
        Self::Limit,
        Self::Infrastructure,
        Self::Unverified,
        Self::Interrupted,
    ];

    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Differs => 1,
            Self::Usage => 2,
            Self::StudyInvalid => 3,
            Self::StageFailed => 4,
            Self::AwaitingApproval => 5,
            Self::Limit => 6,
            Self::Infrastructure => 7,
            Self::Unverified => 8,
            Self::Interrupted => 130,
        }
    }

    /// The status with a code.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.code() == code)
    }

    /// The code's meaning, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done, whatever the verdict",
            Self::Differs => "what was compared differs",
            Self::Usage => "wrong usage or settings",
            Self::StudyInvalid => "the study cannot be used",
            Self::StageFailed => "a stage failed",
            Self::AwaitingApproval => "awaiting approval",
            Self::Limit => "a limit ended a stage",
            Self::Infrastructure => "infrastructure failed; resume goes on",
            Self::Unverified => "a signature is missing or does not fit",
            Self::Interrupted => "interrupted; resume goes on",
        }
    }

    /// The status of a run that ended because a stage failed.
    pub fn from_cause(cause: FailureCause) -> Self {
        match cause {
            FailureCause::Limit => Self::Limit,
            FailureCause::Infrastructure => Self::Infrastructure,
            FailureCause::Interrupted => Self::Interrupted,
            _ => Self::StageFailed,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

/// The failure of a verb: its status, and one sentence for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub status: Status,
    pub message: String,
}

impl Failure {
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            status: Status::Usage,
            message: message.into(),
        }
    }

    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    /// A file or a folder that cannot be used, with the reason.
    pub fn at(path: &Path, error: &dyn fmt::Display) -> Self {
        Self::new(Status::Infrastructure, format!("{}: {error}", path.display()))
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let status = match &error {
            EngineError::Study(_) => Status::StudyInvalid,
            EngineError::Stopped(_) => Status::Interrupted,
            EngineError::Catalog(_) | EngineError::Unusable(_) => Status::Usage,
            EngineError::Model(ModelError::Misconfigured(_) | ModelError::Drift(_)) => Status::Usage,
            EngineError::Index(
                IndexError::Address { .. } | IndexError::Certificates { .. } | IndexError::NoDates { .. },
            ) => Status::Usage,
            EngineError::Model(_)
            | EngineError::Index(_)
            | EngineError::Sandbox(_)
            | EngineError::Environment(_)
            | EngineError::Journal(_)
            | EngineError::Store(_)
            | EngineError::Impossible(_)
            | EngineError::DiskFull(_)
            | EngineError::Io { .. } => Status::Infrastructure,
        };
        let message = error.to_string();
        match descriptors::exhausted(&message) {
            Some(cause) => Self::new(Status::Infrastructure, format!("{message}: {cause}")),
            None => Self { status, message },
        }
    }
}

impl From<DiscoveryError> for Failure {
    fn from(error: DiscoveryError) -> Self {
        match error {
            DiscoveryError::Engine(error) => error.into(),
            error => Self::usage(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut codes: Vec<u8> = Status::ALL.iter().map(|status| status.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Status::ALL.len());
    }
}
