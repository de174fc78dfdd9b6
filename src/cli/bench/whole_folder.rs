//! A folder that is there whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;

/// A folder that is written beside its place, and has its name once all of it is there.
pub struct WholeFolder {
    beside: tempfile::TempDir,
    place: PathBuf,
}

impl WholeFolder {
    /// Begins a folder, in the one that its place is in.
    ///
    /// # Errors
    /// A place where no folder can be made.
    pub fn begin(place: &Path) -> Result<Self, Failure> {
        let parent = place
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| Failure::at(parent, &error))?;
        let beside = tempfile::Builder::new()
            .prefix(".reprise-partial-")
            .permissions(permissions())
            .tempdir_in(parent)
            .map_err(|error| Failure::at(parent, &error))?;
        Ok(Self {
            beside,
            place: place.to_owned(),
        })
    }

    /// The folder as it is written.
    pub fn path(&self) -> &Path {
        self.beside.path()
    }

    /// Gives it its name. Until then it is taken away again with this value.
    ///
    /// # Errors
    /// A place that was taken meanwhile, or cannot be written.
    pub fn name(self) -> Result<(), Failure> {
        if self.place.exists() {
            return Err(Failure::usage(format!(
                "{} came to be meanwhile: name another",
                self.place.display()
            )));
        }
        fs::rename(self.beside.path(), &self.place).map_err(|error| Failure::at(&self.place, &error))?;
        // It has another name, and there is nothing to be taken away.
        let _moved = self.beside.keep();
        Ok(())
    }
}

/// Those of any folder, as the mask of the process leaves them.
fn permissions() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o777)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_named_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("below/out");
        let begun = WholeFolder::begin(&out).unwrap();
        fs::write(begun.path().join("a"), "1").unwrap();
        drop(begun);
        assert_eq!(fs::read_dir(out.parent().unwrap()).unwrap().count(), 0);
        let begun = WholeFolder::begin(&out).unwrap();
        fs::write(begun.path().join("a"), "2").unwrap();
        begun.name().unwrap();
        assert_eq!(fs::read_to_string(out.join("a")).unwrap(), "2");
        assert_eq!(fs::read_dir(out.parent().unwrap()).unwrap().count(), 1);
        let late = WholeFolder::begin(&out).unwrap();
        assert!(late.name().unwrap_err().message.contains("came to be meanwhile"));
        assert_eq!(fs::read_dir(out.parent().unwrap()).unwrap().count(), 1);
    }
}
