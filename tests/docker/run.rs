//! One execution: how it can end, what it can see, and what is left of it.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use reprise::domain::execution::Ending;
use reprise::sandbox::contract::{Sandbox as _, SandboxError};
use tokio_util::sync::CancellationToken;

use crate::support::{Case, DEBIAN, PYTHON, daemon, left, sandbox, until};

#[tokio::test]
async fn each_ending_is_told_apart() {
    let Some(sandbox) = sandbox().await else { return };
    let mut case = Case::new(DEBIAN);
    for (script, expected) in [
        ("true", Ending::Exited(0)),
        ("exit 3", Ending::Exited(3)),
        ("kill -SEGV $$", Ending::Signalled(11)),
        ("kill -KILL $$", Ending::Signalled(9)),
        ("kill -TERM $$", Ending::Signalled(15)),
    ] {
        assert_eq!(case.shell(&sandbox, script).await.ending, expected, "{script}");
    }
    if daemon().await.describe().memory_limit {
        case.limits.memory = 64 << 20;
        case.limits.seconds = 20;
        // The shell does not mind that the kernel has ended its child.
        let starved = case.shell(&sandbox, "tail /dev/zero; sleep 600").await;
        assert_eq!(starved.ending, Ending::OutOfMemory, "{starved:?}");
    } else {
        // Without a control group the kernel refuses memory to each process.
        let starved = case.shell(&sandbox, "tail /dev/zero").await;
        assert_eq!(starved.ending, Ending::Exited(1), "{starved:?}");
        assert!(
            starved.notes.iter().any(|note| note.contains("per process")),
            "{starved:?}"
        );
    }
    case.limits.seconds = 1;
    let slow = case.shell(&sandbox, "sleep 600").await;
    assert_eq!(slow.ending, Ending::TimedOut);
    assert!(slow.wall.as_secs() >= 1, "{slow:?}");
}

#[tokio::test]
async fn a_missing_program_is_the_studys_to_mend() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    for program in ["Rscript-of-nowhere", "/nowhere/python"] {
        let result = sandbox
            .execute(&case.execution(&[program, "a.R"]), &CancellationToken::new())
            .await;
        assert!(
            matches!(&result, Err(SandboxError::NoProgram(name)) if name == program),
            "{result:?}"
        );
    }
}

#[tokio::test]
async fn streams_come_apart_and_byte_for_byte() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(PYTHON);
    let script = "import sys\nfor n in range(256): sys.stdout.buffer.write(bytes([n]) * 3)\nsys.stderr.buffer.write(b'\\x01\\x00\\xff\\xfe no text\\r\\n')";
    let ended = case.run(&sandbox, &["python3", "-c", script]).await;
    assert_eq!(ended.ending, Ending::Exited(0));
    let expected: Vec<u8> = (0..=255_u8).flat_map(|byte| [byte; 3]).collect();
    assert_eq!(case.stdout(), expected);
    assert_eq!(case.stderr(), b"\x01\x00\xff\xfe no text\r\n");
    assert_eq!((ended.stdout_bytes, ended.stderr_bytes), (768, 14));
}

#[tokio::test]
async fn a_flood_is_counted_and_capped() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    let script = "head -c 50000000 /dev/zero | tr '\\0' y; head -c 3000000 /dev/zero >&2; echo last >&2";
    let ended = case.shell(&sandbox, script).await;
    assert_eq!(ended.ending, Ending::Exited(0), "{ended:?}");
    assert_eq!((ended.stdout_bytes, ended.stderr_bytes), (50_000_000, 3_000_005));
    assert_eq!(case.stdout(), vec![b'y'; 1 << 20]);
    assert_eq!(case.stderr().len(), 1 << 20);
}

#[tokio::test]
async fn children_that_refuse_to_die_end_with_the_command() {
    let Some(sandbox) = sandbox().await else { return };
    let mut case = Case::new(DEBIAN);
    case.limits.seconds = 2;
    let stubborn = "for n in 1 2 3; do setsid sh -c \"trap '' TERM HUP INT; echo started; while :; do echo x >> \
                    alive; sleep 0.1; done\" & done; trap '' TERM; wait; sleep 600";
    let ended = case.shell(&sandbox, stubborn).await;
    assert_eq!(ended.ending, Ending::TimedOut);
    assert_eq!(case.said(), "started\nstarted\nstarted\n");
    assert!(left(&case).await.is_empty());
    // Nobody on this machine still has the folder as its own.
    let folder = case.workspace.join("work").canonicalize().unwrap();
    let mark = folder.display().to_string();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let mounts = std::fs::read_to_string(entry.path().join("mountinfo")).unwrap_or_default();
        assert!(!mounts.contains(&mark), "{} holds {mark}", entry.path().display());
    }
}

