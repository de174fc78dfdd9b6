//! A daemon that dies, hangs or runs out of disk; a clock that is set.

use std::time::Duration;

use nix::mount::{MsFlags, mount};
use nix::sys::signal::Signal;
use reprise::domain::execution::Ending;
use reprise::sandbox::contract::{Sandbox as _, SandboxError};
use reprise::sandbox::docker::container::owned;
use reprise::sandbox::docker::daemon::Daemon;
use reprise::sandbox::docker::sandbox::DockerSandbox;
use tokio_util::sync::CancellationToken;

use crate::need::{PATIENCE, need_that};
use crate::private::Private;
use crate::support::{Case, DEBIAN, at, sandbox_at, settings, until};

const ALIVE: [&str; 3] = [
    "sh",
    "-c",
    "touch begun; while :; do echo x >> alive; sleep 0.05; done",
];

/// No process of this machine sees the case's folder at another place.
fn nobody_holds(case: &Case) -> bool {
    let mark = case
        .workspace
        .join("work")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    std::fs::read_dir("/proc").unwrap().flatten().all(|entry| {
        let mounts = std::fs::read_to_string(entry.path().join("mountinfo")).unwrap_or_default();
        !mounts.contains(&mark)
    })
}

/// The processes are killed by now; the kernel may take a moment to bury them.
async fn all_let_go(case: &Case) {
    tokio::time::timeout(PATIENCE, until(|| nobody_holds(case)))
        .await
        .expect("the container's processes are still there");
}

/// Runs a command that would never end, and does something to the daemon once it has begun.
async fn interrupted(sandbox: &DockerSandbox, case: &Case, happens: impl FnOnce()) -> SandboxError {
    let execution = case.execution(&ALIVE);
    let cancel = CancellationToken::new();
    let begun = case.workspace.join("work/begun");
    let (result, ()) = tokio::join!(sandbox.execute(&execution, &cancel), async {
        until(|| begun.exists()).await;
        happens();
    });
    result.unwrap_err()
}

#[tokio::test]
async fn a_daemon_that_is_killed_during_a_run_is_infrastructure_and_a_sweep_goes_on() {
    let Some(mut private) = Private::start(DEBIAN).await else {
        return;
    };
    let case = Case::new(DEBIAN);
    let sandbox = sandbox_at(&private.socket()).await;
    let error = interrupted(&sandbox, &case, || private.crash()).await;
    assert!(
        matches!(&error, SandboxError::Failed(why) if why.contains("daemon was lost")),
        "{error}"
    );
    // While nobody answers, nothing can be swept, and that is said.
    assert!(sandbox.sweep(&case.run).await.is_err());
    private.up().await;
    let daemon = Daemon::connect(&at(&private.socket())).await.unwrap();
    assert_eq!(
        owned::owned(&daemon).await.unwrap().len(),
        1,
        "the label does not find it"
    );
    let sandbox = sandbox_at(&private.socket()).await;
    sandbox.sweep(&case.run).await.unwrap();
    assert_eq!(owned::owned(&daemon).await.unwrap(), []);
    all_let_go(&case).await;
    let me = nix::unistd::geteuid();
    for entry in walkdir::WalkDir::new(&case.workspace).into_iter().flatten() {
        let owner = std::os::unix::fs::MetadataExt::uid(&entry.metadata().unwrap());
        assert_eq!(owner, me.as_raw(), "{}", entry.path().display());
    }
    let again = case.shell(&sandbox, "cat ../replication_data/a.csv").await;
    assert_eq!(again.ending, Ending::Exited(0));
    assert_eq!(case.said(), "x\n1\n");
}

#[tokio::test]
async fn a_container_that_its_daemon_takes_for_ended_is_ended_before_it_is_removed() {
    let Some(mut private) = Private::start(DEBIAN).await else {
        return;
    };
    let case = Case::new(DEBIAN);
    let sandbox = sandbox_at(&private.socket()).await;
    interrupted(&sandbox, &case, || private.crash()).await;
    // As where it dies between starting a container and writing so.
    for container in std::fs::read_dir(private.data().join("containers"))
        .unwrap()
        .flatten()
    {
        let state = container.path().join("config.v2.json");
        let said = std::fs::read_to_string(&state).unwrap();
        std::fs::write(&state, said.replace("\"Running\":true", "\"Running\":false")).unwrap();
    }
    private.up().await;
    let daemon = Daemon::connect(&at(&private.socket())).await.unwrap();
    assert_ne!(owned::owned(&daemon).await.unwrap()[0].state, "running");
    let sandbox = sandbox_at(&private.socket()).await;
    sandbox.sweep(&case.run).await.unwrap();
    all_let_go(&case).await;
}

