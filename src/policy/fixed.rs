//! The rules that no approver can lift.

use std::net::IpAddr;

use super::subject::{Execute, Network, Subject, Write};
use crate::addresses::private::is_private;
use crate::domain::replication;
use crate::domain::result_line;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;

/// The sentence that forbids a subject, where a fixed rule does.
pub fn forbids(subject: &Subject) -> Option<String> {
    match subject {
        Subject::Execute(execute) => forbids_execute(execute),
        Subject::Write(write) => forbids_write(write),
        Subject::Network(network) => forbids_network(network),
        Subject::Session(_) | Subject::Command(_) => None,
    }
}

fn forbids_execute(execute: &Execute) -> Option<String> {
    if execute.network == execute.hosts.is_empty() {
        return Some(
            "Code of a study runs without a network: declare packages in `docker_specs` and read data from \
             `replication_data/`."
                .to_owned(),
        );
    }
    if let Some(reason) = execute.hosts.iter().find_map(|host| off_the_web(host)) {
        return Some(reason);
    }
    let further = execute.variants.iter().flat_map(|variant| &variant.commands);
    if execute.commands.is_empty()
        || execute
            .commands
            .iter()
            .chain(further)
            .any(|one| one.words.is_empty())
    {
        return Some("There is no command to run: name an entry point in the plan.".to_owned());
    }
    let outside = execute
        .mounts
        .writable
        .iter()
        .find(|folder| !folder.starts_with(WorkspacePath::WORK))?;
    Some(format!(
        "`{outside}` cannot be made writable: code writes below `work/` and nowhere else."
    ))
}

fn forbids_write(write: &Write) -> Option<String> {
    let path = &write.path;
    if path.as_str() == result_line::FILE {
        return Some(format!(
            "`{path}` is written by the code that runs, and nobody else: record results with `reprise.report`."
        ));
    }
    if matches!(path.as_str(), "work/reprise.py" | "work/reprise.R") || path.starts_with("work/reprise") {
        return Some(format!(
            "`{path}` would stand in the way of the helper of that name: choose another one."
        ));
    }
    if path.starts_with(WorkspacePath::WORK) {
        return (path.as_str() == WorkspacePath::WORK)
            .then(|| "`work` is a folder: name a file in it, such as `work/analysis.py`.".to_owned());
    }
    if write.plan.as_ref() == Some(path) {
        return (write.after.is_none()).then(|| format!("`{path}` cannot be deleted: edit it instead."));
    }
    let plan = replication::artifact(Stage::DESIGN);
    if path.as_str() == plan {
        return Some(match write.stage {
            Stage::INTERPRET => format!("`{plan}` is finished: state deviations from it in your answer."),
            _ => {
                format!("`{plan}` is the answer of the design stage: give it as your answer, not as a file.")
            }
        });
    }
    if path.starts_with(WorkspacePath::DATA) {
        return Some(format!(
            "`{path}` is the study's data and stays as it is: write derived data below `work/`, \
             such as `work/{}`.",
            path.file_name()
        ));
    }
    if path.starts_with("logs") {
        return Some(format!(
            "`{path}` is a log that the engine writes: keep notes below `work/`, such as `work/notes.md`."
        ));
    }
    if matches!(path.as_str(), "original_paper.pdf" | "initial_details.txt") {
        return Some(format!(
            "`{path}` is the original study and stays as it is: write below `work/`."
        ));
    }
    if replication::STAGES
        .into_iter()
        .any(|stage| replication::artifact(stage) == path.as_str())
        || path.as_str() == "execution_result.json"
    {
        return Some(format!(
            "`{path}` is written by the engine from a stage's answer: give the content as your answer, \
             or write below `work/`."
        ));
    }
    Some(format!(
        "`{path}` is outside `work/`: write it as `work/{}` instead.",
        path.file_name()
    ))
}

fn forbids_network(network: &Network) -> Option<String> {
    if network.operators {
        return None;
    }
    off_the_web(&network.target)
}

