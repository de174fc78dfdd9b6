//! A shell whose state lasts, in every tier, and what hostile code makes of its exchange.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reprise::domain::execution::Tier;
use reprise::sandbox::session::exchange::ControlWord;
use reprise::sandbox::session::reply::{CommandStanding, ShellReply};
use reprise::sandbox::session::shell::{SessionKind, SessionSpec, ShellSession};

use crate::harness::Range;

const SHELL: &str = "logs/shell";
const LONG: Duration = Duration::from_secs(600);
/// For commands that are left running.
const SHORT: Duration = Duration::from_millis(200);

fn spec(range: &Range) -> SessionSpec {
    range.session(SessionKind::Shell, SHELL)
}

async fn open(range: &Range) -> ShellSession {
    ShellSession::open(Arc::clone(&range.sandbox), &spec(range))
        .await
        .unwrap()
}

/// What a command came to, as its exit status and its output.
fn told(reply: &ShellReply) -> (CommandStanding, String) {
    (reply.standing.clone(), reply.output.text())
}

fn ended(code: i32, output: &str) -> (CommandStanding, String) {
    (CommandStanding::Ended(code), output.to_owned())
}

/// Begins a command that first prints a line, and leaves it running once the line is there.
async fn begins(shell: &mut ShellSession, command: &str, line: &str) {
    let mut reply = shell.run(command, SHORT).await.unwrap();
    while reply.output.text() != line {
        assert_eq!(told(&reply), (CommandStanding::Running, String::new()));
        reply = shell.wait(SHORT).await.unwrap();
    }
    assert_eq!(reply.standing, CommandStanding::Running);
}

async fn state_lasts(tier: Tier) {
    let Some(range) = Range::open(tier).await else {
        return;
    };
    let mut shell = open(&range).await;
    let say = async |shell: &mut ShellSession, command: &str| told(&shell.run(command, LONG).await.unwrap());
    assert_eq!(
        say(&mut shell, "mkdir -p sub; cd sub; X=7; f() { echo f$1; }").await,
        ended(0, "")
    );
    let inside = range.inside();
    assert_eq!(
        say(&mut shell, "pwd; f $X; echo to stderr >&2; (exit 3)").await,
        ended(3, &format!("{inside}/work/sub\nf7\nto stderr\n"))
    );
    // A command that is no shell's leaves the shell as it was.
    let (standing, text) = say(&mut shell, "if then").await;
    assert!(
        matches!(standing, CommandStanding::Ended(code) if code != 0),
        "{standing:?}"
    );
    assert!(text.contains("syntax error"), "{text}");
    // What is left in the background lives on.
    assert_eq!(
        say(&mut shell, "(sleep 0.3; echo late >late) & echo begun").await,
        ended(0, "begun\n")
    );
    assert_eq!(
        say(&mut shell, "wait; cat late; echo $X").await,
        ended(0, "late\n7\n")
    );
    assert_eq!(
        say(&mut shell, "printf 'no end of line'").await,
        ended(0, "no end of line")
    );
    // `exit` ends the shell, and another stands in its place.
    let gone = say(&mut shell, "echo bye; exit 5").await;
    assert_eq!(gone, (CommandStanding::ShellGone(5), "bye\n".to_owned()));
    assert_eq!(
        say(&mut shell, "echo \"<$X>\"; pwd").await,
        ended(0, &format!("<>\n{inside}/work\n"))
    );
    let notes = shell.close().await;
    assert!(!notes.iter().any(|note| note.contains("failed")), "{notes:?}");
    assert!(range.workspace.join("work/sub/late").is_file());
}

async fn commands_are_waited_for_interrupted_and_killed(tier: Tier) {
    let Some(mut range) = Range::open(tier).await else {
        return;
    };
    // A busy machine makes each wait for an end longer.
    range.limits.seconds = 1800;
    let mut shell = open(&range).await;
    let waits = "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two";
    begins(&mut shell, waits, "one\n").await;
    assert!(shell.is_busy().await);
    std::fs::write(range.workspace.join("work/go"), "").unwrap();
    let reply = shell.wait(LONG).await.unwrap();
    assert_eq!(told(&reply), ended(0, "two\n"), "what was told is not told again");
    begins(&mut shell, "X=1; echo set; sleep 600; echo not reached", "set\n").await;
    let reply = shell.stop(ControlWord::Interrupt).await.unwrap();
    assert!(matches!(reply.standing, CommandStanding::Ended(_)), "{reply:?}");
    // A loop of the shell's own is no process that could be killed.
    begins(&mut shell, "echo on; while :; do :; done", "on\n").await;
    let reply = shell.stop(ControlWord::Interrupt).await.unwrap();
    assert_eq!(told(&reply), ended(130, ""));
    assert_eq!(told(&shell.run("echo $X", LONG).await.unwrap()), ended(0, "1\n"));
    // One that does not listen to the interruption is killed, and what is in the background is not.
    let stubborn = "python3 -c 'import signal,time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(1, flush=True); \
                    time.sleep(600)'";
    shell.run("sleep 501 & B=$!", LONG).await.unwrap();
    begins(&mut shell, stubborn, "1\n").await;
    let reply = shell.stop(ControlWord::Interrupt).await.unwrap();
    assert_eq!(reply.standing, CommandStanding::Running);
    let reply = shell.stop(ControlWord::Kill).await.unwrap();
    if tier == Tier::Landlock {
        // It shows no process of the machine, so that the shell is all that can be ended.
        assert!(
            matches!(reply.standing, CommandStanding::ShellGone(_)),
            "{reply:?}"
        );
    } else {
        assert!(matches!(reply.standing, CommandStanding::Ended(_)), "{reply:?}");
        let lives = shell.run("kill -0 $B && echo lives", LONG).await.unwrap();
        assert_eq!(told(&lives), ended(0, "lives\n"));
    }
    // A shell that refuses every interruption is ended, and its state with it.
    begins(
        &mut shell,
        "trap '' INT; echo deaf; while :; do :; done",
        "deaf\n",
    )
    .await;
    let reply = shell.stop(ControlWord::Kill).await.unwrap();
    assert!(
        matches!(reply.standing, CommandStanding::ShellGone(_)),
        "{reply:?}"
    );
    assert_eq!(
        told(&shell.run("echo \"<$X>\"", LONG).await.unwrap()),
        ended(0, "<>\n")
    );
    shell.close().await;
}

