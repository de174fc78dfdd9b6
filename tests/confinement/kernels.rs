//! A kernel whose state lasts, in every tier.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reprise::domain::execution::Tier;
use reprise::notebook::export;
use reprise::notebook::history::step::{HistorySource, NotebookHistory, NotebookStep, StepBy, StepContent};
use reprise::sandbox::session::kernel::{CellReply, CellStanding, KernelSession, environment};
use reprise::sandbox::session::reply::CommandsBefore;
use reprise::sandbox::session::shell::{SessionKind, SessionSpec};

use crate::harness::Range;

const EXCHANGE: &str = "logs/kernel";
const LONG: Duration = Duration::from_secs(600);
/// For cells that are left running.
const SHORT: Duration = Duration::from_millis(200);

fn spec(range: &Range) -> SessionSpec {
    range.session(SessionKind::Kernel, EXCHANGE)
}

async fn range(tier: Tier) -> Option<Range> {
    let mut range = Range::with(tier, &environment(&[])).await?;
    range.limits.seconds = 1800;
    Some(range)
}

async fn open(range: &Range) -> KernelSession {
    KernelSession::open(Arc::clone(&range.sandbox), &spec(range))
        .await
        .unwrap()
}

async fn say(kernel: &mut KernelSession, cell: &str) -> CellReply {
    kernel.execute(cell, LONG).await.unwrap()
}

/// Begins a cell that first prints a line, and leaves it running once the line is there.
async fn begins(kernel: &mut KernelSession, cell: &str, line: &str) {
    let mut reply = kernel.execute(cell, SHORT).await.unwrap();
    while reply.output.text() != line {
        assert_eq!(
            (reply.standing, reply.output.text()),
            (CellStanding::Running, String::new())
        );
        reply = kernel.wait(SHORT).await.unwrap();
    }
    assert_eq!(reply.standing, CellStanding::Running);
}

/// A cell that comes to its end with a status and an output.
async fn ends(kernel: &mut KernelSession, cell: &str, status: i32, output: &str) {
    let reply = say(kernel, cell).await;
    assert_eq!(
        (reply.standing, reply.output.text().as_str()),
        (CellStanding::Done { status }, output),
        "{cell}"
    );
}

async fn state_lasts_over_cells_of_every_kind(tier: Tier) {
    let Some(range) = range(tier).await else { return };
    let mut kernel = open(&range).await;
    let inside = range.inside();
    ends(&mut kernel, "x = 1\nprint('a')\nx + 1", 0, "a\n2").await;
    // Commands, magics and Python in one cell; both streams in the order of their arrival.
    ends(&mut kernel, "!echo out; echo err >&2; exit 3", 3, "out\nerr\n").await;
    ends(&mut kernel, "!exit 3\n!true", 0, "").await;
    ends(
        &mut kernel,
        "!mkdir -p sub\n%cd sub",
        0,
        &format!("{inside}/work/sub\n"),
    )
    .await;
    ends(
        &mut kernel,
        "!pwd\nif x:\n    !echo {x} $x\nprint(x)",
        0,
        &format!("{inside}/work/sub\n1 1\n1\n"),
    )
    .await;
    ends(
        &mut kernel,
        "%%writefile a.py\nprint('file')",
        0,
        "Writing a.py\n",
    )
    .await;
    ends(&mut kernel, "!python3 \\\n  a.py", 0, "file\n").await;
    ends(&mut kernel, "%%bash\necho in bash", 0, "in bash\n").await;
    ends(&mut kernel, "", 0, "").await;
    // Errors have the published prefix and a traceback.
    let reply = say(&mut kernel, "print('before')\n1/0").await;
    assert_eq!(reply.standing, CellStanding::Failed);
    let text = reply.output.text();
    assert!(
        text.starts_with("before\nError/Traceback: ZeroDivisionError: division by zero\n"),
        "{text}"
    );
    // What other processes print, whether they were forked or began anew, and modules of the folder.
    let forked = "import multiprocessing\np = multiprocessing.Process(target=print, args=('forked',))\np.start()\np.join()";
    let mut seen = say(&mut kernel, forked).await.output.text();
    seen += &say(&mut kernel, "import os\ns = os.system('echo begun')")
        .await
        .output
        .text();
    let begin = Instant::now();
    while !seen.contains("begun\n") {
        assert!(begin.elapsed() < LONG, "{seen}");
        seen += &say(&mut kernel, "").await.output.text();
    }
    assert_eq!(seen, "forked\nbegun\n");
    ends(&mut kernel, "import a", 0, "file\n").await;
    // No input: what asks for it is told so, or reads nothing.
    let reply = say(&mut kernel, "input('name? ')").await;
    assert_eq!(reply.standing, CellStanding::Failed);
    assert!(reply.output.text().contains("StdinNotImplementedError"));
    ends(&mut kernel, "!cat", 0, "").await;
    // What a thread prints between two cells is told with the next.
    let late = "import threading\ndef late():\n    while not os.path.exists('go'): pass\n    \
                print('late', flush=True)\n    open('printed', 'w').close()\nthreading.Thread(target=late).start()";
    ends(&mut kernel, late, 0, "").await;
    let folder = range.workspace.join("work/sub");
    std::fs::write(folder.join("go"), "").unwrap();
    while !folder.join("printed").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    ends(&mut kernel, "print('next')", 0, "late\nnext\n").await;
    assert!(range.workspace.join("work/sub/a.py").is_file());
    let notes = kernel.close().await;
    assert!(!notes.iter().any(|note| note.contains("failed")), "{notes:?}");
}

