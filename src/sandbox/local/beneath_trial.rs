//! A trial of folders beneath others on this machine.

use std::path::{Path, PathBuf};

use super::policy::{Bind, Report};
use super::shared::Shared;
use crate::sandbox::beneath::{Beneath, NoBeneath, settle};

/// Where the trial's command sees the overlay.
const SEEN: &str = "/beneath";

/// Has a confined command read, remove and write files over a folder of its own below `place`.
///
/// # Errors
/// Why that does not work here.
pub fn attempt(shared: &Shared, place: &Path) -> Result<(), NoBeneath> {
    if !shared.namespaces() {
        return Err(NoBeneath::Landlock);
    }
    let trial = |error: &dyn std::fmt::Display| NoBeneath::Trial(error.to_string());
    let folder = tempfile::Builder::new()
        .prefix(".trial-")
        .tempdir_in(place)
        .map_err(|error| trial(&error))?;
    let (lower, upper) = (folder.path().join("lower"), folder.path().join("upper"));
    let make = |path: &PathBuf| std::fs::create_dir(path).map_err(|error| trial(&error));
    make(&lower)?;
    make(&upper)?;
    std::fs::write(lower.join("seen"), "seen").map_err(|error| trial(&error))?;
    let beneath = Beneath {
        folder: "upper".parse().map_err(|error| trial(&error))?,
        lower,
        scratch: folder.path().join("scratch"),
    };
    settle(folder.path());
    let bind = Bind {
        from: upper.clone(),
        to: PathBuf::from(SEEN),
        writable: true,
        overlay: Some(beneath.options(&upper)?),
    };
    let owner = nix::unistd::geteuid()
        .is_root()
        .then(|| beneath.owner())
        .transpose()?;
    let script = format!("cat {SEEN}/seen && rm {SEEN}/seen && : > {SEEN}/written && ! [ -e {SEEN}/seen ]");
    let command = ["sh", "-c", &script].map(str::to_owned);
    let answer = shared
        .ask_as(&command, vec![bind], owner)
        .map_err(|error| trial(&error))?;
    beneath.clear();
    match answer.report {
        Report::Exited(0) => Ok(()),
        Report::Failed(why) => Err(NoBeneath::Trial(why)),
        other => Err(NoBeneath::Trial(format!("{other:?}: {}", answer.text.trim()))),
    }
}