/// Whatever code does to the files of the exchange, the engine reads none that is not there,
/// waits for none for ever, and says so.
async fn a_hostile_exchange_harms_itself(tier: Tier) {
    let Some(range) = Range::open(tier).await else {
        return;
    };
    let secret = range.outside().join("secret");
    std::fs::write(&secret, crate::harness::SECRET).unwrap();
    let mut shell = open(&range).await;
    let folder = format!("{}/{SHELL}", range.inside());
    let steal = format!(
        "rm {folder}/1.out; ln -s {} {folder}/1.out; echo hidden",
        secret.display()
    );
    let reply = shell.run(&steal, LONG).await.unwrap();
    assert_eq!(told(&reply), ended(0, ""));
    let pipe = format!("rm -f {folder}/2.out; mkfifo {folder}/2.out");
    assert_eq!(told(&shell.run(&pipe, LONG).await.unwrap()), ended(0, ""));
    let much = "head -c 5000000 /dev/zero | tr '\\0' x";
    let reply = shell.run(much, LONG).await.unwrap();
    assert!(reply.output.left_out > 3_000_000 && reply.output.text().len() < 1_100_000);
    // Ends that it writes itself are believed for its own command alone.
    let early = format!("echo 'ended 0' >{folder}/4.end; sleep 1; echo late");
    let reply = shell.run(&early, LONG).await.unwrap();
    assert_eq!(reply.standing, CommandStanding::Ended(0));
    let reply = shell.run("echo next", LONG).await.unwrap();
    assert_eq!(told(&reply), ended(0, "next\n"));
    // Without its pipes there is no session.
    shell
        .run(&format!("rm -rf {folder}/ask {folder}/control"), LONG)
        .await
        .unwrap();
    assert!(shell.run("echo nobody", LONG).await.is_err());
    shell.close().await;
}

async fn a_session_ends_with_its_time_and_leaves_nothing(tier: Tier) {
    let Some(range) = Range::open(tier).await else {
        return;
    };
    let mut spec = spec(&range);
    spec.limits.seconds = 2;
    // A busy machine needs more time to begin.
    let (mut shell, reply) = loop {
        spec.limits.seconds *= 2;
        if let Ok(mut shell) = ShellSession::open(Arc::clone(&range.sandbox), &spec).await {
            let reply = shell.run("echo begun; sleep 4711", LONG).await.unwrap();
            if reply.output.text() == "begun\n" || spec.limits.seconds > 600 {
                break (shell, reply);
            }
        }
        assert!(spec.limits.seconds < 600, "no session begins");
    };
    let CommandStanding::SessionOver(why) = &reply.standing else {
        panic!("{reply:?}");
    };
    assert!(why.contains("time limit"), "{why}");
    assert_eq!(reply.output.text(), "begun\n");
    let again = shell.run("echo again", LONG).await.unwrap();
    assert!(matches!(again.standing, CommandStanding::SessionOver(_)));
    // Whoever lets go of a session ends it.
    let mut dropped = open(&range).await;
    dropped.run("sleep 4712 &", LONG).await.unwrap();
    drop(dropped);
    let begin = Instant::now();
    while is_running("sleep\u{0}4711") || is_running("sleep\u{0}4712") {
        assert!(begin.elapsed() < LONG, "something is left");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Whether a process of this machine has this command line.
fn is_running(command: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .any(|line| line.starts_with(command.as_bytes()))
}

macro_rules! in_every_tier {
    ($($test:ident: $namespaces:ident, $landlock:ident, $docker:ident;)*) => {$(
        #[tokio::test]
        async fn $namespaces() {
            $test(Tier::Namespaces).await;
        }
        #[tokio::test]
        async fn $landlock() {
            $test(Tier::Landlock).await;
        }
        #[tokio::test]
        async fn $docker() {
            $test(Tier::Docker).await;
        }
    )*};
}

in_every_tier! {
    state_lasts: state_lasts_in_namespaces, state_lasts_under_landlock, state_lasts_in_docker;
    commands_are_waited_for_interrupted_and_killed: commands_are_stopped_in_namespaces,
        commands_are_stopped_under_landlock, commands_are_stopped_in_docker;
    a_hostile_exchange_harms_itself: an_exchange_is_hostile_in_namespaces,
        an_exchange_is_hostile_under_landlock, an_exchange_is_hostile_in_docker;
    a_session_ends_with_its_time_and_leaves_nothing: a_session_ends_in_namespaces,
        a_session_ends_under_landlock, a_session_ends_in_docker;
}