async fn cells_are_waited_for_interrupted_and_lost(tier: Tier) {
    let Some(range) = range(tier).await else { return };
    let mut kernel = open(&range).await;
    ends(&mut kernel, "x = 7\nimport time", 0, "").await;
    let waits = "import os\nprint('one')\nwhile not os.path.exists('go'): time.sleep(0.05)\nprint('two')";
    begins(&mut kernel, waits, "one\n").await;
    assert!(kernel.is_busy().await);
    std::fs::write(range.workspace.join("work/go"), "").unwrap();
    let reply = kernel.wait(LONG).await.unwrap();
    assert_eq!(
        (reply.standing, reply.output.text()),
        (CellStanding::Done { status: 0 }, "two\n".to_owned()),
        "only what is new is told"
    );
    // A command is interrupted, and state survives it.
    begins(&mut kernel, "print('on')\n!sleep 600", "on\n").await;
    let reply = kernel.interrupt().await.unwrap();
    assert_eq!(reply.standing, CellStanding::Interrupted);
    ends(&mut kernel, "print(x)", 0, "7\n").await;
    // Another cell interrupts the one before by force.
    begins(&mut kernel, "print('on')\ntime.sleep(600)", "on\n").await;
    let reply = say(&mut kernel, "print(x)").await;
    assert_eq!(reply.interrupted, Some(CellStanding::Interrupted));
    assert_eq!(
        (reply.standing, reply.output.text()),
        (CellStanding::Done { status: 0 }, "7\n".to_owned())
    );
    // One that refuses every interruption loses its kernel.
    let stubborn = "while True:\n    try:\n        print('deaf') if not deaf else None\n        deaf = True\n        time.sleep(1)\n    except KeyboardInterrupt:\n        pass";
    ends(&mut kernel, "deaf = False", 0, "").await;
    begins(&mut kernel, stubborn, "deaf\n").await;
    let reply = kernel.interrupt().await.unwrap();
    assert!(matches!(reply.standing, CellStanding::KernelGone(_)), "{reply:?}");
    let reply = say(&mut kernel, "print(x)").await;
    assert_eq!(
        reply.standing,
        CellStanding::Failed,
        "another kernel, without state"
    );
    // So does one that ends it.
    let reply = say(
        &mut kernel,
        "print('bye', flush=True)\nimport os, time\ntime.sleep(0.5)\nos._exit(3)",
    )
    .await;
    assert!(matches!(reply.standing, CellStanding::KernelGone(_)), "{reply:?}");
    assert_eq!(reply.output.text(), "bye\n");
    ends(&mut kernel, "print('again')", 0, "again\n").await;
    // Much output: the model's part is cut, the file is as whole as the sandbox lets files be.
    let reply = say(&mut kernel, "for i in range(40):\n    print('y' * 99_999)").await;
    assert_eq!(reply.standing, CellStanding::Done { status: 0 });
    assert!(reply.output.left_out > 2_000_000 && reply.output.text().len() < 1_100_000);
    let whole = std::fs::metadata(range.workspace.join(EXCHANGE).join(&reply.file)).unwrap();
    assert_eq!(whole.len(), 4_000_000);
    ends(&mut kernel, "print('still there')", 0, "still there\n").await;
    kernel.close().await;
}