fn off_the_web(target: &str) -> Option<String> {
    let host = target.trim_end_matches('.').to_ascii_lowercase();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let private = match bare.parse::<IpAddr>() {
        Ok(address) => is_private(address),
        Err(_) => {
            host.is_empty()
                || !host.contains('.')
                || [".localhost", ".local", ".internal", ".home.arpa"]
                    .iter()
                    .any(|end| host.ends_with(end))
        }
    };
    private.then(|| format!("`{host}` is not on the public web: only public pages can be fetched."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;
    use crate::policy::subject::{Owner, tests::execute};

    fn write(stage: Stage, path: &str) -> Option<String> {
        forbids(&Subject::Write(Write {
            stage,
            path: path.parse().unwrap(),
            owner: Owner::Agent,
            plan: (stage == Stage::EXECUTE).then(|| "replication_info.json".parse().unwrap()),
            before: None,
            after: Some(Digest::compute("x")),
        }))
    }

    #[test]
    fn only_work_is_written_and_the_plan_while_executing() {
        for stage in replication::STAGES.into_iter() {
            for good in ["work/a.py", "work/sub/b.R"] {
                assert_eq!(write(stage, good), None, "{stage} {good}");
            }
            for bad in [
                "",
                "work",
                "workaround.py",
                "Work/a.py",
                "replication_data/x.csv",
                "logs/run.log",
                "original_paper.pdf",
                "initial_details.txt",
                "post_registration.json",
                "execution_result.json",
                "execution_results.json",
                "interpret_results.json",
                "analysis.py",
                ".git/config",
            ] {
                let sentence = write(stage, bad).unwrap_or_else(|| panic!("{stage} wrote {bad:?}"));
                assert!(sentence.ends_with('.'), "{sentence}");
            }
            assert_eq!(
                write(stage, "replication_info.json").is_none(),
                stage == Stage::EXECUTE
            );
        }
        assert!(
            write(Stage::DESIGN, "replication_data/x.csv")
                .unwrap()
                .contains("`work/x.csv`")
        );
    }

    #[test]
    fn the_plan_of_any_stage_is_mended_and_never_deleted() {
        let plan: WorkspacePath = "outline.json".parse().unwrap();
        let write = |plan: Option<&WorkspacePath>, after: Option<Digest>| {
            forbids(&Subject::Write(Write {
                stage: "reproduce".parse().unwrap(),
                path: "outline.json".parse().unwrap(),
                owner: Owner::Agent,
                plan: plan.cloned(),
                before: None,
                after,
            }))
        };
        let after = Some(Digest::compute("x"));
        assert_eq!(write(Some(&plan), after), None);
        assert!(write(Some(&plan), None).unwrap().contains("cannot be deleted"));
        assert!(write(None, after).unwrap().contains("outside `work/`"));
    }

    #[test]
    fn an_execution_stays_offline_and_in_work() {
        assert_eq!(forbids(&Subject::Execute(Box::new(execute()))), None);
        let mut online = execute();
        online.network = true;
        assert!(
            forbids(&Subject::Execute(Box::new(online.clone()))).is_some(),
            "any host"
        );
        online.hosts = vec!["data.example.org".to_owned()];
        assert_eq!(forbids(&Subject::Execute(Box::new(online.clone()))), None);
        online.hosts.push("169.254.169.254".to_owned());
        assert!(forbids(&Subject::Execute(Box::new(online))).is_some());
        let mut wide = execute();
        wide.mounts.writable.push("replication_data".parse().unwrap());
        assert!(
            forbids(&Subject::Execute(Box::new(wide)))
                .unwrap()
                .contains("replication_data")
        );
        let mut idle = execute();
        idle.commands.clear();
        assert!(forbids(&Subject::Execute(Box::new(idle))).is_some());
    }

    #[test]
    fn hosts_around_the_machine_are_out_of_reach() {
        let ask = |target: &str| {
            forbids(&Subject::Network(Network {
                tool: "fetch_page".into(),
                target: target.into(),
                operators: false,
            }))
        };
        for good in ["osf.io", "8.8.8.8", "[2606:4700::1111]"] {
            assert_eq!(ask(good), None, "{good}");
        }
        for bad in [
            "",
            "localhost",
            "localhost.",
            "a.localhost",
            "db",
            "x.internal",
            "127.0.0.1",
            "10.1.2.3",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[fd00::1]",
            "[fe80::1]",
        ] {
            assert!(ask(bad).is_some(), "{bad}");
        }
    }
}
