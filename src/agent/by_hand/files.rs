//! The files of a run that a person works on.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::domain::stage::Stage;
use crate::domain::text_place::in_utf8;

use super::filled_form::{FormSyntax, LARGEST};

/// The folder within a run's.
pub const FOLDER: &str = "by-hand";

/// A run's folder for work by hand: a form a stage, `code/` for scripts, and what the engine
/// has to say.
#[derive(Debug, Clone)]
pub struct HandFiles {
    folder: PathBuf,
}

/// A form as it lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFile {
    pub path: PathBuf,
    pub syntax: FormSyntax,
    pub text: String,
}

impl HandFiles {
    /// The folder for work by hand of the run in `run`.
    pub fn new(run: &Path) -> Self {
        Self {
            folder: run.join(FOLDER),
        }
    }

    /// Holds scripts, which are copied below `work/`.
    pub fn code(&self) -> PathBuf {
        self.folder.join("code")
    }

    /// The form of a stage, as it is written when a stage begins.
    pub fn form(&self, stage: Stage) -> PathBuf {
        self.folder.join(format!("{stage}.toml"))
    }

    /// The answer of a stage that was given when the run began.
    pub fn given(&self, stage: Stage) -> PathBuf {
        self.folder.join(format!("{stage}.json"))
    }

    /// The file that holds the answer of a stage: the one that was given, else its form.
    pub fn answer(&self, stage: Stage) -> PathBuf {
        let given = self.given(stage);
        if given.exists() { given } else { self.form(stage) }
    }

    /// What a model is told in the stage.
    pub fn instructions(&self, stage: Stage) -> PathBuf {
        self.folder.join(format!("{stage}.instructions.md"))
    }

    /// What the engine said before a turn.
    pub fn said(&self, stage: Stage, turn: u32) -> PathBuf {
        self.folder.join(format!("{stage}.said-{turn}.txt"))
    }

    /// The form of a stage, filled in or not; `None` before it is written.
    ///
    /// # Errors
    /// A file that cannot be read, is too large or no text.
    pub fn read_form(&self, stage: Stage) -> io::Result<Option<FormFile>> {
        let places = [
            (self.given(stage), FormSyntax::Json),
            (self.form(stage), FormSyntax::Toml),
        ];
        for (path, syntax) in places {
            match read(&path, syntax) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                found => return found.map(Some),
            }
        }
        Ok(None)
    }

    /// Makes the folder, with an empty one for scripts.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn lay_out(&self) -> io::Result<()> {
        let code = self.code();
        fs::create_dir_all(&code).map_err(|error| named(&code, &error))
    }

    /// Writes a file that is not there yet, whole or not at all; true if it was written.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn write_once(&self, path: &Path, text: &str) -> io::Result<bool> {
        if path.exists() {
            return Ok(false);
        }
        let failed = |error: io::Error| named(path, &error);
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(error.error)),
        }
    }
}

/// Reads a form, whether or not it lies in a run's folder.
///
/// # Errors
/// A file that cannot be read, is too large or no text.
pub fn read(path: &Path, syntax: FormSyntax) -> io::Result<FormFile> {
    let failed = |error: io::Error| named(path, &error);
    let mut bytes = Vec::new();
    // A device or a pipe may never end.
    let file = File::open(path).map_err(failed)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    let text = in_utf8(bytes).map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))?;
    if text.len() as u64 > LARGEST {
        return Err(failed(io::Error::other(format!(
            "more than {LARGEST} bytes are no form"
        ))));
    }
    Ok(FormFile {
        path: path.to_owned(),
        syntax,
        text,
    })
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
