//! The interpreters that an analysis wants, held against those of this machine and its images.

use std::process::{Command, Stdio};

use crate::domain::execution::EnvironmentSpec;
use crate::domain::lazy_regex::LazyRegex;
use crate::environment::interpreter::InterpreterChoice;
use crate::environment::language::Language;
use crate::environment::release_span::release_numbers;
use crate::sandbox::contract::Sandbox as _;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::image::base;
use crate::sandbox::docker::settings::DockerSettings;
use crate::settings::Settings;

use super::sandboxes::local_sandbox;

static R_VERSION: LazyRegex = LazyRegex::new(r"version ([0-9]+\.[0-9]+\.[0-9]+)");
/// The oldest release of Python that uv has builds of.
const OLDEST_OF_UV: (u32, u32) = (3, 8);

/// The interpreters that are here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HadInterpreters {
    /// Releases of Python, such as `3.8`, of this machine; `None` where they cannot be looked for.
    python: Option<Vec<String>>,
    /// The machine's R.
    r: Option<String>,
    /// Names of images; `None` where no daemon answers.
    images: Option<Vec<String>>,
    /// Releases of Python that images are here for.
    python_images: Vec<String>,
}

impl HadInterpreters {
    /// Looks for interpreters of these languages on this machine and in its daemon of containers.
    pub async fn look(settings: &Settings, wanted: &[Language]) -> Self {
        let python = match wanted.contains(&Language::Python) {
            true => python_here(settings).await,
            false => None,
        };
        let mut had = Self {
            python,
            r: wanted.contains(&Language::R).then(r_here).flatten(),
            ..Self::default()
        };
        if let Ok(daemon) = Daemon::connect(&settings.operator).await {
            let docker = DockerSettings::new(settings.cache.clone(), settings.operator.clone());
            had.images = base::present(&daemon, &docker).await.ok();
            had.python_images = base::python_releases(&daemon).await.unwrap_or_default();
        }
        had
    }

    /// The sentence on an interpreter that is neither on this machine nor in its images; `None` of one that is, or of
    /// which nothing is told.
    pub fn lacking(&self, choice: &InterpreterChoice) -> Option<String> {
        let version = choice.version.as_deref()?;
        match choice.language {
            Language::Python => self.lacking_python(version),
            Language::R => self.lacking_r(version),
            Language::Stata | Language::Spss => None,
        }
    }

    fn lacking_python(&self, version: &str) -> Option<String> {
        let numbers = release_numbers(version)?;
        let python = self.python.as_ref()?;
        let mut here = python.iter().chain(&self.python_images);
        if here.any(|one| release_numbers(one) == Some(numbers)) {
            return None;
        }
        let release = format!("{}.{}", numbers.0, numbers.1);
        let has = match python.is_empty() {
            true => String::new(),
            false => format!(" (it has {})", python.join(", ")),
        };
        let install = match numbers {
            numbers if numbers >= OLDEST_OF_UV => {
                format!("`uv python install {release}` or pyenv installs it")
            }
            _ => "pyenv installs it (uv has no build of it)".to_owned(),
        };
        Some(format!(
            "Python {version} is not on this machine{has}{}: {install}, or `python:{release}-slim` has it for the Docker \
             sandbox. Without it a run takes a newer one.",
            self.images_clause()
        ))
    }

    fn lacking_r(&self, version: &str) -> Option<String> {
        let numbers = release_numbers(version)?;
        let is_it = |here: &str| release_numbers(here) == Some(numbers);
        let mut images = self.images.iter().flatten();
        let is_image = |name: &str| {
            let tag = ["rocker/r-ver:", "r-base:"]
                .iter()
                .find_map(|family| name.strip_prefix(family));
            tag.is_some_and(is_it)
        };
        if self.r.as_deref().is_some_and(is_it) || images.any(|name| is_image(name)) {
            return None;
        }
        let has = match &self.r {
            Some(here) => format!(" (it has {here})"),
            None => String::new(),
        };
        Some(format!(
            "R {version} is not on this machine{has}{}: `rocker/r-ver:{version}` has it for the Docker sandbox. The local \
             sandbox runs the machine's own R.",
            self.images_clause()
        ))
    }

    fn images_clause(&self) -> &'static str {
        match self.images {
            Some(_) => ", and no image here has it",
            None => ", and no Docker daemon answers that could have an image of it",
        }
    }
}

/// The releases of Python of this machine; `None` where they cannot be looked for.
async fn python_here(settings: &Settings) -> Option<Vec<String>> {
    let spec = EnvironmentSpec {
        python: Some(Vec::new()),
        ..EnvironmentSpec::default()
    };
    let sandbox = local_sandbox(settings, None).ok()?;
    sandbox.python_releases(&spec).await.ok()
}

/// The version of the machine's R; R itself is not started.
fn r_here() -> Option<String> {
    let output = Command::new("Rscript")
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Some(R_VERSION.captures(&said)?[1].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants(language: Language, version: &str) -> InterpreterChoice {
        InterpreterChoice::new(language, Some(version.to_owned()), "It says so.".to_owned())
    }

    #[test]
    fn what_is_not_here_is_told_with_the_way_out() {
        let had = HadInterpreters {
            python: Some(vec!["3.9".to_owned(), "3.11".to_owned()]),
            r: Some("4.2.2".to_owned()),
            images: Some(vec!["python:3.7-slim".to_owned(), "rocker/r-ver:4.0".to_owned()]),
            python_images: vec!["3.7".to_owned()],
        };
        let told = |language, version| had.lacking(&wants(language, version));
        for (language, version) in [
            (Language::Python, "3.9.4"),
            (Language::Python, "3.7"),
            (Language::R, "4.2.0"),
            (Language::R, "4.0.3"),
            (Language::Stata, "15.1"),
        ] {
            assert_eq!(told(language, version), None, "{version}");
        }
        let python = told(Language::Python, "3.8").unwrap();
        assert!(
            python.starts_with(
                "Python 3.8 is not on this machine (it has 3.9, 3.11), and no image here has it: `uv python"
            ) && python.contains("`python:3.8-slim`"),
            "{python}"
        );
        assert!(
            told(Language::Python, "3.6")
                .unwrap()
                .contains("uv has no build of it")
        );
        let r = told(Language::R, "3.6.1").unwrap();
        assert!(
            r.contains("(it has 4.2.2)") && r.contains("`rocker/r-ver:3.6.1`"),
            "{r}"
        );
        let bare = HadInterpreters::default();
        let told = bare.lacking(&wants(Language::R, "4.2.2")).unwrap();
        assert!(
            told.starts_with("R 4.2.2 is not on this machine, and no Docker daemon answers"),
            "{told}"
        );
        assert_eq!(
            bare.lacking(&InterpreterChoice::new(Language::R, None, String::new())),
            None
        );
    }
}
