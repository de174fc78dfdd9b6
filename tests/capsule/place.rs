//! A folder with a task file and its capsules, and the program called from there.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::capsule::{Capsule, Level};
use crate::need::shared;
pub use crate::sandboxes::Where;
use crate::sandboxes::docker_answers;

pub struct Place {
    folder: TempDir,
}

impl Place {
    /// With one capsule laid out and recordings of it at each level; `None` where the material or a
    /// daemon is lacking.
    pub fn with(capsule: &Capsule, sandbox: Where) -> Option<Self> {
        let material = shared("data/core/material")?;
        if sandbox == Where::Docker {
            docker_answers()?;
        }
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in ["code", "data", "environment", "results"] {
            fs::create_dir_all(place.path().join(capsule.id).join(folder)).unwrap();
        }
        for file in &capsule.files {
            place.write(&format!("{}/{}", capsule.id, file.name), file.text);
        }
        for name in capsule.material {
            let to = place.path().join(capsule.id).join("data").join(name);
            fs::copy(material.join(name), to).unwrap();
        }
        place.write("task.json", &Value::from(vec![capsule.task()]).to_string());
        for level in Level::ALL {
            place.record(level.name(), &capsule.recording(level, &capsule.answers()));
        }
        Some(place)
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a recording under a name.
    pub fn record(&self, name: &str, recording: &Value) {
        self.write(&format!("recordings/{name}.json"), &recording.to_string());
    }

    /// The program, ready to be called.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path())
            .env(
                "REPRISE_CACHE",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("docker-cache"),
            );
        if let Some(host) = std::env::var_os("DOCKER_HOST") {
            command.env("DOCKER_HOST", host);
        }
        command
    }
}