/// A container outlives the engine that began it: its kernel is taken up with its state, and the
/// cell that was given twice is executed once.
#[tokio::test]
async fn a_kernel_is_taken_up_in_docker() {
    let Some(range) = range(Tier::Docker).await else {
        return;
    };
    let mut first = open(&range).await;
    ends(&mut first, "x = 5\nn = 0", 0, "").await;
    first
        .execute("import time\nn += 1\ntime.sleep(2)\nprint('done', n)", SHORT)
        .await
        .unwrap();
    // As an engine that is killed leaves it.
    std::mem::forget(first);
    let before = CommandsBefore { number: 1, told: 0 };
    let mut second = KernelSession::take_up(&range.sandbox, &spec(&range), before)
        .await
        .unwrap()
        .unwrap();
    let reply = second
        .execute("import time\nn += 1\ntime.sleep(2)\nprint('done', n)", LONG)
        .await
        .unwrap();
    assert_eq!(
        (reply.standing, reply.output.text()),
        (CellStanding::Done { status: 0 }, "done 1\n".to_owned())
    );
    ends(&mut second, "print(x, n)", 0, "5 1\n").await;
    second.close().await;
}

/// A notebook that was exported of a history is valid, and IPython runs it again.
#[tokio::test]
async fn an_exported_notebook_runs_again() {
    let Some(range) = Range::with(Tier::Namespaces, &environment(&["nbformat>=5,<6".to_owned()])).await
    else {
        return;
    };
    let step = |action: &str, content: StepContent, observation: &str| NotebookStep {
        by: StepBy::Agent,
        action: Some(action.to_owned()),
        content: Some(content),
        observation: observation.to_owned(),
        seconds: Some(0.5),
        outcome: None,
        exit_code: None,
        file: None,
    };
    let text = |text: &str| StepContent::Text(text.to_owned());
    let history = NotebookHistory {
        source: HistorySource::Own,
        task: Some("halves".to_owned()),
        steps: vec![
            step(
                "execute",
                text("%%writefile half.py\nimport sys\n\nprint(int(sys.argv[1]) // 3)"),
                "Writing half.py\n",
            ),
            step(
                "edit",
                text(
                    "half.py\nimport sys\n  \n<<<BEFORE_EDIT>>>\nprint(int(sys.argv[1]) // 3)\n<<<AFTER_EDIT>>>\nprint(int(sys.argv[1]) / 2)  # \"half\" \\ é",
                ),
                "edited",
            ),
            step(
                "execute",
                text("found = !python3 half.py 5\nprint(found)"),
                "['2.5']\n",
            ),
            step("continue_wait", text(""), "late\n"),
            step("submit", StepContent::Json("{\"half\": 2.5}".to_owned()), ""),
        ],
    };
    let made = export::notebook(&history);
    std::fs::write(range.workspace.join("work/half.ipynb"), made.to_string()).unwrap();
    let mut kernel = open(&range).await;
    ends(
        &mut kernel,
        "import nbformat\nnbformat.validate(nbformat.read('half.ipynb', as_version=4))",
        0,
        "",
    )
    .await;
    ends(&mut kernel, "%run half.ipynb", 0, "Writing half.py\n['2.5']\n").await;
    kernel.close().await;
}

/// Landlock alone leaves no sockets.
#[tokio::test]
async fn landlock_has_no_kernels_and_says_so() {
    let Some(range) = range(Tier::Landlock).await else {
        return;
    };
    let opened = KernelSession::open(Arc::clone(&range.sandbox), &spec(&range)).await;
    let said = opened.err().unwrap().to_string();
    assert!(
        said.contains("needs local sockets") && said.contains("use containers"),
        "{said}"
    );
}

#[tokio::test]
async fn cells_last_in_namespaces() {
    state_lasts_over_cells_of_every_kind(Tier::Namespaces).await;
}

#[tokio::test]
async fn cells_last_in_docker() {
    state_lasts_over_cells_of_every_kind(Tier::Docker).await;
}

#[tokio::test]
async fn cells_are_stopped_in_namespaces() {
    cells_are_waited_for_interrupted_and_lost(Tier::Namespaces).await;
}

#[tokio::test]
async fn cells_are_stopped_in_docker() {
    cells_are_waited_for_interrupted_and_lost(Tier::Docker).await;
}
