//! One script that tries everything a process can try by itself.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;

use reprise::domain::execution::{Ending, Tier};
use serde::Deserialize;
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::harness::{Range, SECRET};
use crate::table::{Attempt, Table};

const PARTS: [&str; 7] = [
    include_str!("hostile/begin.py"),
    include_str!("hostile/files.py"),
    include_str!("hostile/data.py"),
    include_str!("hostile/network.py"),
    include_str!("hostile/kernel.py"),
    include_str!("hostile/processes.py"),
    include_str!("hostile/end.py"),
];

#[derive(Deserialize)]
struct Answer {
    results: Vec<Attempt>,
    facts: Value,
}

/// The bait on the host for the script to find. Removed when dropped.
struct Bait {
    mark: String,
    _files: Vec<NamedTempFile>,
    tcp: TcpListener,
    udp: UdpSocket,
    path: UnixListener,
    named: UnixListener,
    datagrams: UnixDatagram,
}

impl Bait {
    fn lay(outside: &Path) -> Self {
        let mark = format!("canary-{}", outside.file_name().unwrap().display()).replace('.', "");
        for (name, folder) in [
            ("canary", ""),
            ("secret", "other-run/workspace/work"),
            ("journal.jsonl", "other-run"),
            ("original_paper.pdf", "study/input"),
            ("expected.json", "study/gt"),
        ] {
            let folder = outside.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), &mark).unwrap();
            open(&folder.join(name), 0o666);
            open(&folder, 0o777);
        }
        let plant = |folder: &str| {
            // The name is the mark alone, so that a listing can tell it.
            let file = tempfile::Builder::new()
                .prefix(&format!("reprise-{mark}"))
                .rand_bytes(0)
                .tempfile_in(folder)
                .unwrap();
            fs::write(file.path(), &mark).unwrap();
            open(file.path(), 0o666);
            file
        };
        let home = tempfile::Builder::new()
            .prefix(&format!(".reprise-{mark}"))
            .rand_bytes(0)
            .tempfile_in(home())
            .unwrap();
        fs::write(home.path(), &mark).unwrap();
        let tcp = TcpListener::bind("[::]:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let bait = Self {
            _files: vec![home, plant("/dev/shm"), plant("/var/tmp")],
            udp: UdpSocket::bind(("0.0.0.0", port)).unwrap(),
            path: UnixListener::bind(outside.join("engine.sock")).unwrap(),
            named: UnixListener::bind_addr(
                &SocketAddr::from_abstract_name(format!("reprise-{mark}")).unwrap(),
            )
            .unwrap(),
            datagrams: UnixDatagram::bind_addr(
                &SocketAddr::from_abstract_name(format!("reprise-datagram-{mark}")).unwrap(),
            )
            .unwrap(),
            tcp,
            mark,
        };
        open(&outside.join("engine.sock"), 0o777);
        for silent in [
            bait.tcp.set_nonblocking(true),
            bait.udp.set_nonblocking(true),
            bait.path.set_nonblocking(true),
            bait.named.set_nonblocking(true),
            bait.datagrams.set_nonblocking(true),
        ] {
            silent.unwrap();
        }
        bait
    }

    /// Stops the test when anything has been in touch with the listeners or has changed a file.
    fn untouched(&self, outside: &Path) {
        assert!(self.tcp.accept().is_err(), "the host's TCP listener was reached");
        assert!(
            self.udp.recv(&mut [0; 16]).is_err(),
            "the host's UDP socket was reached"
        );
        assert!(self.path.accept().is_err(), "the host's socket was reached");
        assert!(
            self.named.accept().is_err(),
            "the host's abstract socket was reached"
        );
        assert!(
            self.datagrams.recv(&mut [0; 16]).is_err(),
            "the host's datagram socket was reached"
        );
        for name in [
            "canary",
            "other-run/workspace/work/secret",
            "study/gt/expected.json",
        ] {
            assert_eq!(fs::read_to_string(outside.join(name)).unwrap(), self.mark);
            let found = outside.join(name).metadata().unwrap();
            assert_eq!(found.mode() & 0o7777, 0o666, "{name}");
            assert_eq!(found.uid(), nix::unistd::geteuid().as_raw(), "{name}");
        }
        assert!(!outside.join("other-run/workspace/work/new").exists());
    }
}

