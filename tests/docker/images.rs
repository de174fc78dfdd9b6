//! Declarations of an image, none of which changes the confinement.

use std::io::Write as _;
use std::process::{Command, Stdio};

use bollard::query_parameters::{ListVolumesOptions, RemoveImageOptions};
use reprise::domain::execution::Ending;
use reprise::sandbox::contract::{Sandbox as _, SandboxError};
use tokio_util::sync::CancellationToken;

use crate::need::need;
use crate::support::{Case, DEBIAN, daemon, left, sandbox};

/// Builds an image with the command line client; `None`, with a message, without one.
pub fn build(tag: &str, dockerfile: &str) -> Option<()> {
    let child = Command::new("docker")
        .args(["build", "-q", "-t", tag, "-"])
        .env("DOCKER_BUILDKIT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut child = need(child.map_err(|error| format!("no docker command: {error}")))?;
    child
        .stdin
        .take()
        .unwrap()
        .write_all(dockerfile.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success(), "{tag} could not be built");
    Some(())
}

pub async fn remove(tag: &str) {
    let options = RemoveImageOptions {
        force: true,
        ..RemoveImageOptions::default()
    };
    daemon()
        .await
        .client
        .remove_image(tag, Some(options), None)
        .await
        .unwrap();
}

/// Anonymous volumes that carry our label.
async fn volumes() -> usize {
    let options = ListVolumesOptions {
        filters: Some(reprise::sandbox::docker::labels::filter(None)),
    };
    let found = daemon().await.client.list_volumes(Some(options)).await.unwrap();
    found.volumes.unwrap_or_default().len()
}

#[tokio::test]
async fn an_image_cannot_bring_a_command_a_user_or_a_writable_volume() {
    let Some(sandbox) = sandbox().await else { return };
    let tag = format!("reprise-test-declares:{}", std::process::id());
    let dockerfile = format!(
        "FROM {DEBIAN}\nRUN mkdir /seeded && echo seed > /seeded/file && chmod -R 777 /seeded\nVOLUME /seeded /fresh /tmp \
         /workspace/work\nENTRYPOINT [\"echo\", \"entered\"]\nCMD [\"and commanded\"]\nUSER root\nWORKDIR /etc\nENV \
         HOME=/root SECRET=of-the-image\nHEALTHCHECK --interval=1s CMD touch /workspace/work/healthy\n"
    );
    if build(&tag, &dockerfile).is_none() {
        return;
    }
    let case = Case::new(&tag);
    let script = r#"pwd; cat /seeded/file; touch /seeded/x /fresh/x 2>/dev/null && echo escaped; echo t > /tmp/t && cat /tmp/t
touch here; echo $HOME; id -u
for place in /fresh /seeded /tmp /workspace/work; do
  awk -v place=$place '$5 == place { print $5, substr($6, 1, 2), ($4 ~ /volumes/) ? "volume" : "" }' /proc/self/mountinfo
done; sleep 2; ls"#;
    let ended = case.shell(&sandbox, script).await;
    let said = case.said();
    assert_eq!(
        ended.ending,
        Ending::Exited(0),
        "{said}{}",
        String::from_utf8_lossy(&case.stderr())
    );
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(&lines[..4], ["/workspace/work", "seed", "t", "/tmp"], "{said}");
    assert_ne!(lines[4], "0", "{said}");
    assert_eq!(
        &lines[5..],
        [
            "/fresh ro volume",
            "/seeded ro volume",
            "/tmp rw ",
            "/workspace/work rw ",
            "here"
        ],
        "{said}"
    );
    assert!(case.workspace.join("work/here").exists());
    assert!(left(&case).await.is_empty());
    assert_eq!(volumes().await, 0);
    remove(&tag).await;
}

#[tokio::test]
async fn an_image_that_was_removed_is_told_apart_from_a_broken_daemon() {
    let Some(sandbox) = sandbox().await else { return };
    let tag = format!("reprise-test-gone:{}", std::process::id());
    if build(&tag, &format!("FROM {DEBIAN}\nENV GONE={}\n", std::process::id())).is_none() {
        return;
    }
    let case = Case::new(&tag);
    assert_eq!(case.shell(&sandbox, "true").await.ending, Ending::Exited(0));
    remove(&tag).await;
    let result = sandbox
        .execute(&case.execution(&["true"]), &CancellationToken::new())
        .await;
    assert!(
        matches!(&result, Err(SandboxError::EnvironmentGone(image)) if *image == tag),
        "{result:?}"
    );
    assert!(left(&case).await.is_empty());
}
