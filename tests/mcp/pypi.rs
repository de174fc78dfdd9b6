//! The client of PyPI (`mcp`), over both transports and with both handshakes.

use std::path::PathBuf;
use std::process::Command;

use crate::need::need;
use crate::place::Place;

/// The release that is tried.
const RELEASE: &str = "mcp==2.3.0";

/// A Python with the client; it is made once a build folder.
fn python() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mcp-client");
    let python = folder.join("bin/python3");
    let has_it = |python: &PathBuf| {
        let shown = Command::new(python)
            .args(["-m", "pip", "show", "-q", "mcp"])
            .status();
        shown.is_ok_and(|status| status.success())
    };
    if has_it(&python) {
        return Some(python);
    }
    let made = || -> Result<(), String> {
        for words in [
            vec!["python3", "-m", "venv", folder.to_str().unwrap_or_default()],
            vec![
                python.to_str().unwrap_or_default(),
                "-m",
                "pip",
                "install",
                "-q",
                RELEASE,
            ],
        ] {
            let output = Command::new(words[0]).args(&words[1..]).output();
            let output = output.map_err(|error| format!("{words:?}: {error}"))?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
        }
        Ok(())
    };
    need(made().map_err(|why| format!("{RELEASE} cannot be installed: {why}")))?;
    Some(python)
}

#[test]
#[ignore = "installs a client from PyPI: `.ci/run long`"]
fn the_client_of_pypi_carries_a_run() {
    let Some(place) = Place::new() else { return };
    let Some(python) = python() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
    let mut command = Command::new(python);
    let served = place.served(&[]);
    let output = command
        .args([script, env!("CARGO_BIN_EXE_reprise")])
        .args(served)
        .current_dir(place.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    println!("{said}");
    assert_eq!(place.events("run_graded").len(), 1);
}
