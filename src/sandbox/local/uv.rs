//! The program `uv`, which installs Python packages.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::policy::{Bind, Report};
use super::shared::Shared;
use crate::domain::execution::BuildFailure;
use crate::sandbox::failure::infrastructure;
use crate::sandbox::uv_release::{OFF, SETTING};

/// The oldest version that is used.
const LEAST: [u32; 3] = [0, 9, 0];

/// A program that runs confined on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uv {
    pub program: PathBuf,
    /// Such as `0.13.9`.
    pub version: String,
}

/// The reason for which there is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoUv {
    #[error("{SETTING} is `{OFF}`")]
    Off,
    #[error("no `uv` lies on PATH")]
    Absent,
    #[error("{} is no program", .0.display())]
    NoProgram(PathBuf),
    #[error("{} does not run confined: {why}", program.display())]
    Unconfined { program: PathBuf, why: String },
    #[error("{} prints no version that can be read, but `{said}`", program.display())]
    NoVersion { program: PathBuf, said: String },
    #[error("{} has version {version}, and at least {}.{}.{} is needed", program.display(), LEAST[0], LEAST[1], LEAST[2])]
    TooOld { program: PathBuf, version: String },
    #[error("uv {version} could not be fetched: {why}")]
    NotFetched { version: String, why: String },
}

impl NoUv {
    /// What an environment with packages says, and the way out.
    pub fn failure(&self) -> BuildFailure {
        let way_out = match self {
            Self::Off => format!("leave {SETTING} out"),
            _ => format!("install uv (`pip install uv`), name the program in {SETTING}"),
        };
        infrastructure(
            format!(
                "The local sandbox installs Python packages by uv alone, and {self}: {way_out}, or choose the Docker \
                 sandbox."
            ),
            String::new(),
        )
    }
}

impl Uv {
    /// The program that the operator names, or the first along their path.
    ///
    /// # Errors
    /// Why none is used.
    pub fn find(shared: &Shared) -> Result<Self, NoUv> {
        let operator = &shared.settings.operator;
        let named = operator.get(SETTING).map(|value| value.trim());
        match named.filter(|value| !value.is_empty()) {
            Some(OFF) => Err(NoUv::Off),
            Some(program) => Self::check(shared, Path::new(program)),
            None => along_path(operator.get("PATH").map_or("", String::as_str))
                .iter()
                .map(|program| Self::check(shared, program))
                .reduce(|first, next| first.or(next))
                .unwrap_or(Err(NoUv::Absent)),
        }
    }

    /// Whether the operator neither names one nor switches it off.
    pub fn is_left_to_us(shared: &Shared) -> bool {
        let named = shared.settings.operator.get(SETTING);
        named.is_none_or(|value| value.trim().is_empty())
    }

    /// What must be shown of it besides the system's own folders.
    pub fn reads(&self) -> Vec<PathBuf> {
        if self.program.starts_with("/usr") {
            Vec::new()
        } else {
            vec![self.program.clone()]
        }
    }

    /// A program, if it can be used by its own word.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check(shared: &Shared, program: &Path) -> Result<Self, NoUv> {
        let program = program
            .canonicalize()
            .ok()
            .filter(|file| file.is_file())
            .ok_or_else(|| NoUv::NoProgram(program.to_owned()))?;
        let mut uv = Self {
            program,
            version: String::new(),
        };
        let command = [uv.program.display().to_string(), "--version".to_owned()];
        let binds = uv.reads().into_iter().map(Bind::same).collect();
        let unconfined = |why: String| NoUv::Unconfined {
            program: uv.program.clone(),
            why,
        };
        let answer = shared
            .ask(&command, binds)
            .map_err(|error| unconfined(error.to_string()))?;
        if answer.report != Report::Exited(0) {
            return Err(unconfined(format!("{:?}", answer.report)));
        }
        let said = answer.text.trim();
        let Some(version) = VersionNumber::read(said) else {
            return Err(NoUv::NoVersion {
                said: said.escape_debug().take(60).collect(),
                program: uv.program,
            });
        };
        uv.version = version.text;
        if version.parts < LEAST {
            return Err(NoUv::TooOld {
                program: uv.program,
                version: uv.version,
            });
        }
        Ok(uv)
    }
}

/// A version as the program prints it.
#[derive(Debug, PartialEq, Eq)]
struct VersionNumber {
    text: String,
    parts: [u32; 3],
}

impl VersionNumber {
    fn read(said: &str) -> Option<Self> {
        let text = said.strip_prefix("uv ")?.split_whitespace().next()?;
        let numbers: Vec<u32> = text
            .split('.')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        Some(Self {
            text: text.to_owned(),
            parts: numbers.try_into().ok()?,
        })
    }
}

fn along_path(path: &str) -> Vec<PathBuf> {
    path.split(':')
        .filter(|folder| folder.starts_with('/'))
        .map(|folder| Path::new(folder).join("uv"))
        .filter(|file| {
            file.metadata()
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_uv_says_what_to_install() {
        let off = NoUv::Off.failure().summary;
        assert!(off.contains("REPRISE_UV is `off`: leave REPRISE_UV out"), "{off}");
        let absent = NoUv::Absent.failure().summary;
        assert!(absent.contains("`pip install uv`"), "{absent}");
    }

    #[test]
    fn a_version_is_read_and_garbage_is_not() {
        let read = |said| VersionNumber::read(said).map(|version| version.parts);
        assert_eq!(read("uv 0.13.9 (x86_64-unknown-linux-gnu)"), Some([0, 13, 9]));
        assert_eq!(read("uv 1.0.0"), Some([1, 0, 0]));
        for said in [
            "",
            "uv",
            "uv 0.13",
            "uv x.y.z",
            "pip 23.2.1",
            "\u{1b}[2Juv 1.2.3",
            "uv -1.0.0",
        ] {
            assert_eq!(read(said), None, "{said:?}");
        }
        assert!([0, 8, 24] < LEAST && [0, 10, 0] > LEAST);
    }
}
