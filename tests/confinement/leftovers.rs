//! Leftovers of a command after its end, its cancelling or its engine's death: none.

use std::fs;
use std::time::{Duration, Instant};

use reprise::domain::execution::{Ending, Tier};
use reprise::domain::ids::RunId;
use tokio_util::sync::CancellationToken;

use crate::harness::{Range, TIERS, alive, settings};
use crate::need::PATIENCE;
use crate::table::Table;

/// A daemon that ignores every signal it can and has left its session.
const DAEMON: &str = "import os, signal, sys, time
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(0); os.close(1); os.close(2)
        os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(600)', MARK])
    os._exit(0)
os.wait()
";

/// Processes that mean to outlive their command.
pub async fn attempts(tier: Tier, table: &mut Table) -> Option<()> {
    const LEFTOVERS: &str = "unkillable children";
    let mut range = Range::open(tier).await?;
    let mark = format!("daemon-{}-{tier:?}", range.run);
    let daemon = DAEMON.replace("MARK", &format!("'{mark}'"));
    let came = range.python(&daemon).await;
    let held = came.ended.ending == Ending::Exited(0) && alive(&mark).is_empty();
    table.held(LEFTOVERS, "outlive the command", held, "gone with it");

    let waiting = daemon + "open('ready', 'w').close()\nwhile True: time.sleep(1)\n";
    let ready = range.workspace.join("work/ready");
    range.limits.seconds = 2;
    let mut came = range.python(&waiting).await;
    // A busy machine needs more time to begin.
    while !ready.exists() && range.limits.seconds < 600 {
        range.limits.seconds *= 2;
        came = range.python(&waiting).await;
    }
    let held = came.ended.ending == Ending::TimedOut && ready.exists() && alive(&mark).is_empty();
    table.held(LEFTOVERS, "outlive the time limit", held, "gone with it");

    fs::remove_file(&ready).unwrap();
    range.limits.seconds = 600;
    let cancel = CancellationToken::new();
    let execution = range.execution(&["python3", "-c", &waiting]);
    let token = cancel.clone();
    let watch = async move {
        while !ready.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        token.cancel();
    };
    let (ended, ()) = tokio::join!(range.sandbox.execute(&execution, &cancel), watch);
    let held = ended.unwrap().ending == Ending::Cancelled && alive(&mark).is_empty();
    table.held(LEFTOVERS, "outlive the run's being stopped", held, "gone with it");
    range.sandbox.sweep(&range.run).await.unwrap();
    Some(())
}

/// Plays the engine that the next test kills; does nothing when run by itself.
#[tokio::test]
#[ignore = "started by another test"]
async fn engine_that_is_killed() {
    let (Ok(mark), Ok(tier), Ok(place)) = (
        std::env::var("TEST_MARK"),
        std::env::var("TEST_TIER"),
        std::env::var("TEST_PLACE"),
    ) else {
        return;
    };
    let tier = TIERS
        .into_iter()
        .find(|known| format!("{known:?}") == tier)
        .unwrap();
    let mut range = Range::open(tier).await.unwrap();
    range.run = RunId::new(&mark);
    let program = DAEMON.replace("MARK", &format!("'{mark}'"))
        + "print('ready', flush=True)\nwhile True: time.sleep(1)\n";
    let mut execution = range.execution(&["python3", "-c", &program, &mark]);
    execution.stdout = format!("{place}/stdout").into();
    let ended = range.sandbox.execute(&execution, &CancellationToken::new()).await;
    panic!("the command ended by itself: {ended:?}");
}

#[tokio::test]
async fn nothing_outlives_a_killed_engine() {
    for tier in TIERS {
        let Some(range) = Range::open(tier).await else {
            continue;
        };
        let mark = format!("killed-{}-{tier:?}", range.run);
        let mut engine = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "leftovers::engine_that_is_killed"])
            .env("TEST_MARK", &mark)
            .env("TEST_TIER", format!("{tier:?}"))
            .env("TEST_PLACE", range.outside())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let ready = || fs::read(range.outside().join("stdout")).is_ok_and(|text| text.starts_with(b"ready"));
        while !ready() {
            assert!(engine.try_wait().unwrap().is_none(), "the engine ended early");
            assert!(begin.elapsed() < PATIENCE);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // A process that is about to execute a program has no command line for a moment.
        while alive(&mark).len() < 2 {
            assert!(begin.elapsed() < PATIENCE, "the command and its daemon run");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        engine.kill().unwrap();
        engine.wait().unwrap();
        let killed = Instant::now();
        while !alive(&mark).is_empty() {
            assert!(killed.elapsed() < PATIENCE, "{tier:?}: {:?}", alive(&mark));
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        println!("{tier:?}: all gone {:?} after the engine", killed.elapsed());
        let run = RunId::new(&mark);
        if tier == Tier::Docker {
            // What the guard has killed is removed by the sweep.
            range.sandbox.sweep(&run).await.unwrap();
            continue;
        }
        let left = settings(None).scratch.join(&mark);
        assert!(left.exists(), "the killed engine could not tidy up");
        range.sandbox.sweep(&run).await.unwrap();
        assert!(!left.exists());
        range.sandbox.sweep(&run).await.unwrap();
    }
}
