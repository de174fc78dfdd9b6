//! Rules that an operator writes down.

use serde::Deserialize;
use toml::Spanned;

use super::cap::Cap;
use super::decision::Decision;
use super::glob::Glob;
use super::limits::Budget;
use super::scope::Quantity;
use super::subject::{Action, Subject};
use crate::domain::text_place::{line_of, with_quotes};

/// A policy file: a list of rules, of which the first that fits decides.
///
/// ```toml
/// [[rule]]
/// action = "execute"        # or "edit", "write", "network", "session", "command"
/// path = "work/*.py"        # files, the host of a network call, or the text of a command; absent: all
/// decision = "allow"        # or "ask", "deny"
/// reason = "scripts of our own group"
///
/// [budget]                  # as the flags of the same names take them
/// max-cost = ["5", "turn=0.25"]
/// max-tokens = ["design=500k"]
/// ```
///
/// An execution fits an `allow` rule only where all its files match, and an
/// `ask` or `deny` rule where any of them does; the same holds for the lines of a command that is given
/// to a session. Commands that no rule fits are not asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFile {
    name: String,
    rules: Vec<Rule>,
    budget: Budget,
}

/// A policy file that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {problem}")]
pub struct BadPolicy {
    pub file: String,
    pub line: usize,
    pub problem: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    line: usize,
    action: Action,
    path: Option<Glob>,
    ruling: Ruling,
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ruling {
    Allow,
    Ask,
    Deny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    rule: Vec<Spanned<WrittenRule>>,
    #[serde(default)]
    budget: WrittenBudget,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenBudget {
    max_turns: Vec<Spanned<String>>,
    max_tokens: Vec<Spanned<String>>,
    max_cost: Vec<Spanned<String>>,
    max_time: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    action: Action,
    path: Option<Spanned<String>>,
    decision: Ruling,
    reason: Option<String>,
}

impl PolicyFile {
    /// Reads a policy; `name` is the file's name in messages.
    ///
    /// # Errors
    /// TOML that cannot be read, or a rule, pattern or cap that is none, with its line.
    pub fn parse(name: &str, text: &str) -> Result<Self, BadPolicy> {
        let bad = |offset: usize, problem: String| BadPolicy {
            file: name.to_owned(),
            line: line_of(text, offset),
            problem,
        };
        let written: Written = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            bad(
                offset,
                with_quotes(text, offset, &error.message().replace('\n', "; ")),
            )
        })?;
        let rules = written
            .rule
            .into_iter()
            .map(|rule| {
                let line = line_of(text, rule.span().start);
                let rule = rule.into_inner();
                let path = rule
                    .path
                    .map(|path| {
                        let offset = path.span().start;
                        Glob::parse(path.get_ref()).map_err(|error| bad(offset, error.to_string()))
                    })
                    .transpose()?;
                Ok(Rule {
                    line,
                    action: rule.action,
                    path,
                    ruling: rule.decision,
                    reason: rule.reason,
                })
            })
            .collect::<Result<_, _>>()?;
        let mut budget = Budget::default();
        let caps = [
            (Quantity::Turns, written.budget.max_turns),
            (Quantity::Tokens, written.budget.max_tokens),
            (Quantity::Money, written.budget.max_cost),
            (Quantity::Seconds, written.budget.max_time),
        ];
        for (quantity, caps) in caps {
            for cap in caps {
                let read = Cap::parse(quantity, cap.get_ref());
                budget.set(read.map_err(|problem| bad(cap.span().start, problem.to_string()))?);
            }
        }
        Ok(Self {
            name: name.to_owned(),
            rules,
            budget,
        })
    }

    /// What the file allows the model's calls to come to.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Whether a rule holds single commands of a session back, until somebody is asked or for good.
    pub fn holds_commands_back(&self) -> bool {
        let mut of_commands = self.rules.iter().filter(|rule| rule.action == Action::Command);
        of_commands.any(|rule| matches!(rule.ruling, Ruling::Ask | Ruling::Deny))
    }

    /// What the first fitting rule says; `None` where no rule fits.
    pub fn decide(&self, subject: &Subject) -> Option<Decision> {
        let rule = self.rules.iter().find(|rule| rule.fits(subject))?;
        Some(match rule.ruling {
            Ruling::Allow => Decision::Allow,
            Ruling::Ask => Decision::Ask,
            Ruling::Deny => Decision::Forbid(match &rule.reason {
                Some(reason) => format!("The policy of this run forbids it: {reason}"),
                None => format!(
                    "The policy of this run forbids it (rule at line {} of {}).",
                    rule.line, self.name
                ),
            }),
        })
    }
}

