//! Attempts of confined code to get out, in every tier.

// Tests may stop at once and may speak.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod bombs;
mod builds;
mod environments;
mod harness;
mod index_chain;
mod kernels;
mod leftovers;
#[path = "../need/mod.rs"]
mod need;
mod published_places;
mod recording;
mod script;
mod sessions;
mod swaps;
mod table;
mod uv;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::time::Instant;

use harness::{Range, TIERS};
use reprise::domain::execution::{Ending, Tier};
use reprise::sandbox::contract::SandboxError;
use reprise::sandbox::local::sandbox::LocalSandbox;
use table::Table;

/// Everything that hostile code tries in one tier; prints the table.
async fn hostile_code_gets_nothing(tier: Tier) {
    let begin = Instant::now();
    let mut table = Table::new(tier);
    let Some(notes) = script::attempts(tier, &mut table).await else {
        return;
    };
    swaps::attempts(tier, &mut table).await.unwrap();
    leftovers::attempts(tier, &mut table).await.unwrap();
    bombs::attempts(tier, &mut table).await.unwrap();
    recording::attempts(tier, &mut table).await.unwrap();
    table.print();
    println!("{tier:?}: {:.1} s", begin.elapsed().as_secs_f64());
    table.judge(100, &notes);
}

#[tokio::test]
async fn hostile_code_gets_nothing_in_namespaces() {
    hostile_code_gets_nothing(Tier::Namespaces).await;
}

#[tokio::test]
async fn hostile_code_gets_nothing_under_landlock() {
    hostile_code_gets_nothing(Tier::Landlock).await;
}

#[tokio::test]
async fn hostile_code_gets_nothing_in_containers() {
    hostile_code_gets_nothing(Tier::Docker).await;
}

#[tokio::test]
async fn the_operators_environment_stays_outside() {
    // Cargo sets this for every test: it stands for whatever the operator has set.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    for tier in TIERS {
        let Some(mut range) = Range::open(tier).await else {
            continue;
        };
        range.variables.insert("SEED".to_owned(), "42".to_owned());
        let came = range
            .python("import os, json; print(json.dumps(dict(os.environ)))")
            .await;
        let inside: BTreeMap<String, String> = serde_json::from_slice(&came.stdout).unwrap();
        println!("{tier:?}: {inside:?}");
        let own: &[&str] = match tier {
            Tier::Docker => &["HOSTNAME", "LOGNAME", "USER"],
            _ => &["VIRTUAL_ENV"],
        };
        let usual = [
            "HOME",
            "LANG",
            "MKL_NUM_THREADS",
            "MPLBACKEND",
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "PATH",
            "PYTHONDONTWRITEBYTECODE",
            "PYTHONHASHSEED",
            "SEED",
            "TMPDIR",
            "TZ",
        ];
        // The image's own variables tell nothing of the operator's.
        let image = ["PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"];
        let found: BTreeSet<&str> = inside
            .keys()
            .map(String::as_str)
            .filter(|name| !(tier == Tier::Docker && (image.contains(name) || name.starts_with("PIP_"))))
            .collect();
        assert_eq!(found, usual.iter().chain(own).copied().collect());
        assert!(inside.values().all(|value| !value.contains(harness::SECRET)));
        assert_eq!(inside["SEED"], "42");
    }
}

#[test]
fn without_a_tier_that_works_there_is_no_sandbox() {
    let mut settings = harness::settings(None);
    // A helper that confines nothing and says nothing.
    settings.helper = "/bin/true".into();
    let Err(SandboxError::Unavailable(text)) = LocalSandbox::detect(settings) else {
        panic!("code would have run unconfined");
    };
    assert!(
        text.contains("Docker sandbox") && text.contains("Landlock"),
        "{text}"
    );
}

#[tokio::test]
async fn endings_are_told_apart() {
    for tier in TIERS {
        let Some(mut range) = Range::open(tier).await else {
            continue;
        };
        let cases = [
            ("pass", Ending::Exited(0)),
            ("raise SystemExit(9)", Ending::Exited(9)),
            ("raise SystemExit(137)", Ending::Exited(137)),
            ("import os; os.kill(os.getpid(), 9)", Ending::Signalled(9)),
            ("import os; os.abort()", Ending::Signalled(6)),
            ("import ctypes; ctypes.string_at(0)", Ending::Signalled(11)),
        ];
        for (program, ending) in cases {
            // An init process reports an end by a signal as such a code of its own.
            if tier == Tier::Docker && ending == Ending::Exited(137) {
                continue;
            }
            assert_eq!(
                range.python(program).await.ended.ending,
                ending,
                "{tier:?}: {program}"
            );
        }
        let missing = range.run(&["no-such-program"]).await;
        assert!(matches!(missing, Err(SandboxError::NoProgram(name)) if name == "no-such-program"));
        range.limits.seconds = 1;
        let slow = range
            .python("import signal, time\nsignal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(1)")
            .await;
        assert_eq!(slow.ended.ending, Ending::TimedOut);
    }
}

