//! The user that a command runs as, so that its files come back owned by the caller.

use nix::unistd::{getegid, geteuid};

use crate::sandbox::beneath::Beneath;
use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::facts::DaemonFacts;
use crate::sandbox::ownership::{is_ours, next_user};

/// A user of the container, and what is needed for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// One that nobody else has; the workspace is lent to it and given back.
    Lent(u32),
    /// The caller's own, which is the same inside and outside.
    Own { user: u32, group: u32 },
    /// Root of a rootless daemon's user namespace: outside, and to every file, it
    /// is the caller; any other user there would leave files that the caller cannot touch.
    Mapped,
}

impl User {
    /// Chooses a user.
    pub fn from_facts(facts: &DaemonFacts) -> Result<Self, SandboxError> {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        Self::choose(facts, user, group)
    }

    fn choose(facts: &DaemonFacts, user: u32, group: u32) -> Result<Self, SandboxError> {
        match (facts.rootless, user) {
            (true, 0) => Err(SandboxError::Failed(format!(
                "the daemon at {} belongs to an ordinary user, who would own the run's files; run reprise as \
                 that user, or use the system's daemon",
                facts.address
            ))),
            (true, _) => Ok(Self::Mapped),
            (false, 0) => Ok(Self::Lent(next_user())),
            (false, _) => Ok(Self::Own { user, group }),
        }
    }

    /// The same, of a container in which something lies beneath a folder: of one that is lent its files, the
    /// owner of that.
    ///
    /// # Errors
    /// What lies beneath is gone, or belongs to somebody else.
    pub fn over(self, beneath: Option<&Beneath>) -> Result<Self, SandboxError> {
        match (beneath, self) {
            (Some(beneath), Self::Lent(_)) => {
                let owner = beneath.owner();
                owner
                    .map(Self::Lent)
                    .map_err(|why| SandboxError::Failed(why.to_string()))
            }
            (_, chosen) => Ok(chosen),
        }
    }

    /// The user of a container that runs, from the text that it was given.
    pub fn parse(text: &str, facts: &DaemonFacts) -> Option<Self> {
        let (user, group) = text.split_once(':')?;
        let (user, group) = (user.parse().ok()?, group.parse().ok()?);
        Some(match (facts.rootless, user) {
            (true, _) => Self::Mapped,
            (false, user) if is_ours(user) => Self::Lent(user),
            (false, user) => Self::Own { user, group },
        })
    }

    /// User and group as the container is given them.
    pub fn text(self) -> String {
        match self {
            Self::Lent(user) => format!("{user}:{user}"),
            Self::Own { user, group } => format!("{user}:{group}"),
            Self::Mapped => "0:0".to_owned(),
        }
    }

    /// The user namespace to ask for, where the daemon's own choice would not do.
    pub fn namespace(self, facts: &DaemonFacts) -> Option<String> {
        // Users that are others outside would own what they write.
        (facts.remapped && self != Self::Mapped).then(|| "host".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use bollard::models::{SystemInfo, SystemVersion};

    use super::*;

    fn facts(security: &[&str]) -> DaemonFacts {
        let info = SystemInfo {
            security_options: Some(security.iter().map(|&option| option.to_owned()).collect()),
            ..SystemInfo::default()
        };
        DaemonFacts::new("unix:///x", SystemVersion::default(), info)
    }

    #[test]
    fn files_come_back_to_the_caller_whoever_the_daemon_is() {
        let system = facts(&["name=seccomp,profile=default"]);
        let own = User::choose(&system, 1000, 100).unwrap();
        assert_eq!((own.text().as_str(), own.namespace(&system)), ("1000:100", None));
        let lent = User::choose(&system, 0, 0).unwrap();
        assert!(matches!(lent, User::Lent(user) if crate::sandbox::ownership::is_ours(user)));
        assert_eq!(User::parse(&lent.text(), &system), Some(lent));
        let own = User::Own {
            user: 1000,
            group: 100,
        };
        assert_eq!(User::parse(&own.text(), &system), Some(own));
        assert_eq!(User::parse("nobody", &system), None);
        assert_ne!(
            lent,
            User::choose(&system, 0, 0).unwrap(),
            "two executions share a user"
        );
        let rootless = facts(&["name=seccomp,profile=default", "name=rootless"]);
        assert_eq!(User::choose(&rootless, 1000, 100).unwrap().text(), "0:0");
        // Root cannot own what an ordinary user's daemon writes.
        assert!(
            User::choose(&rootless, 0, 0)
                .unwrap_err()
                .to_string()
                .contains("run reprise as that user")
        );
        let remapped = facts(&["name=userns"]);
        assert_eq!(
            User::choose(&remapped, 1000, 100)
                .unwrap()
                .namespace(&remapped)
                .as_deref(),
            Some("host")
        );
    }
}
