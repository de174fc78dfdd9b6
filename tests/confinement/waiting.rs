//! Commands that wait for a person, whom no sandbox has.

use std::collections::BTreeMap;

use reprise::domain::execution::{Ending, EnvironmentSpec};
use reprise::domain::failure::FailureCause;
use reprise::policy::diagnose::{self, PrintedText};
use tokio_util::sync::CancellationToken;

use crate::harness::{Came, LOCAL, Range};
use crate::need::need;

/// What is said of a script that has to be diagnosed as waiting.
async fn key(range: &Range, command: &[&str]) -> (Ending, String) {
    told(command, &range.run(command).await.unwrap())
}

fn told(command: &[&str], came: &Came) -> (Ending, String) {
    let (stdout, stderr) = (came.text(), came.errors());
    let printed = PrintedText {
        stdout: &stdout,
        stderr: &stderr,
    };
    let found = diagnose::execution(came.ended.ending, printed).unwrap();
    assert_eq!(
        found.cause,
        FailureCause::WaitedForInput,
        "{command:?} {:?} {stderr}",
        came.ended.ending
    );
    (came.ended.ending, found.key.unwrap())
}

#[tokio::test]
async fn a_question_of_a_python_script_is_told_with_its_line() {
    for tier in LOCAL {
        let Some(range) = Range::open(tier).await else {
            continue;
        };
        let script = "import sys\n\nanswer = input('Go on? ')\nprint(answer)\n";
        std::fs::write(range.workspace.join("work/ask.py"), script).unwrap();
        let (ending, key) = key(&range, &["python3", "ask.py"]).await;
        assert_eq!(ending, Ending::Exited(1));
        assert_eq!(key, "EOFError: EOF when reading a line (ask.py, line 3)");
    }
}

#[tokio::test]
async fn questions_of_r_are_told() {
    for tier in LOCAL {
        let Some(mut range) = Range::open(tier).await else {
            continue;
        };
        let spec = EnvironmentSpec {
            r: Some(BTreeMap::new()),
            ..EnvironmentSpec::default()
        };
        let prepared = range
            .sandbox
            .prepare(&spec, &CancellationToken::new(), &|_| {})
            .await;
        let Some(environment) = need(prepared) else {
            continue;
        };
        range.environment = environment;
        let r = |program: &'static str| ["Rscript", "-e", program];
        // Rscript answers `readline` with nothing.
        for (program, words) in [
            (
                "x <- as.integer(readline('How many? ')); if (x > 1) print(x)",
                "behind `How many?`",
            ),
            ("menu(c('yes', 'no'), title = 'Go on?')", "menu() cannot be used"),
            (
                "options(repos = c(CRAN = '@CRAN@')); install.packages('notThere', lib = tempdir())",
                "without setting a mirror",
            ),
            (
                "install.packages('notThere', lib = .Library, repos = 'http://127.0.0.1:1')",
                "unable to install packages",
            ),
        ] {
            let (ending, key) = key(&range, &r(program)).await;
            assert_eq!(ending, Ending::Exited(1));
            assert!(key.contains(words), "{program}: {key}");
        }
        let asks = r("repeat { if (readline('Go on? ') == 'y') break; invisible(file.create('asked')) }");
        range.limits.seconds = 2;
        let mut came = range.run(&asks).await.unwrap();
        // A busy machine needs more time to begin.
        while !range.workspace.join("work/asked").exists() && range.limits.seconds < 600 {
            range.limits.seconds *= 2;
            came = range.run(&asks).await.unwrap();
        }
        let (ending, key) = told(&asks, &came);
        assert_eq!(ending, Ending::TimedOut);
        assert!(key.contains("`Go on?`"), "{key}");
    }
}
