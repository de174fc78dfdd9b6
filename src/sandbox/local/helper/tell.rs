//! Arguments and reports of the helper.

use std::io::Write as _;
use std::os::unix::net::UnixStream;

use super::fault::StepFailure;
use crate::sandbox::local::policy::Report;

/// The first argument that makes the binary a helper.
pub const ARGUMENT: &str = "__confine";

/// The second argument, of the helper's second stage.
pub(super) const INNER: &str = "inner";

/// Sends one line.
pub(super) fn tell(mut control: &UnixStream, report: &Report) -> Result<(), StepFailure> {
    let mut line = serde_json::to_vec(report).map_err(|error| StepFailure::new("write a report", error))?;
    line.push(b'\n');
    control
        .write_all(&line)
        .map_err(|error| StepFailure::new("write to the control socket", error))
}
