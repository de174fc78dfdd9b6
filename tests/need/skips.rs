//! The skipped tests of one `cargo test`, which its last program counts (`tests/need/count.rs`).

use std::io::Write as _;
use std::os::unix::process::parent_id;
use std::path::PathBuf;

/// The file of this run: one line for each need that was not met. Cargo starts every test program
/// itself, so that the parent's id is the same for all programs of a run.
pub fn file() -> Option<PathBuf> {
    // target/debug/deps/PROGRAM
    let program = std::env::current_exe().ok()?;
    Some(
        program
            .ancestors()
            .nth(3)?
            .join("skipped")
            .join(parent_id().to_string()),
    )
}

/// Appends a line with the program, the test and the reason.
#[allow(
    clippy::expect_used,
    reason = "a test that cannot be counted as skipped fails"
)]
pub fn record(why: &str) {
    let file = file().expect("no folder of this program");
    std::fs::create_dir_all(file.parent().expect("no folder")).expect("no folder for skipped tests");
    let program = std::env::args().next().unwrap_or_default();
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    let first = why.lines().next().unwrap_or_default();
    let line = format!("{program}\t{test}\t{first}\n");
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("a skipped test cannot be written down");
}
