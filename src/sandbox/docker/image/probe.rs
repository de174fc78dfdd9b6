//! Probe of a base image, made once by a container without a network.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, HostConfig};
use bollard::query_parameters::{LogsOptionsBuilder, WaitContainerOptions};
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::domain::execution::BuildFailure;
use crate::sandbox::docker::container::ephemeral::EphemeralContainer;
use crate::sandbox::docker::container::hardening::{ConfinedBody, ContainerBounds, NOBODY};
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::labels;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::failure::{infrastructure, setup};

/// A fixed script; nothing of the agent's is on its command line.
const SCRIPT: &str = include_str!("layers/probe.sh");
/// The longest time that the script may take.
const LONGEST: Duration = Duration::from_secs(120);
/// Bytes of its answer that are read.
const ANSWER: usize = 16 << 10;

/// The programs of a base image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// Such as `debian`, and its release, such as `bookworm`.
    pub distribution: String,
    pub release: String,
    /// Whether Debian packages can be installed.
    pub apt: bool,
    /// Python's version, where there is one.
    pub python: Option<String>,
    /// Whether that Python can make virtual environments.
    pub venv: bool,
    /// Whether packages may be installed right into it.
    pub direct: bool,
    /// R's version, where there is one.
    pub r: Option<String>,
}

/// What the image has, from disk where it was asked before. `id` is `sha256:...`.
pub async fn probe(
    daemon: &Daemon,
    settings: &DockerSettings,
    id: &str,
    name: &str,
) -> Result<Probed, BuildFailure> {
    let file = remembered(settings, id);
    if let Some(known) = fs::read(&file)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
    {
        return Ok(known);
    }
    let answer = tokio::time::timeout(LONGEST, ask(daemon, id))
        .await
        .map_err(|_| infrastructure(format!("The base image `{name}` does not answer."), String::new()))?
        .map_err(|error| match &error {
            // The container was made, and its shell is not there.
            Error::DockerResponseServerError { message, .. }
                if [
                    "executable file not found",
                    "no such file or directory",
                    "exec format error",
                ]
                .iter()
                .any(|word| message.contains(word)) =>
            {
                setup(
                    format!("The base image `{name}` cannot be started ({message}): name another one."),
                    vec![name.to_owned()],
                )
            }
            _ => infrastructure(
                format!("The base image `{name}` could not be tried: {error}."),
                String::new(),
            ),
        })?;
    let Some(probed) = Probed::read(&answer) else {
        return Err(BuildFailure {
            log: answer,
            ..setup(
                format!("The base image `{name}` has no shell that works: name another one."),
                vec![name.to_owned()],
            )
        });
    };
    // It can be asked again: a cache that cannot be written is no failure.
    let _ = remember(&file, &probed);
    Ok(probed)
}

fn remembered(settings: &DockerSettings, id: &str) -> PathBuf {
    let hex: String = id
        .trim_start_matches("sha256:")
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    settings.cache.join("bases").join(format!("{hex}.json"))
}

fn remember(file: &std::path::Path, probed: &Probed) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder)?;
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    draft.write_all(&serde_json::to_vec(probed)?)?;
    draft.persist(file)?;
    Ok(())
}

fn body(id: &str) -> ConfinedBody {
    let given = ContainerCreateBody {
        image: Some(id.to_owned()),
        entrypoint: Some(vec!["/bin/sh".to_owned(), "-c".to_owned()]),
        cmd: Some(vec![SCRIPT.to_owned()]),
        labels: Some(labels::shared()),
        network_disabled: Some(true),
        host_config: Some(HostConfig {
            // R wants a folder for temporary files.
            tmpfs: Some(HashMap::from([(
                "/tmp".to_owned(),
                "rw,nosuid,nodev,mode=1777,size=64m".to_owned(),
            )])),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let bounds = ContainerBounds {
        memory: Some(1 << 30),
        processes: Some(256),
    };
    ConfinedBody::new(given, NOBODY, bounds)
}

async fn ask(daemon: &Daemon, id: &str) -> Result<String, Error> {
    let container = EphemeralContainer::create(daemon, None, body(id)).await?;
    daemon.client.start_container(container.id(), None).await?;
    let mut waiting = std::pin::pin!(
        daemon
            .client
            .wait_container(container.id(), None::<WaitContainerOptions>)
    );
    // The status says nothing: the script ends its answer with a line of its own.
    match waiting.next().await {
        None | Some(Ok(_) | Err(Error::DockerContainerWaitError { .. })) => {}
        Some(Err(error)) => return Err(error),
    }
    let options = LogsOptionsBuilder::default().stdout(true).stderr(true).build();
    let mut lines = std::pin::pin!(daemon.client.logs(container.id(), Some(options)));
    let mut answer = Vec::new();
    while let Some(part) = lines.next().await {
        answer.extend_from_slice(part?.as_ref());
        if answer.len() > ANSWER {
            break;
        }
    }
    // What is still there is found by its label later.
    let _ = container.remove().await;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

impl Probed {
    /// Reads the script's answer; `None` when it did not come to its end.
    fn read(answer: &str) -> Option<Self> {
        let mut found: BTreeMap<&str, &str> = answer
            .lines()
            .filter_map(|line| line.trim_end().split_once('='))
            .collect();
        found.get("end")?;
        let mut word = |name: &str| {
            found
                .remove(name)
                .filter(|value| {
                    !value.is_empty()
                        && value.len() < 40
                        && value
                            .chars()
                            .all(|letter| letter.is_ascii_alphanumeric() || ".+-_~".contains(letter))
                })
                .map(str::to_owned)
        };
        Some(Self {
            distribution: word("distribution").unwrap_or_default(),
            release: word("release").unwrap_or_default(),
            apt: word("apt").is_some(),
            python: word("python"),
            venv: word("venv").is_some(),
            direct: word("direct").is_some(),
            r: word("r"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::docker::container::hardening::tests::assert_hardened;

    #[test]
    fn the_container_of_the_probe_is_hardened() {
        assert_hardened(body("image"));
    }

    #[test]
    fn an_answer_is_read_and_a_broken_one_is_not() {
        let read = Probed::read(
            "distribution=debian\nrelease=bookworm\napt=yes\npython=3.11.2\nvenv=yes\ndirect=yes\nend=yes\n",
        )
        .unwrap();
        assert_eq!(read.python.as_deref(), Some("3.11.2"));
        assert!(read.apt && read.venv && read.direct && read.r.is_none());
        assert_eq!(Probed::read("distribution=debian\n"), None);
        let odd = Probed::read("python=3.11; rm -rf /\nend=yes").unwrap();
        assert_eq!(odd.python, None);
    }
}