#[tokio::test]
async fn a_daemon_that_is_stopped_during_a_run_is_not_the_commands_failure() {
    let Some(mut private) = Private::start(DEBIAN).await else {
        return;
    };
    let case = Case::new(DEBIAN);
    let sandbox = sandbox_at(&private.socket()).await;
    let error = interrupted(&sandbox, &case, || private.signal(Signal::SIGTERM)).await;
    assert!(
        matches!(&error, SandboxError::Failed(why) if why.contains("daemon was lost")),
        "{error}"
    );
    private.gone();
    private.up().await;
    let sandbox = sandbox_at(&private.socket()).await;
    sandbox.sweep(&case.run).await.unwrap();
    assert_eq!(case.shell(&sandbox, "true").await.ending, Ending::Exited(0));
}

#[tokio::test]
async fn a_daemon_that_hangs_during_a_run_is_lost_in_bounded_time() {
    let Some(private) = Private::start(DEBIAN).await else {
        return;
    };
    let mut daemon = Daemon::connect(&at(&private.socket())).await.unwrap();
    daemon.silence = Duration::from_secs(2);
    let sandbox = DockerSandbox::over(daemon, settings(at(&private.socket()))).unwrap();
    let case = Case::new(DEBIAN);
    let error = interrupted(&sandbox, &case, || private.signal(Signal::SIGSTOP)).await;
    private.signal(Signal::SIGCONT);
    assert!(error.to_string().contains("daemon was lost"), "{error}");
    let sandbox = sandbox_at(&private.socket()).await;
    sandbox.sweep(&case.run).await.unwrap();
    all_let_go(&case).await;
    assert_eq!(case.shell(&sandbox, "true").await.ending, Ending::Exited(0));
}

#[tokio::test]
async fn a_daemon_without_disk_says_so_and_goes_on_when_there_is_some() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let is_root = nix::unistd::geteuid().is_root();
    if need_that(is_root, "a small file system needs root").is_none() {
        return;
    }
    mount(
        Some("tmpfs"),
        &data,
        Some("tmpfs"),
        MsFlags::empty(),
        Some("size=400m"),
    )
    .unwrap();
    let Some(private) = Private::start_at(DEBIAN, folder, data).await else {
        return;
    };
    let case = Case::new(DEBIAN);
    let sandbox = sandbox_at(&private.socket()).await;
    assert_eq!(case.shell(&sandbox, "true").await.ending, Ending::Exited(0));
    let filler = private.data().join("filler");
    fill(&filler);
    let error = sandbox
        .execute(&case.execution(&["true"]), &CancellationToken::new())
        .await
        .unwrap_err();
    assert!(
        matches!(&error, SandboxError::Failed(why) if why.contains("no space left") && why.contains("free some space below")),
        "{error}"
    );
    std::fs::remove_file(&filler).unwrap();
    sandbox.sweep(&case.run).await.unwrap();
    let daemon = Daemon::connect(&at(&private.socket())).await.unwrap();
    assert_eq!(owned::owned(&daemon).await.unwrap(), []);
    assert_eq!(case.shell(&sandbox, "true").await.ending, Ending::Exited(0));
}

/// Writes until nothing more can be written.
fn fill(path: &std::path::Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    let mut size = 1 << 20;
    while size > 0 {
        if file.write_all(&vec![0; size]).is_err() {
            size /= 2;
        }
    }
}

/// Those that know the day of a run, which they are given: a type of time, and no clock.
const WITH_A_DAY: [&str; 4] = [
    "docker/settings.rs",
    "docker/egress/dated_index.rs",
    "egress/dated_page.rs",
    "egress/index_gate.rs",
];

/// Deadlines and durations are differences of a clock that nobody can set.
#[test]
fn no_deadline_reads_the_clock_that_can_be_set() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sandbox");
    let mut files = 0;
    for entry in walkdir::WalkDir::new(&root).into_iter().flatten() {
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "rs")
        {
            files += 1;
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let below = entry.path().strip_prefix(&root).unwrap();
            let words = match WITH_A_DAY.iter().any(|file| below == std::path::Path::new(file)) {
                true => ["SystemTime", "::now", "Zoned", "CLOCK_REALTIME", "UNIX_EPOCH"],
                false => ["SystemTime", "Timestamp", "jiff", "CLOCK_REALTIME", "UNIX_EPOCH"],
            };
            for word in words {
                assert!(!text.contains(word), "{} reads {word}", entry.path().display());
            }
        }
    }
    assert!(files > 30);
}
