//! The sandboxes of attempts.

use std::process::Command;

use crate::need::need_that;

/// The sandbox of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Docker,
    Local,
}

impl Where {
    pub fn name(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Local => "local",
        }
    }
}

/// `None`, with a message, where no Docker daemon answers.
pub fn docker_answers() -> Option<()> {
    let info = Command::new("docker").args(["version", "--format", "1"]).output();
    need_that(
        info.is_ok_and(|output| output.status.success()),
        "no Docker daemon answers",
    )
}
