//! Attempts whose engine is killed, and that are resumed: with their container, and without it.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::attempt::{Attempt, called};
use crate::capsule::{Capsule, Level};
use crate::model::Model;
use crate::need::until;
use crate::place::{Place, Where};
use crate::python;

/// Commands that leave marks in the shell and in the folder, one of which takes a while.
const ACTS: &[&str] = &[
    "cd code; export MARK=lasting; TOKEN=$(cat /proc/sys/kernel/random/uuid)",
    "echo \"token $TOKEN\"",
    "echo step >> ../steps.txt; sleep 0.7; echo slow; wc -l < ../steps.txt",
    "python3 zoo.py --data ../data --results ../results; cat ../results/figure_1.svg",
    "echo \"token $TOKEN\"; echo \"$MARK ${PWD##*/} $(wc -l < ../steps.txt)\"",
];

/// The event behind which the command that takes a while is at work: `model_answered` of turn 3.
const AT_WORK: usize = 12;

/// The event behind which the session's environment stands in the journal.
const BUILT: usize = 6;

fn capsule() -> Capsule {
    Capsule {
        acts: |_| ACTS,
        ..python::zoo()
    }
}

/// A capsule, and a model that answers for its agent.
struct Killed {
    capsule: Capsule,
    place: Place,
    model: Model,
    sandbox: Where,
}

impl Killed {
    fn new(sandbox: Where) -> Option<Self> {
        let capsule = capsule();
        let place = Place::with(&capsule, sandbox)?;
        let model = Model::start(&capsule.recording(Level::Hard, &capsule.answers()));
        Some(Self {
            capsule,
            place,
            model,
            sandbox,
        })
    }

    fn begin(&self) -> Command {
        let mut command = called(&self.place, Level::Hard, self.sandbox, &self.model.name(), "out");
        command.env("REPRISE_MODEL_KEY", "sk-test");
        command
    }

    /// Dies right behind its event of that number.
    fn dies_behind(&self, event: usize) {
        let output = self
            .begin()
            .env("REPRISE_DIE_AFTER_EVENT", event.to_string())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            None,
            "event {event} did not kill it: {said}"
        );
    }

    /// Is killed once its journal has that many lines, and some time later.
    fn killed_at(&self, lines: usize, later: Duration) {
        let mut child = self
            .begin()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let journal = self.place.path().join("out/journal.jsonl");
        until("the journal does not grow", || {
            assert!(
                child.try_wait().unwrap().is_none(),
                "it ended before it could be killed"
            );
            std::fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() >= lines)
        });
        std::thread::sleep(later);
        child.kill().unwrap();
        assert_eq!(
            child.wait().unwrap().code(),
            None,
            "it ended before it could be killed"
        );
    }

    /// The containers that carry the run's label.
    fn containers(&self) -> Vec<String> {
        let request = std::fs::read(self.place.path().join("out/run.json")).unwrap();
        let request: Value = serde_json::from_slice(&request).unwrap();
        let label = format!("label=org.reprise.run={}", request["run"].as_str().unwrap());
        let output = Command::new("docker")
            .args(["ps", "-aq", "--filter", &label])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// Goes on, with further arguments.
    fn resume(&self, further: &[&str]) -> Output {
        let mut command = self.place.command(&[&["resume", "out"], further].concat());
        command.env("REPRISE_MODEL_KEY", "sk-test").output().unwrap()
    }

    fn resumed(&self) -> Attempt {
        Attempt::of(&self.place, "out", &self.resume(&[]))
    }

    /// Holds a resumed attempt to one that was never killed: its grade, its answers, no call paid twice.
    fn held(&self, attempt: &Attempt, context: &str) {
        attempt.assert_right(self.capsule.questions.len());
        let turns: Vec<usize> = (0..ACTS.len() + 2).collect();
        assert_eq!(
            self.model.answered(),
            turns,
            "{context}: a model call was paid twice"
        );
        let observations = attempt.observations();
        assert_eq!(observations.len(), turns.len(), "{context}: {observations:?}");
        assert!(
            observations[3].contains("slow\n1\n"),
            "{context}: {}",
            observations[3]
        );
        assert!(
            observations[5].contains("lasting code 1\n"),
            "{context}: {}",
            observations[5]
        );
        if self.sandbox == Where::Docker {
            assert_eq!(
                self.containers(),
                Vec::<String>::new(),
                "{context}: a container is left"
            );
        }
    }
}

/// What the shell printed as its token, in the second command and in the last.
fn tokens(attempt: &Attempt) -> [String; 2] {
    let observations = attempt.observations();
    [2, 5].map(|at| {
        let said = &observations[at];
        said.lines()
            .find(|line| line.starts_with("token "))
            .unwrap()
            .to_owned()
    })
}

/// The command whose output differs is named to the agent, and no other.
fn named(attempt: &Attempt) {
    let told = "were done again. These came to something else: `bash` of turn 3 of reproduce.]";
    assert_eq!(
        attempt.journal().matches(told).count(),
        1,
        "{}",
        attempt.journal()
    );
}