impl Rule {
    fn fits(&self, subject: &Subject) -> bool {
        if self.action != subject.action() {
            return false;
        }
        let Some(glob) = &self.path else { return true };
        match subject {
            Subject::Write(write) => glob.matches(write.path.as_str()),
            Subject::Network(network) => glob.matches(&network.target),
            Subject::Session(session) => glob.matches(&session.environment),
            Subject::Command(command) => {
                let lines = command
                    .text
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty());
                let mut lines = lines.map(|line| glob.matches(line)).peekable();
                match self.ruling {
                    Ruling::Allow => lines.peek().is_some() && lines.all(|matches| matches),
                    Ruling::Ask | Ruling::Deny => lines.any(|matches| matches),
                }
            }
            Subject::Execute(execute) => {
                let mut files = execute.files.iter().map(|file| glob.matches(file.path.as_str()));
                match self.ruling {
                    Ruling::Allow => !execute.files.is_empty() && files.all(|matches| matches),
                    Ruling::Ask | Ruling::Deny => files.any(|matches| matches),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;
    use crate::domain::stage::Stage;
    use crate::policy::approver::Approver;
    use crate::policy::subject::{Owner, SessionCommand, Write, tests::execute};

    const POLICY: &str = r#"
[[rule]]
action = "execute"
path = "work/secret/**"
decision = "deny"
reason = "that folder is under review."

[[rule]]
action = "execute"
path = "work/*.py"
decision = "allow"

[[rule]]
action = "edit"
decision = "deny"
"#;

    fn with(paths: &[&str]) -> Subject {
        let mut it = execute();
        let template = it.files[0].clone();
        it.files = paths
            .iter()
            .map(|path| {
                let mut file = template.clone();
                file.path = path.parse().unwrap();
                file
            })
            .collect();
        Subject::Execute(Box::new(it))
    }

    #[test]
    fn the_first_fitting_rule_decides() {
        let policy = PolicyFile::parse("policy.toml", POLICY).unwrap();
        assert_eq!(
            policy.decide(&with(&["work/a.py", "work/b.py"])),
            Some(Decision::Allow)
        );
        let Some(Decision::Forbid(reason)) = policy.decide(&with(&["work/a.py", "work/secret/b.py"])) else {
            panic!("one file under review was allowed");
        };
        assert!(reason.ends_with("under review."));
    }

    #[test]
    fn an_allow_rule_needs_every_file() {
        let policy = PolicyFile::parse("policy.toml", POLICY).unwrap();
        assert_eq!(policy.decide(&with(&["work/a.py", "work/b.R"])), None);
        assert_eq!(policy.decide(&with(&[])), None);
    }

    #[test]
    fn edits_and_new_files_are_told_apart() {
        let policy = PolicyFile::parse("policy.toml", POLICY).unwrap();
        let write = |before| {
            Subject::Write(Write {
                stage: Stage::DESIGN,
                path: "work/a.py".parse().unwrap(),
                owner: Owner::Agent,
                plan: None,
                before,
                after: Some(Digest::compute("x")),
            })
        };
        assert_eq!(policy.decide(&write(None)), None);
        let Some(Decision::Forbid(reason)) = policy.decide(&write(Some(Digest::compute("y")))) else {
            panic!("an edit was not denied");
        };
        assert!(reason.contains("line 13 of policy.toml"), "{reason}");
    }

    #[test]
    fn commands_are_ruled_on_line_by_line() {
        let text = "[[rule]]\naction = \"command\"\npath = \"pip install **\"\ndecision = \"deny\"\n\
                    [[rule]]\naction = \"command\"\npath = \"ls*\"\ndecision = \"allow\"\n\
                    [[rule]]\naction = \"command\"\ndecision = \"ask\"\n";
        let policy = PolicyFile::parse("p.toml", text).unwrap();
        let decide = |text: &str| {
            policy.decide(&Subject::Command(SessionCommand {
                environment: "shell".to_owned(),
                text: text.to_owned(),
                program: None,
            }))
        };
        assert!(matches!(
            decide("cd x\n  pip install https://a/b"),
            Some(Decision::Forbid(_))
        ));
        assert_eq!(decide("ls -la\n\nls"), Some(Decision::Allow));
        assert_eq!(decide("ls\nrm -r data"), Some(Decision::Ask));
        let silent = PolicyFile::parse("p.toml", "").unwrap();
        let command = Subject::Command(SessionCommand {
            environment: "shell".to_owned(),
            text: "ls".to_owned(),
            program: None,
        });
        assert_eq!(silent.decide(&command), None);
        for approver in [
            Approver::Policy(silent),
            Approver::Ask,
            Approver::Deny,
            Approver::Auto,
        ] {
            assert_eq!(
                approver.decide(&command),
                Decision::Allow,
                "the session was decided on"
            );
        }
    }

    #[test]
    fn mistakes_name_file_and_line() {
        let cases = [
            ("[[rule]]\naction = \"run\"\ndecision = \"allow\"\n", 2, "run"),
            (
                "[[rule]]\naction = \"edit\"\ndecision = \"allow\"\npth = \"x\"\n",
                4,
                "pth",
            ),
            (
                "[[rule]]\naction = \"edit\"\npath = \"\"\ndecision = \"allow\"\n",
                3,
                "pattern",
            ),
            ("\n\n[[rule]]\naction = \"edit\"\n", 3, "decision"),
            ("[[rule]\n", 1, ""),
        ];
        for (text, line, word) in cases {
            let error = PolicyFile::parse("p.toml", text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(
                error.to_string().contains(word) && error.to_string().starts_with("p.toml, line"),
                "{error}"
            );
        }
    }
}
