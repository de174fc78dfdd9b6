//! Links put in a folder's place between a check and its use.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reprise::domain::execution::{Ending, Tier};
use reprise::tools::workspace::Workspace;
use tokio_util::sync::CancellationToken;

use crate::harness::{Range, alive};
use crate::table::Table;

const SWAPS: &str = "swaps";
const CANARY: &str = "the secret of another folder";

/// Swaps `x`, a folder with a file, for a link to a folder of the host, on and on.
const SWAPPER: &str = "import os, sys, time
outside = sys.argv[1]
os.makedirs('kept/x'); open('kept/x/secret', 'w').write('mine')
os.symlink(outside, 'kept/link')
os.rename('kept/x', 'x')
open('ready', 'w').close()
def swap():
    os.rename('x', 'kept/x'); os.rename('kept/link', 'x')
    os.rename('x', 'kept/link'); os.rename('kept/x', 'x')
";

/// A folder of the host with a file in it, and what it looked like.
struct Target {
    folder: PathBuf,
    owner: u32,
}

impl Target {
    fn make(range: &Range) -> Self {
        let folder = range.outside().join("target");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("secret"), CANARY).unwrap();
        // Open to all: only the confinement may stand in the way.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        fs::set_permissions(folder.join("secret"), fs::Permissions::from_mode(0o640)).unwrap();
        let owner = folder.metadata().unwrap().uid();
        Self { folder, owner }
    }

    fn untouched(&self) -> bool {
        let file = self.folder.join("secret");
        let found = file.metadata().unwrap();
        fs::read_to_string(&file).unwrap() == CANARY
            && found.mode() & 0o7777 == 0o640
            && found.uid() == self.owner
            && self.folder.metadata().unwrap().uid() == self.owner
            && fs::read_dir(&self.folder).unwrap().count() == 1
    }
}

/// Every swap, each in a workspace of its own.
pub async fn attempts(tier: Tier, table: &mut Table) -> Option<()> {
    left_behind(tier, table).await?;
    outlived(tier, table).await?;
    while_reading(tier, table).await
}

/// Links that lie in the work folder when the next execution is set up and taken back.
async fn left_behind(tier: Tier, table: &mut Table) -> Option<()> {
    let range = Range::open(tier).await?;
    let target = Target::make(&range);
    let program = "import os, sys\nos.symlink(sys.argv[1], 'folder'); os.symlink(sys.argv[1] + '/secret', 'file'); os.symlink('/etc', 'etc')\nos.makedirs('deep'); os.symlink(sys.argv[1], 'deep/folder')\nopen('script.py', 'w').write('print(open(\"folder/secret\").read())')";
    let place = target.folder.display().to_string();
    range.run(&["python3", "-c", program, &place]).await.unwrap();
    let next = range.run(&["python3", "script.py"]).await.unwrap();
    let held = target.untouched() && !next.text().contains(CANARY) && !next.ended.ending.ok();
    table.held(
        SWAPS,
        "leave links for the next execution to follow",
        held,
        "links were not followed",
    );
    let owner = fs::metadata("/etc").unwrap().uid();
    table.held(
        SWAPS,
        "have the host's folders handed over through a link",
        owner == 0 && target.untouched(),
        "owners are as they were",
    );
    Some(())
}

/// A swapper that leaves its command in order to live on between two executions.
async fn outlived(tier: Tier, table: &mut Table) -> Option<()> {
    let range = Range::open(tier).await?;
    let target = Target::make(&range);
    let mark = format!("swapper-{}-{tier:?}", range.run);
    let program = format!(
        "{SWAPPER}if os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  swap(); open('swapping', 'w').close()\n  while True: swap()\n os._exit(0)\nwhile not os.path.exists('swapping'): pass"
    );
    let place = target.folder.display().to_string();
    let came = range
        .run(&["python3", "-c", &program, &place, &mark])
        .await
        .unwrap();
    let gone = alive(&mark).is_empty();
    for _ in 0..3 {
        range.python("pass").await;
    }
    table.held(
        SWAPS,
        "swap a folder for a link while the next execution is set up",
        gone && target.untouched() && came.ended.ending == Ending::Exited(0),
        "the swapper was gone by then",
    );
    Some(())
}

/// The engine's own way to read files, while a script swaps what it reads.
async fn while_reading(tier: Tier, table: &mut Table) -> Option<()> {
    let mut range = Range::open(tier).await?;
    range.watched = vec!["work".parse().unwrap()];
    let target = Target::make(&range);
    fs::set_permissions(target.folder.join("secret"), fs::Permissions::from_mode(0o644)).unwrap();
    let program = format!("{SWAPPER}while True: swap()");
    let place = target.folder.display().to_string();
    let execution = range.execution(&["python3", "-c", &program, &place]);
    let cancel = CancellationToken::new();
    let (work, token) = (range.workspace.clone(), cancel.clone());
    let reader = tokio::task::spawn_blocking(move || {
        let counts = read_on(&work);
        token.cancel();
        counts
    });
    let ended = range.sandbox.execute(&execution, &cancel).await.unwrap();
    let (own, foreign, refused) = reader.await.unwrap();
    assert_eq!(ended.ending, Ending::Cancelled);
    assert!(own > 0 && refused > 0, "the script did not swap");
    table.held(
        SWAPS,
        "swap a folder for a link while files are read back",
        foreign == 0,
        format!("{own} reads of the script's file, {refused} refused, {foreign} of the host's"),
    );
    let foreign = ended
        .opened
        .files
        .iter()
        .any(|file| file.as_str().contains("target"));
    table.held(
        SWAPS,
        "have a host folder watched in a folder's place",
        !foreign,
        "nothing of it is in the record",
    );
    Some(())
}

/// Reads for a while: how often the script's file, the host's, and neither was seen.
fn read_on(root: &Path) -> (u64, u64, u64) {
    let workspace = Workspace::open(root).unwrap();
    while !root.join("work/ready").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let (mut own, mut foreign, mut refused) = (0, 0, 0);
    let begin = Instant::now();
    while (own < 500 || refused < 500) && begin.elapsed() < Duration::from_secs(30) {
        match workspace.read(&"work/x/secret".parse().unwrap(), 1 << 16) {
            Ok(content) if content.bytes == CANARY.as_bytes() => foreign += 1,
            Ok(_) => own += 1,
            Err(_) => refused += 1,
        }
    }
    (own, foreign, refused)
}
