//! Attempts to use up what the machine has: each is cut at its limit.

use std::fs;

use nix::mount::{MsFlags, mount, umount};
use nix::sys::statvfs::statvfs;
use reprise::domain::execution::{Ending, Tier};

use crate::harness::{Came, Range, alive};
use crate::need::need;
use crate::table::{Outcome, Table};

const BOMBS: &str = "bombs";

/// Runs every bomb, each in a workspace of its own.
pub async fn attempts(tier: Tier, table: &mut Table) -> Option<()> {
    memory(tier, table).await?;
    processes(tier, table).await?;
    files(tier, table).await?;
    disk(tier, table).await?;
    output(tier, table).await?;
    time(tier, table).await
}

fn said(came: &Came) -> String {
    let text = came.text();
    let errors = came.errors();
    let last = text.trim().lines().last().or(errors.trim().lines().last());
    format!("{:?} {}", came.ended.ending, last.unwrap_or_default())
}

async fn memory(tier: Tier, table: &mut Table) -> Option<()> {
    let mut range = Range::open(tier).await?;
    range.limits.seconds = 300;
    range.limits.memory = 256 << 20;
    let came = range
        .python("held = []\nwhile True: held.append(bytearray(b'x') * (8 << 20))")
        .await;
    let held = came.ended.ending == Ending::OutOfMemory
        || came.errors().contains("MemoryError") && !came.ended.ending.ok();
    table.held(BOMBS, "take all memory", held, said(&came));

    let children = "import os, time\nfor _ in range(8):\n if os.fork() == 0:\n  held = bytearray(b'x') * (60 << 20); time.sleep(60)\ntime.sleep(60)";
    let came = range.python(children).await;
    table.held(
        BOMBS,
        "take all memory over children",
        came.ended.ending == Ending::OutOfMemory,
        said(&came),
    );

    let shared = "import mmap, time\nheld = mmap.mmap(-1, 600 << 20)\nfor at in range(0, 600 << 20, 4096): held[at] = 1\nprint('took it')";
    let came = range.python(shared).await;
    let held = !came.ended.ending.ok() && !came.text().contains("took it");
    table.held(BOMBS, "take all memory by a shared map", held, said(&came));
    Some(())
}

async fn processes(tier: Tier, table: &mut Table) -> Option<()> {
    let mut range = Range::open(tier).await?;
    range.limits.seconds = 300;
    let most = range.limits.processes;
    let within = |came: &Came| {
        let count: u64 = came.text().trim().parse().unwrap_or(0);
        (10..=most).contains(&count) || came.ended.ending == Ending::Signalled(9)
    };
    let came = range
        .python("import os, time\ncount = 0\ntry:\n while True:\n  if os.fork() == 0: time.sleep(60)\n  count += 1\nexcept OSError: print(count)")
        .await;
    table.held(BOMBS, "fork without end", within(&came), said(&came));

    let came = range
        .python("import os\ncount = 0\ntry:\n while True:\n  if os.fork() == 0: os._exit(0)\n  count += 1\nexcept OSError: print(count)")
        .await;
    table.held(
        BOMBS,
        "flood the machine with zombies",
        within(&came),
        said(&came),
    );

    let came = range
        .python("import threading\nstop = threading.Event(); count = 0\ntry:\n while True:\n  threading.Thread(target=stop.wait, daemon=True).start(); count += 1\nexcept RuntimeError: print(count, flush=True)\nimport os; os._exit(0)")
        .await;
    table.held(BOMBS, "start threads without end", within(&came), said(&came));

    let mark = format!("rolling-{}", range.run);
    range.limits.seconds = 2;
    let rolling = "import os, sys, time\nif os.fork() == 0:\n while True:\n  try:\n   if os.fork(): os._exit(0)\n  except OSError: pass\ntime.sleep(60)";
    let came = range.run(&["python3", "-c", rolling, &mark]).await.unwrap();
    let gone = alive(&mark).is_empty();
    table.held(
        BOMBS,
        "fork on and on, always as an orphan",
        gone && came.ended.ending == Ending::TimedOut,
        said(&came),
    );

    let came = range
        .python("import os\nheld = []\ntry:\n while len(held) < 200000: held.append(os.open('/dev/null', os.O_RDONLY))\nexcept OSError: pass\nprint(len(held))")
        .await;
    let count: u64 = came.text().trim().parse().unwrap_or(u64::MAX);
    table.held(BOMBS, "open files without end", count <= 1 << 16, said(&came));
    Some(())
}