#[tokio::test]
async fn output_is_kept_raw_and_capped() {
    for tier in TIERS {
        let Some(mut range) = Range::open(tier).await else {
            continue;
        };
        let raw = range
            .python("import sys; sys.stdout.buffer.write(bytes(range(256))); sys.stderr.buffer.write(b'\\xff\\x00')")
            .await;
        assert_eq!(raw.stdout, (0..=255).collect::<Vec<u8>>());
        assert_eq!(raw.stderr, [0xff, 0]);
        range.limits.output = 1000;
        let flood = range
            .python("import sys\nfor _ in range(400): sys.stdout.write('y' * 65536)\nsys.stderr.write('end')")
            .await;
        assert_eq!(flood.ended.ending, Ending::Exited(0));
        assert_eq!(flood.ended.stdout_bytes, 400 * 65536);
        assert_eq!(flood.stdout, vec![b'y'; 1000]);
        assert_eq!(flood.errors(), "end");
        let named = range.python("open('/dev/stdout', 'w').write('by name')").await;
        println!("{tier:?}: /dev/stdout: {} {}", named.text(), named.errors());
    }
}

#[tokio::test]
async fn descriptors_that_the_operator_left_open_do_not_get_in() {
    for tier in TIERS {
        let Some(range) = Range::open(tier).await else {
            continue;
        };
        let folder = fs::File::open("/etc").unwrap();
        // Duplicates are closed on execution unless asked not to.
        nix::fcntl::fcntl(
            &folder,
            nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty()),
        )
        .unwrap();
        let came = range
            .python("import os\nopen_ = []\nfor number in range(3, 256):\n try: os.fstat(number); open_.append(number)\n except OSError: pass\nprint(open_)")
            .await;
        assert_eq!(came.text(), "[]\n", "{tier:?}");
    }
}

#[tokio::test]
async fn opened_files_are_recorded() {
    for tier in TIERS {
        let Some(mut range) = Range::open(tier).await else {
            continue;
        };
        range.watched = vec!["replication_data".parse().unwrap()];
        let program = "import os\nos.listdir('../replication_data'); os.stat('../replication_data/unread.csv')\nopen('../replication_data/a.csv').read(); open('../replication_data/nested/b.csv').read(); open('../paper.txt').read()";
        let came = range.python(program).await;
        assert_eq!(came.ended.ending, Ending::Exited(0), "{}", came.errors());
        let files: Vec<&str> = came.ended.opened.files.iter().map(|path| path.as_str()).collect();
        assert_eq!(files, ["replication_data/a.csv", "replication_data/nested/b.csv"]);
        assert!(came.ended.opened.complete);
    }
}

#[tokio::test]
async fn files_closed_to_others_can_be_read_and_keep_their_owner() {
    for tier in TIERS {
        let Some(range) = Range::open(tier).await else {
            continue;
        };
        let closed = range.workspace.join("replication_data/a.csv");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(&range.workspace, fs::Permissions::from_mode(0o700)).unwrap();
        let before = closed.metadata().unwrap();
        let came = range
            .python("print(open('../replication_data/a.csv').read())")
            .await;
        assert_eq!(came.text(), "x\n1\n\n", "{tier:?}: {}", came.errors());
        let after = closed.metadata().unwrap();
        assert_eq!(
            (before.uid(), before.gid(), before.mode()),
            (after.uid(), after.gid(), after.mode())
        );
    }
}

#[tokio::test]
#[ignore = "a measurement, not a check: run it alone with --ignored --nocapture"]
async fn start_latency() {
    for tier in TIERS {
        let Some(range) = Range::open(tier).await else {
            continue;
        };
        let mut times = Vec::new();
        for _ in 0..50 {
            let begin = Instant::now();
            let came = range.run(&["true"]).await.unwrap();
            times.push(begin.elapsed());
            assert!(came.ended.ending.ok());
        }
        times.sort();
        println!(
            "{tier:?}: median {:?}, min {:?}, max {:?} of 50",
            times[25], times[0], times[49]
        );
    }
}
