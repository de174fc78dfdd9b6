//! Episodes, carried by the client of OpenEnv itself and by a trainer that has it.

use std::path::Path;
use std::process::Command;

use super::capsule_serve::{Serving, right};
use super::support::Place;
use crate::need::{ends_well, pypi};

/// The release that is tried; it is imported as `openenv`.
const RELEASE: &str = "openenv-core==0.3.0";

/// The release of a trainer's library that is tried, with the client that it wants.
const TRAINER: &str = "verifiers[openenv]==0.4.0";

#[test]
#[ignore = "installs a client from PyPI, and waits a minute for a command: `.ci/run long`"]
fn the_client_of_openenv_carries_episodes() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = pypi::python(kept, "openenv-client", &[RELEASE]) else {
        return;
    };
    let place = Place::new();
    // Its client sends no header, and puts `/ws` behind the address: it has no place for a token.
    let serving = Serving::start(&place, &["--warm", "1", "--out", "episodes", "--no-token"]);
    ends_well(
        Command::new(python)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/cli/openenv_client.py"
            ))
            .args([format!("http://{}", serving.address), right().to_string()])
            // Its import brings a web interface along, which asks the network otherwise.
            .envs([("GRADIO_ANALYTICS_ENABLED", "False"), ("HF_HUB_OFFLINE", "1")])
            .current_dir(place.path()),
    );
    serving.stop();
}

#[test]
#[ignore = "installs 500 MB from PyPI: `.ci/run long`"]
fn the_taskset_of_verifiers_carries_episodes_of_openenv() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = pypi::python(kept, "verifiers", &[TRAINER]) else {
        return;
    };
    let place = Place::new();
    let serving = Serving::start(&place, &["--warm", "1", "--out", "episodes", "--no-token"]);
    ends_well(
        Command::new(python)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/cli/verifiers_client.py"
            ))
            .args([format!("http://{}", serving.address), right().to_string()])
            .envs([("GRADIO_ANALYTICS_ENABLED", "False"), ("HF_HUB_OFFLINE", "1")])
            .current_dir(place.path()),
    );
    serving.stop();
}
