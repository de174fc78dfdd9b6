//! The client of PyPI (`mcp`), over both transports and with both handshakes.

use std::path::Path;
use std::process::Command;

use crate::need::{ends_well, pypi};
use crate::place::Place;

/// The release that is tried.
const RELEASE: &str = "mcp==2.3.0";

#[test]
#[ignore = "installs a client from PyPI: `.ci/run long`"]
fn the_client_of_pypi_carries_a_run() {
    let Some(place) = Place::new() else { return };
    let Some(python) = pypi::python(Path::new(env!("CARGO_TARGET_TMPDIR")), "mcp-client", &[RELEASE]) else {
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
    let mut command = Command::new(python);
    let served = place.served(&[]);
    ends_well(
        command
            .args([script, env!("CARGO_BIN_EXE_reprise")])
            .args(served)
            .current_dir(place.path()),
    );
    assert_eq!(place.events("run_graded").len(), 1);
}