#[tokio::test]
async fn files_come_back_owned_by_the_caller() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    std::fs::write(case.workspace.join("work/mine.txt"), "before").unwrap();
    let secret = case.workspace.join("replication_data/closed.csv");
    std::fs::write(&secret, "x\n9\n").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    let script = "id -u; cat ../replication_data/closed.csv; echo after >> mine.txt; mkdir -p a/b; echo new > \
                  a/b/c; chmod 0 a/b/c; chmod 4755 mine.txt; ln -s /etc/passwd link";
    let ended = case.shell(&sandbox, script).await;
    assert_eq!(
        ended.ending,
        Ending::Exited(0),
        "{}",
        String::from_utf8_lossy(&case.stderr())
    );
    let said = case.said();
    let rootless = daemon().await.describe().rootless;
    assert!(
        said.starts_with("0\n") == rootless && said.ends_with("x\n9\n"),
        "{said}"
    );
    let me = nix::unistd::geteuid().as_raw();
    for name in [
        "work",
        "work/mine.txt",
        "work/a/b/c",
        "work/link",
        "replication_data/closed.csv",
    ] {
        let found = case.workspace.join(name).symlink_metadata().unwrap();
        assert_eq!(found.uid(), me, "{name}");
    }
    assert_eq!(
        std::fs::read_to_string(case.workspace.join("work/mine.txt")).unwrap(),
        "beforeafter\n"
    );
    if me == 0 {
        let mode = case.workspace.join("work/mine.txt").metadata().unwrap().mode();
        assert_eq!(mode & 0o6000, 0, "a set-user-id bit came back: {mode:o}");
    }
}

#[tokio::test]
async fn only_the_writable_folder_can_be_written() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    let script = "for place in / /etc /usr/bin /workspace /workspace/replication_data /var/tmp /run /dev /sys /proc/sys \
                  /root /home /opt; do touch $place/probe 2>/dev/null && echo \"wrote $place\"; done; touch probe && \
                  echo work; touch /tmp/probe && echo tmp; echo x > ../replication_data/a.csv || echo closed";
    let ended = case.shell(&sandbox, script).await;
    assert_eq!(ended.ending, Ending::Exited(0));
    let said = case.said();
    // Root of a user namespace owns the container's own /dev, a file system in memory of 64 MiB.
    let rootless = daemon().await.describe().rootless;
    let said = if rootless {
        said.trim_start_matches("wrote /dev\n")
    } else {
        &said
    };
    assert_eq!(said, "work\ntmp\nclosed\n");
    assert_eq!(
        std::fs::read_to_string(case.workspace.join("replication_data/a.csv")).unwrap(),
        "x\n1\n"
    );
}

#[tokio::test]
async fn the_confinement_is_what_it_says() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    let script = "grep -E '^(CapBnd|CapEff|CapPrm|NoNewPrivs|Seccomp):' /proc/self/status; cat /proc/1/comm; ls \
                  /sys/class/net; hostname; pwd; ulimit -c; ulimit -n; env | sort; ls /proc/self/fd | wc -l";
    let ended = case.shell(&sandbox, script).await;
    assert_eq!(ended.ending, Ending::Exited(0));
    let said = case.said();
    for expected in [
        "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
        "\nlo\nsandbox\n/workspace/work\n0\n",
        "\nHOME=/tmp\n",
        "\nLANG=C.UTF-8\n",
        "\nOMP_NUM_THREADS=1\n",
    ] {
        assert!(said.contains(expected), "{expected:?} is not in:\n{said}");
    }
    // A rootless Podman gives its own number of open files, whatever is asked for.
    if !daemon().await.describe().rootless {
        assert!(said.contains("\n0\n4096\n"), "{said}");
    }
    let image = daemon().await.client.inspect_image(DEBIAN).await.unwrap();
    let own = image.config.unwrap().env.unwrap_or_default();
    for (name, value) in std::env::vars().filter(|(_, value)| value.len() > 3) {
        let line = format!("{name}={value}");
        let ours = ["PATH", "HOME", "TMPDIR", "LANG", "TERM"].contains(&name.as_str());
        if !ours && !own.contains(&line) {
            assert!(
                !said.contains(&format!("\n{line}\n")),
                "the operator's {name} is inside"
            );
        }
    }
    assert!(!said.contains("CARGO"), "{said}");
}