fn open(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn home() -> std::path::PathBuf {
    std::env::home_dir().unwrap()
}

/// An address of this machine that is not the loopback's. No packet is sent.
fn own_address() -> String {
    let probe = UdpSocket::bind("0.0.0.0:0").unwrap();
    match probe.connect("192.0.2.1:9").and_then(|()| probe.local_addr()) {
        Ok(address) => address.ip().to_string(),
        Err(_) => "127.0.0.1".to_owned(),
    }
}

/// Runs the script and adds its attempts; the notes of its execution come back.
pub async fn attempts(tier: Tier, table: &mut Table) -> Option<Vec<String>> {
    let mut range = Range::open(tier).await?;
    let outside = range.outside().to_owned();
    let bait = Bait::lay(&outside);
    // Only the confinement may stand in the way, not the modes of the files.
    for (part, mode) in [
        ("", 0o777),
        ("replication_data", 0o777),
        ("paper.txt", 0o666),
        ("replication_data/a.csv", 0o666),
    ] {
        open(&range.workspace.join(part), mode);
    }
    for (name, value) in [
        ("TEST_HOME", home().display().to_string()),
        ("TEST_ADDRESS", own_address()),
    ] {
        range.variables.insert(name.to_owned(), value);
    }
    fs::write(range.workspace.join("work/hostile.py"), PARTS.join("\n")).unwrap();
    let came = range
        .run(&[
            "python3",
            "hostile.py",
            &outside.display().to_string(),
            &range.inside(),
            &format!("{tier:?}"),
            &bait.mark,
            &bait.tcp.local_addr().unwrap().port().to_string(),
            &std::process::id().to_string(),
        ])
        .await
        .unwrap();
    assert_eq!(
        came.ended.ending,
        Ending::Exited(0),
        "{tier:?}: {}",
        came.errors()
    );
    let answer: Answer = serde_json::from_slice(&came.stdout).unwrap();
    table.extend(answer.results);
    println!("{tier:?}: {}", answer.facts);
    assert!(!came.text().contains(SECRET), "a secret of the operator's got in");
    facts(tier, &answer.facts);
    bait.untouched(&outside);
    returned(tier, &range, table);
    Some(came.ended.notes)
}

fn facts(tier: Tier, facts: &Value) {
    assert_ne!(facts["uid"], 0);
    if nix::unistd::geteuid().is_root() {
        assert_eq!(facts["groups"], serde_json::json!([]));
    }
    assert_eq!(facts["core"], serde_json::json!([0, 0]));
    if tier != Tier::Landlock {
        assert_eq!(
            facts["capabilities"],
            serde_json::json!(vec!["0000000000000000"; 5])
        );
        assert_eq!(facts["no_new_privs"], "1");
        assert_eq!(facts["seccomp"], "2");
    }
    if tier == Tier::Namespaces {
        assert_eq!(facts["host"], "sandbox");
    }
}

/// What the script made comes back to the caller, without the rights it was given.
fn returned(tier: Tier, range: &Range, table: &mut Table) {
    let work = range.workspace.join("work");
    for made in ["result.txt", "copy.txt", "deep/er"] {
        let found = work.join(made).metadata().unwrap();
        assert_eq!(found.uid(), nix::unistd::geteuid().as_raw(), "{tier:?}: {made}");
    }
    for (name, file) in [
        ("leave a set-user-id file to the operator", "result.txt"),
        ("leave a set-user-id shell to the operator", "shell"),
    ] {
        let mode = work.join(file).metadata().unwrap().mode();
        // Of a user other than root such a file gives nobody anything.
        let held = mode & 0o6000 == 0 || !nix::unistd::geteuid().is_root();
        table.held(
            "privileges",
            name,
            held,
            format!("it came back as {:o}", mode & 0o7777),
        );
    }
    assert_eq!(
        fs::read_to_string(range.workspace.join("paper.txt")).unwrap(),
        "the paper"
    );
    assert_eq!(
        fs::read_to_string(range.workspace.join("replication_data/a.csv")).unwrap(),
        "x\n1\n"
    );
}
