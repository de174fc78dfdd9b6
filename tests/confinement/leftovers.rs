//! What is left of a command after its end, its cancelling or its engine's death: nothing.

use std::fs;
use std::time::{Duration, Instant};

use reprise::domain::execution::Ending;
use reprise::domain::ids::RunId;
use reprise::sandbox::contract::Sandbox as _;
use tokio_util::sync::CancellationToken;

use crate::harness::{Range, TIERS, alive, settings};

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

#[tokio::test]
async fn daemons_end_with_their_command() {
    for tier in TIERS {
        let Some(range) = Range::open(tier).await else {
            continue;
        };
        let mark = format!("daemon-{}-{tier:?}", range.run);
        let came = range.python(&DAEMON.replace("MARK", &format!("'{mark}'"))).await;
        assert_eq!(came.ended.ending, Ending::Exited(0), "{}", came.errors());
        assert_eq!(alive(&mark), Vec::<i32>::new(), "{tier:?}");

        let cancel = CancellationToken::new();
        let program = DAEMON.replace("MARK", &format!("'{mark}'"))
            + "open('ready', 'w').close()\nwhile True: time.sleep(1)\n";
        let execution = range.execution(&["python3", "-c", &program]);
        let ready = range.workspace.join("work/ready");
        let token = cancel.clone();
        let watch = async move {
            while !ready.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            token.cancel();
        };
        let (ended, ()) = tokio::join!(range.sandbox.execute(&execution, &cancel), watch);
        assert_eq!(ended.unwrap().ending, Ending::Cancelled);
        assert_eq!(alive(&mark), Vec::<i32>::new(), "{tier:?}");
        range.sandbox.sweep(&range.run).await.unwrap();
    }
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
            assert!(begin.elapsed() < Duration::from_secs(60));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // A process that is about to execute a program has no command line for a moment.
        while alive(&mark).len() < 2 {
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "the command and its daemon run"
            );
            tokio::task::yield_now().await;
        }
        engine.kill().unwrap();
        engine.wait().unwrap();
        let killed = Instant::now();
        while !alive(&mark).is_empty() {
            assert!(
                killed.elapsed() < Duration::from_secs(10),
                "{tier:?}: {:?}",
                alive(&mark)
            );
            tokio::task::yield_now().await;
        }
        println!("{tier:?}: all gone {:?} after the engine", killed.elapsed());
        let left = settings(None).scratch.join(&mark);
        assert!(left.exists(), "the killed engine could not tidy up");
        let run = RunId::new(&mark);
        range.sandbox.sweep(&run).await.unwrap();
        assert!(!left.exists());
        range.sandbox.sweep(&run).await.unwrap();
    }
}
