//! The approver of what the fixed rules leave open.

use super::decision::Decision;
use super::file::PolicyFile;
use super::fixed;
use super::subject::{Owner, Subject};

/// The way a run's questions are decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approver {
    /// A person is asked before anything runs, before a copy of the study's
    /// code is overwritten or deleted, and once per host on the network.
    Ask,
    /// Everything that no fixed rule forbids.
    Auto,
    /// Nothing that a person would be asked about.
    Deny,
    /// Written rules; what they leave open is decided as by [`Approver::Ask`].
    Policy(PolicyFile),
}

impl Approver {
    /// The decision on one subject; a fixed rule always comes first.
    pub fn decide(&self, subject: &Subject) -> Decision {
        if let Some(reason) = fixed::forbids(subject) {
            return Decision::Forbid(reason);
        }
        match self {
            Self::Ask => careful(subject),
            Self::Auto => Decision::Allow,
            Self::Deny => match careful(subject) {
                Decision::Ask => Decision::Forbid(format!(
                    "This run was started with approvals denied, and this {} needs one.",
                    subject.action()
                )),
                other => other,
            },
            Self::Policy(file) => file.decide(subject).unwrap_or_else(|| careful(subject)),
        }
    }
}

/// What a careful replicator wants to be asked.
///
/// The agent's own files are not asked about one by one: each execution shows
/// all of them with their changes before anything runs, and a person who is
/// asked at every edit stops reading.
fn careful(subject: &Subject) -> Decision {
    match subject {
        Subject::Write(write) if write.owner == Owner::Agent => Decision::Allow,
        // The session in which it runs was decided on.
        Subject::Command(command) if command.program.is_none() => Decision::Allow,
        Subject::Command(_)
        | Subject::Write(_)
        | Subject::Execute(_)
        | Subject::Network(_)
        | Subject::Session(_) => Decision::Ask,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::digest::Digest;
    use crate::domain::stage::Stage;
    use crate::policy::subject::{AskingProgram, Network, SessionCommand, Write, tests::execute};

    fn write(owner: Owner, path: &str, before: bool) -> Subject {
        Subject::Write(Write {
            stage: Stage::DESIGN,
            path: path.parse().unwrap(),
            owner,
            plan: None,
            before: before.then(|| Digest::compute("before")),
            after: Some(Digest::compute("after")),
        })
    }

    fn permissive() -> Approver {
        let rules: String = ["execute", "edit", "write", "network", "session"]
            .iter()
            .map(|action| format!("[[rule]]\naction = \"{action}\"\ndecision = \"allow\"\n"))
            .collect();
        Approver::Policy(PolicyFile::parse("all.toml", &rules).unwrap())
    }

    #[test]
    fn each_approver_on_each_subject() {
        let own = write(Owner::Agent, "work/a.py", true);
        let copy = write(Owner::Study, "work/analysis.do", true);
        let run = Subject::Execute(Box::new(execute()));
        let page = Subject::Network(Network::from_link("fetch_page", "https://osf.io/x").unwrap());
        let command = |program: Option<AskingProgram>| {
            Subject::Command(SessionCommand {
                environment: "shell".to_owned(),
                text: "ls".to_owned(),
                program,
            })
        };
        let asked = command(Some(AskingProgram {
            agent: "a".to_owned(),
            directory: None,
        }));
        assert_eq!(Approver::Ask.decide(&command(None)), Decision::Allow);
        assert_eq!(Approver::Ask.decide(&asked), Decision::Ask);
        assert_eq!(Approver::Auto.decide(&asked), Decision::Allow);
        for subject in [&own, &copy, &run, &page] {
            assert_eq!(Approver::Auto.decide(subject), Decision::Allow);
            assert_eq!(permissive().decide(subject), Decision::Allow);
        }
        assert_eq!(Approver::Ask.decide(&own), Decision::Allow);
        assert_eq!(Approver::Deny.decide(&own), Decision::Allow);
        for subject in [&copy, &run, &page] {
            assert_eq!(Approver::Ask.decide(subject), Decision::Ask);
            assert!(matches!(Approver::Deny.decide(subject), Decision::Forbid(_)));
            let silent = Approver::Policy(PolicyFile::parse("none.toml", "").unwrap());
            assert_eq!(silent.decide(subject), Decision::Ask);
        }
    }

    proptest! {
        #[test]
        fn nobody_writes_outside_work(path in "[a-z_./]{0,24}", study: bool) {
            let owner = if study { Owner::Study } else { Owner::Agent };
            let Ok(parsed) = path.parse::<crate::domain::workspace_path::WorkspacePath>() else {
                return Ok(());
            };
            prop_assume!(!parsed.as_str().starts_with("work/"));
            for approver in [Approver::Ask, Approver::Auto, Approver::Deny, permissive()] {
                let decision = approver.decide(&write(owner, &path, false));
                prop_assert!(matches!(decision, Decision::Forbid(_)), "{:?} allowed {path}", approver);
            }
        }
    }
}