async fn files(tier: Tier, table: &mut Table) -> Option<()> {
    let mut range = Range::open(tier).await?;
    range.limits.memory = 256 << 20;
    let limit = range.limits.file;
    let came = range
        .python("with open('big', 'wb') as file:\n for _ in range(64): file.write(bytes(1 << 20))")
        .await;
    let size = range.workspace.join("work/big").metadata().unwrap().len();
    let held = !came.ended.ending.ok() && size <= limit;
    table.held(BOMBS, "write one file without end", held, format!("{size} bytes"));

    let came = range
        .python("import os\nopen('sparse', 'w').close()\nos.truncate('sparse', 1 << 40)")
        .await;
    let size = range.workspace.join("work/sparse").metadata().unwrap().len();
    let held = !came.ended.ending.ok() && size <= limit;
    table.held(BOMBS, "make a giant file of holes", held, format!("{size} bytes"));

    for (name, folder) in [
        ("temporary folder", "os.environ['TMPDIR']"),
        ("shared memory", "'/dev/shm'"),
    ] {
        let program = format!(
            "import os\nfor name in range(40):\n with open({folder} + f'/{{name}}', 'wb', buffering=0) as file:\n  for _ in range(8): file.write(bytes(1 << 20))\nprint('filled')"
        );
        let came = range.python(&program).await;
        let name = format!("fill the {name}");
        if tier == Tier::Landlock && came.ended.ending.ok() {
            table.add(
                BOMBS,
                &name,
                Outcome::Open,
                "the temporary folder has no limit but",
            );
        } else {
            table.held(BOMBS, &name, !came.text().contains("filled"), said(&came));
        }
    }

    let nest = "import os\ndepth = 0\ntry:\n while depth < 3000:\n  os.mkdir('n'); os.chdir('n'); depth += 1\nexcept OSError: pass\nprint(depth)";
    let came = range.python(nest).await;
    let work = range.workspace.join("work");
    let gone = fs::remove_dir_all(work.join("n")).is_ok() || shortened(&work.join("n"));
    table.held(
        BOMBS,
        "nest folders beyond any path",
        gone,
        format!("{} deep", came.text().trim()),
    );
    Some(())
}

/// Removes a chain of folders that is too deep to be removed in one go.
fn shortened(folder: &std::path::Path) -> bool {
    std::process::Command::new("rm")
        .arg("-rf")
        .arg(folder)
        .status()
        .is_ok_and(|status| status.success())
}

/// A small file system in the work folder's place, which root alone can make.
struct Small(std::path::PathBuf);

impl Small {
    fn over(folder: &std::path::Path) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            return None;
        }
        let options = "size=40m,nr_inodes=8k,mode=0755";
        mount(
            Some("tmpfs"),
            folder,
            Some("tmpfs"),
            MsFlags::empty(),
            Some(options),
        )
        .unwrap();
        Some(Self(folder.to_owned()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = umount(&self.0);
    }
}

async fn disk(tier: Tier, table: &mut Table) -> Option<()> {
    let bytes = "import time\nfor name in range(1000):\n with open(f'{name}', 'wb', buffering=0) as file:\n  for _ in range(4): file.write(bytes(1 << 18)); time.sleep(0.01)\n";
    let names = "import time\nfor name in range(100000):\n open(f'{name}', 'w').close()\n if name % 8 == 0: time.sleep(0.01)\n";
    for (name, program) in [
        ("fill the disk with files", bytes),
        ("use up the names of the disk", names),
    ] {
        let range = Range::open(tier).await?;
        let work = range.workspace.join("work");
        let Some(_small) = need(Small::over(&work).ok_or("only root can mount a small disk")) else {
            continue;
        };
        // A disk that has become full is left to the engine to notice.
        let indented = program.trim_end().replace('\n', "\n ");
        let caught = format!("try:\n {indented}\nexcept OSError: time.sleep(60)");
        let came = range.python(&caught).await;
        let left = statvfs(&work).unwrap();
        let note = came.ended.notes.iter().any(|note| note.contains("nearly full"));
        let held =
            note && !came.ended.ending.ok() && left.blocks_available() > 0 && left.files_available() > 0;
        table.held(
            BOMBS,
            name,
            held,
            format!(
                "{:?}, {} MB and {} names left",
                came.ended.ending,
                (left.blocks_available() * left.fragment_size()) >> 20,
                left.files_available()
            ),
        );
    }
    Some(())
}

async fn output(tier: Tier, table: &mut Table) -> Option<()> {
    let mut range = Range::open(tier).await?;
    range.limits.output = 1000;
    let came = range
        .python("import sys, threading\ndef flood(stream):\n for _ in range(800): stream.write('y' * 65536)\nfloods = [threading.Thread(target=flood, args=(stream,)) for stream in (sys.stdout, sys.stderr)]\n[flood.start() for flood in floods]; [flood.join() for flood in floods]")
        .await;
    let kept = (came.stdout.len(), came.stderr.len());
    let counted = (came.ended.stdout_bytes, came.ended.stderr_bytes);
    table.held(
        BOMBS,
        "flood both output streams",
        kept == (1000, 1000) && counted == (800 * 65536, 800 * 65536),
        format!("kept {kept:?} of {counted:?}"),
    );
    Some(())
}

async fn time(tier: Tier, table: &mut Table) -> Option<()> {
    let mut range = Range::open(tier).await?;
    range.limits.seconds = 1;
    let deaf = "import signal\nfor number in range(1, 65):\n try: signal.signal(number, signal.SIG_IGN)\n except (OSError, ValueError): pass\nwhile True: pass";
    let came = range.python(deaf).await;
    let held = came.ended.ending == Ending::TimedOut;
    table.held(BOMBS, "run on, deaf to signals", held, said(&came));

    range.limits.seconds = 300;
    let holding = "import os, sys, time\nif os.fork() == 0:\n os.setsid(); time.sleep(600)\nprint('over')";
    let came = range.python(holding).await;
    let held = came.ended.ending == Ending::Exited(0);
    table.held(BOMBS, "keep the output open after the end", held, said(&came));

    range.limits.seconds = 1;
    let came = range
        .python("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nprint('woken')")
        .await;
    let stopped = came.ended.ending == Ending::TimedOut;
    table.held(BOMBS, "stop oneself for ever", stopped, said(&came));
    Some(())
}
