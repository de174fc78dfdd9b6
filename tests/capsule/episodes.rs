//! Episodes over one capsule that lies beneath all of them, copy-on-write.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::need::need_that;
use crate::place::{Place, Where};
use crate::python;

/// A server of episodes; it is stopped as a person stops it.
struct Serving {
    child: Child,
    address: String,
    token: String,
}

impl Serving {
    /// `None` where this machine mounts nothing beneath a folder.
    fn start(place: &Place, sandbox: Where, files: &str) -> Option<Self> {
        let arguments = [
            "capsule",
            "serve",
            "task.json",
            "--port",
            "0",
            "--json",
            "--network",
            "none",
            "--warm",
            "1",
        ];
        let further = ["--sandbox", sandbox.name(), "--files", files, "--out", "episodes"];
        let mut child = place
            .command(&[&arguments[..], &further].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let told: Value = loop {
            if lines.read_line(&mut said).unwrap() == 0 {
                let mut errors = String::new();
                child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
                child.wait().unwrap();
                assert!(errors.contains("--files mounted"), "{errors}");
                need_that(false, &errors)?;
            }
            if let Ok(told) = serde_json::from_str(&said) {
                break told;
            }
        };
        Some(Self {
            child,
            address: told["address"].as_str().unwrap().replace("http://", ""),
            token: told["token"].as_str().unwrap().to_owned(),
        })
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    fn reset(&self) -> Value {
        self.ask("POST", "/reset", &json!({}))["observation"].take()
    }

    fn step(&self, episode: &Value, command: &str) -> String {
        let action = json!({ "episode_id": episode["episode_id"], "action": { "command": command } });
        let told = self.ask("POST", "/step", &action);
        told["observation"]["text"].as_str().unwrap().to_owned()
    }

    fn stop(mut self) {
        kill(
            Pid::from_raw(i32::try_from(self.child.id()).unwrap()),
            Signal::SIGINT,
        )
        .unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Where a test fails, nothing is left that listens.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The files below a folder, by their paths.
fn below(folder: &Path) -> Vec<String> {
    let entries = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten();
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    files
        .map(|entry| entry.path().strip_prefix(folder).unwrap().display().to_string())
        .collect()
}

fn each_episode_has_its_own_changes_alone(sandbox: Where) {
    let capsule = python::zoo();
    let Some(place) = Place::with(&capsule, sandbox) else {
        return;
    };
    let Some(serving) = Serving::start(&place, sandbox, "mounted") else {
        return;
    };
    let inside = format!("cd environment/{}; ", capsule.id);
    let (one, other) = (serving.reset(), serving.reset());
    assert!(one["ready_ms"].is_u64(), "{one}");
    assert!(
        one["text"].as_str().unwrap().contains("task.txt"),
        "the files are listed"
    );
    let before = serving.step(
        &other,
        &format!("{inside}cat code/zoo.py | sha256sum; ls code data"),
    );
    let changed = serving.step(
        &one,
        &format!(
            "{inside}echo '# mine' >> code/zoo.py && chmod +x code/zoo.py && touch -d 2001-01-01 code/zoo.py && rm -r data && \
             mkdir data && echo new > data/mine.txt && mv code/zoo.py code/moved.py && ls code data"
        ),
    );
    assert!(
        changed.contains("moved.py") && changed.contains("mine.txt"),
        "{changed}"
    );
    assert!(changed.contains("[exit status 0]"), "{changed}");
    let again = serving.step(&other, "cat code/zoo.py | sha256sum; ls code data");
    // Behind what only the first reply tells.
    let own = |text: &str| {
        text.lines()
            .skip_while(|line| line.starts_with('['))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(own(&again), own(&before));
    let episodes = place.path().join(format!("episodes/{}-hard", capsule.id));
    let run = |episode: &Value| -> PathBuf {
        let id = episode["episode_id"].as_str().unwrap();
        episodes.join(format!("episode-{}", id.rsplit('-').next().unwrap()))
    };
    // What an episode did not change is nowhere in its folder.
    assert_eq!(below(&run(&other).join("workspace/work")), Vec::<String>::new());
    let own = below(&run(&one).join("workspace/work"));
    assert!(own.iter().any(|name| name.ends_with("code/moved.py")), "{own:?}");
    let pool = serving.ask("GET", "/metadata", &Value::Null)["pools"][capsule.id].take();
    assert!(pool["refills"]["count"].as_u64().unwrap() >= 2, "{pool}");
    serving.stop();
    assert!(
        !episodes.join("capsule").exists(),
        "what lay beneath is gone with the server"
    );
    assert!(
        !run(&one).join("streams/overlay").exists(),
        "nothing of the kernel's is left"
    );
    // A server that comes later begins behind the episodes that are there.
    let serving = Serving::start(&place, sandbox, "copied").unwrap();
    let later = serving.reset();
    assert!(run(&later) != run(&one) && run(&later) != run(&other));
    let copied = below(&run(&later).join("workspace/work"));
    assert!(
        copied.iter().any(|name| name.ends_with("code/zoo.py")),
        "{copied:?}"
    );
    serving.stop();
}

#[test]
fn each_episode_has_its_own_changes_alone_in_containers() {
    each_episode_has_its_own_changes_alone(Where::Docker);
}

#[test]
fn each_episode_has_its_own_changes_alone_without_containers() {
    each_episode_has_its_own_changes_alone(Where::Local);
}

/// The containers that work in a folder.
fn containers(folder: &Path) -> Vec<String> {
    let listed = std::process::Command::new("docker")
        .args(["ps", "-a", "--filter", "label=org.reprise.workspace", "--format"])
        .arg("{{.ID}} {{.Label \"org.reprise.workspace\"}}")
        .output()
        .unwrap();
    let folder = std::fs::canonicalize(folder).unwrap();
    let lines = String::from_utf8(listed.stdout).unwrap();
    let lines = lines.lines().filter_map(|line| line.split_once(' '));
    let below = lines.filter(|(_, workspace)| Path::new(workspace).starts_with(&folder));
    below.map(|(id, _)| id.to_owned()).collect()
}

#[test]
fn containers_of_a_killed_server_are_gone_once_another_serves() {
    let Some(place) = Place::with(&python::zoo(), Where::Docker) else {
        return;
    };
    let Some(mut killed) = Serving::start(&place, Where::Docker, "copied") else {
        return;
    };
    killed.reset();
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    let folder = place.path().join("episodes");
    let left = containers(&folder);
    assert!(!left.is_empty());
    let Some(serving) = Serving::start(&place, Where::Docker, "copied") else {
        return;
    };
    let now = containers(&folder);
    assert!(left.iter().all(|id| !now.contains(id)), "{left:?} of {now:?}");
    serving.stop();
    assert_eq!(containers(&folder), Vec::<String>::new());
}