/// Killed behind each of some events; the container is taken up again with its shell.
fn killed_behind(events: impl Iterator<Item = usize>) {
    for event in events {
        let Some(killed) = Killed::new(Where::Docker) else {
            return;
        };
        killed.dies_behind(event);
        let attempt = killed.resumed();
        let context = format!("killed behind event {event}");
        killed.held(&attempt, &context);
        let [before, after] = tokens(&attempt);
        assert_eq!(before, after, "{context}: the shell is another");
        // A container that lives is looked for before any environment is made again.
        if event > BUILT {
            assert_eq!(attempt.events("built").len(), 1, "{context}: it was made again");
        }
    }
}

#[test]
fn a_container_is_taken_up_again_with_its_shell() {
    killed_behind([6, AT_WORK + 1].into_iter());
}

#[test]
fn a_command_that_was_at_work_is_waited_for() {
    let Some(killed) = Killed::new(Where::Docker) else {
        return;
    };
    killed.killed_at(AT_WORK, Duration::from_millis(300));
    assert_eq!(killed.containers().len(), 1);
    let attempt = killed.resumed();
    killed.held(&attempt, "killed while a command ran");
    let [before, after] = tokens(&attempt);
    assert_eq!(before, after);
}

#[test]
fn commands_are_run_again_where_the_container_is_gone_and_differences_are_named() {
    let Some(killed) = Killed::new(Where::Docker) else {
        return;
    };
    killed.dies_behind(AT_WORK + 1);
    let containers = killed.containers();
    assert_eq!(containers.len(), 1);
    let removed = Command::new("docker")
        .args(["rm", "-f", &containers[0]])
        .output()
        .unwrap();
    assert!(removed.status.success());
    let attempt = killed.resumed();
    killed.held(&attempt, "its container is gone");
    let [before, after] = tokens(&attempt);
    assert_ne!(before, after, "the shell is the one that was removed");
    named(&attempt);
}

#[test]
fn a_copied_run_neither_uses_nor_ends_the_container_of_the_original() {
    let Some(killed) = Killed::new(Where::Docker) else {
        return;
    };
    killed.dies_behind(AT_WORK + 1);
    let containers = killed.containers();
    assert_eq!(containers.len(), 1);
    let copied = Command::new("cp")
        .args(["-a", "out", "copy"])
        .current_dir(killed.place.path())
        .status();
    assert!(copied.unwrap().success());
    let mut resume = killed.place.command(&["resume", "copy"]);
    let output = resume.env("REPRISE_MODEL_KEY", "sk-test").output().unwrap();
    let copy = Attempt::of(&killed.place, "copy", &output);
    copy.assert_right(killed.capsule.questions.len());
    let [before, after] = tokens(&copy);
    assert_ne!(before, after, "it acted in the shell of the original");
    named(&copy);
    assert_eq!(killed.containers(), containers);
    let attempt = killed.resumed();
    attempt.assert_right(killed.capsule.questions.len());
    let [before, after] = tokens(&attempt);
    assert_eq!(before, after, "the shell of the original is gone");
    assert_eq!(killed.containers(), Vec::<String>::new());
}

#[test]
fn commands_are_run_again_without_containers() {
    let Some(killed) = Killed::new(Where::Local) else {
        return;
    };
    killed.dies_behind(AT_WORK + 1);
    let attempt = killed.resumed();
    killed.held(&attempt, "in the local sandbox");
    named(&attempt);
}

#[test]
fn an_attempt_whose_session_is_gone_is_closed_unscored_where_that_is_asked_for() {
    let Some(killed) = Killed::new(Where::Docker) else {
        return;
    };
    killed.dies_behind(AT_WORK + 1);
    let containers = killed.containers();
    let stopped = Command::new("docker")
        .args(["kill", &containers[0]])
        .output()
        .unwrap();
    assert!(stopped.status.success());
    let output = killed.resume(&["--lost-session", "close"]);
    assert!(!output.status.success());
    let journal = std::fs::read_to_string(killed.place.path().join("out/journal.jsonl")).unwrap();
    let ended = journal
        .lines()
        .find(|line| line.contains("\"stage_ended\""))
        .unwrap();
    assert!(
        ended.contains("\"infrastructure\"") && ended.contains("--lost-session close"),
        "{ended}"
    );
    assert_eq!(killed.model.answered(), [0, 1, 2, 3, 4]);
    assert_eq!(killed.containers(), Vec::<String>::new());
    let report = killed
        .place
        .command(&["capsule", "report", "out", "--json"])
        .output()
        .unwrap();
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("it ended by infrastructure"), "{report}");
}

/// As `.ci/run long` runs it: behind every event, and at instants of a command that takes a while.
#[test]
#[ignore = "takes minutes: .ci/run long"]
fn killed_at_every_event_and_in_between() {
    let Some(whole) = Killed::new(Where::Docker) else {
        return;
    };
    let output = whole.begin().output().unwrap();
    let events = Attempt::of(&whole.place, "out", &output)
        .journal()
        .lines()
        .count();
    assert!(events > 20, "{events}");
    killed_behind(1..events);
    for later in [0, 100, 250, 400, 600, 800] {
        let killed = Killed::new(Where::Docker).unwrap();
        killed.killed_at(AT_WORK, Duration::from_millis(later));
        let attempt = killed.resumed();
        killed.held(&attempt, &format!("killed {later} ms into a command"));
        let [before, after] = tokens(&attempt);
        assert_eq!(before, after, "{later}");
    }
}