#[tokio::test]
async fn the_images_own_interpreter_is_found_first() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(PYTHON);
    let ended = case
        .run(&sandbox, &["python", "-c", "import sys; print(sys.prefix)"])
        .await;
    assert_eq!(ended.ending, Ending::Exited(0));
    assert_eq!(case.said(), "/opt/venv\n");
}

#[tokio::test]
async fn opened_files_are_recorded_exactly() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    std::fs::write(case.workspace.join("work/a.R"), "").unwrap();
    let script = "cat ../replication_data/a.csv ../replication_data/deep/c.csv > out.txt; ls -R .. > /dev/null; test -r \
                  ../replication_data/b.csv; stat a.R > /dev/null";
    let ended = case.shell(&sandbox, script).await;
    assert_eq!(ended.ending, Ending::Exited(0));
    let files: Vec<&str> = ended.opened.files.iter().map(|file| file.as_str()).collect();
    assert_eq!(
        files,
        [
            "replication_data/a.csv",
            "replication_data/deep/c.csv",
            "work/out.txt"
        ]
    );
    assert!(ended.opened.complete);
}

#[tokio::test]
async fn a_writable_folder_behind_a_link_is_refused() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    std::os::unix::fs::symlink("/etc", case.workspace.join("evil")).unwrap();
    let mut execution = case.execution(&["touch", "/workspace/evil/probe"]);
    execution.writable = vec!["evil".parse().unwrap()];
    let refused = sandbox
        .execute(&execution, &CancellationToken::new())
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("through a link"), "{refused}");
    assert!(!std::path::Path::new("/etc/probe").exists());
    assert!(left(&case).await.is_empty());
}

#[tokio::test]
async fn a_cancelled_command_and_a_dropped_one_leave_nothing() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    let execution = case.execution(&["sh", "-c", "touch begun; sleep 600"]);
    let begun = case.workspace.join("work/begun");
    let cancel = CancellationToken::new();
    let mut running = std::pin::pin!(sandbox.execute(&execution, &cancel));
    tokio::select! {
        ended = &mut running => panic!("it did not wait: {ended:?}"),
        () = until(|| begun.exists()) => cancel.cancel(),
    }
    let ended = running.await.unwrap();
    assert_eq!(ended.ending, Ending::Cancelled);
    assert!(left(&case).await.is_empty());
    std::fs::remove_file(&begun).unwrap();
    let cancel = CancellationToken::new();
    tokio::select! {
        ended = sandbox.execute(&execution, &cancel) => panic!("{ended:?}"),
        () = until(|| begun.exists()) => {}
    }
    // The caller is gone; its command's container goes by itself.
    while !left(&case).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn sweeping_one_run_leaves_the_others() {
    let Some(sandbox) = sandbox().await else { return };
    let (gone, kept) = (Case::new(DEBIAN), Case::new(DEBIAN));
    let wait = ["sh", "-c", "touch begun; while [ ! -e go ]; do sleep 0.05; done"];
    let (one, other) = (gone.execution(&wait), kept.execution(&wait));
    let cancel = CancellationToken::new();
    let (swept, finished, ()) = tokio::join!(
        sandbox.execute(&one, &cancel),
        sandbox.execute(&other, &cancel),
        async {
            until(|| {
                gone.workspace.join("work/begun").exists() && kept.workspace.join("work/begun").exists()
            })
            .await;
            sandbox.sweep(&gone.run).await.unwrap();
            assert!(left(&gone).await.is_empty());
            assert_eq!(left(&kept).await, ["running"]);
            std::fs::write(kept.workspace.join("work/go"), "").unwrap();
        }
    );
    assert_eq!(finished.unwrap().ending, Ending::Exited(0));
    assert!(swept.is_err() || swept.unwrap().ending == Ending::Signalled(9));
    assert!(left(&kept).await.is_empty());
    sandbox.sweep(&gone.run).await.unwrap();
}
