//! Lists of packages that `conda list` (also `--export` and `--explicit`) and `pip list` print, kept in a file.

use super::super::evidence::{EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::conda;
use super::shown_line::shown;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;

static EXPORTED: LazyRegex = LazyRegex::new(r"^([A-Za-z0-9_][A-Za-z0-9._-]*)=([^=\s<>!]+)=([^=\s]+)$");
static COLUMNS: LazyRegex = LazyRegex::new(
    r"^([A-Za-z0-9_][A-Za-z0-9._-]*)\s+([0-9][A-Za-z0-9.!+_-]*)(?:\s+(\S+))?(?:\s+(\S+))?(?:\s+\S.*)?$",
);
static LEGACY: LazyRegex =
    LazyRegex::new(r"^([A-Za-z0-9][A-Za-z0-9._-]*) \(([0-9][A-Za-z0-9.!+]*)(?:, ([^)]+))?\)$");
static EXPLICIT: LazyRegex = LazyRegex::new(
    r"^https?://\S+/([A-Za-z0-9_][A-Za-z0-9._-]*)-([^-/\s]+)-([^-/\s]+)\.(?:tar\.bz2|conda)(?:#\S*)?$",
);
static HEAD: LazyRegex =
    LazyRegex::new(r"(?i)^package\s+version(?:\s+(?:editable project )?location)?(?:\s+installer)?$");
static CONDA_HEAD: LazyRegex = LazyRegex::new(r"^# Name\s+Version\s+Build\b");
static RULE: LazyRegex = LazyRegex::new(r"^-{2,}(?:\s+-{2,})+$");

/// What conda calls the channel of packages that pip installed.
const OF_PIP: &str = "pypi";

/// The forms of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// `name=version=build`.
    CondaExport,
    /// Addresses of conda's packages.
    CondaExplicit,
    /// Name, version, build and channel.
    Conda,
    /// Name and version in columns.
    Pip,
    /// `name (version)`, as pip before 18 prints it.
    PipLegacy,
}

struct ListedLine<'a> {
    number: usize,
    text: &'a str,
}

fn lines(text: &str) -> Vec<ListedLine<'_>> {
    let all = text.lines().enumerate().map(|(at, text)| ListedLine {
        number: at + 1,
        text: text.trim(),
    });
    all.filter(|line| !line.text.is_empty() && !line.text.starts_with('#'))
        .collect()
}

impl Listing {
    /// The form of a text by its head alone.
    pub fn marked(text: &str) -> Option<Self> {
        let comments = || text.lines().filter(|line| line.starts_with('#'));
        if text.lines().any(|line| line.trim() == "@EXPLICIT") {
            return Some(Self::CondaExplicit);
        }
        if comments().any(|line| line.contains("packages in environment at") || CONDA_HEAD.is_match(line)) {
            return Some(Self::Conda);
        }
        let lines = lines(text);
        let is_export = |line: &ListedLine<'_>| EXPORTED.is_match(line.text);
        if comments().any(|line| line.starts_with("# platform:") || line.contains("conda create --name"))
            && lines.iter().any(is_export)
        {
            return Some(Self::CondaExport);
        }
        let (first, second) = (lines.first()?, lines.get(1)?);
        (HEAD.is_match(first.text) && (RULE.is_match(second.text) || COLUMNS.is_match(second.text)))
            .then_some(Self::Pip)
    }

    /// The form of a text that ought to be requirements: by its head, else where every line is of one form.
    pub fn of(text: &str) -> Option<Self> {
        if let Some(marked) = Self::marked(text) {
            return Some(marked);
        }
        let lines = lines(text);
        let all = |expression: &LazyRegex| {
            !lines.is_empty() && lines.iter().all(|line| expression.is_match(line.text))
        };
        if lines.iter().filter(|line| EXPORTED.is_match(line.text)).count() * 2 > lines.len() {
            return Some(Self::CondaExport);
        }
        if all(&LEGACY) {
            return Some(Self::PipLegacy);
        }
        if !all(&COLUMNS) {
            return None;
        }
        let has_builds = |line: &ListedLine<'_>| {
            COLUMNS
                .captures(line.text)
                .is_some_and(|found| found.get(3).is_some())
        };
        Some(match lines.iter().all(has_builds) {
            true => Self::Conda,
            false => Self::Pip,
        })
    }

    /// Takes the packages of a listing in.
    pub fn read(self, file: &str, text: &str, found: &mut FoundEvidence) {
        for ListedLine { number, text } in lines(text) {
            if text == "@EXPLICIT" || HEAD.is_match(text) || RULE.is_match(text) {
                continue;
            }
            if !self.line(file, number, text, found) {
                found.fault(
                    file,
                    format!("line {number}, `{}`, is no line of such a list", shown(text)),
                );
            }
        }
    }

    fn line(self, file: &str, number: usize, text: &str, found: &mut FoundEvidence) -> bool {
        let expression = match self {
            Self::CondaExport => &EXPORTED,
            Self::CondaExplicit => &EXPLICIT,
            Self::Conda | Self::Pip => &COLUMNS,
            Self::PipLegacy => &LEGACY,
        };
        let Some(read) = expression.captures(text) else {
            return false;
        };
        let part = |at: usize| read.get(at).map_or("", |part| part.as_str());
        let (name, version, third, channel) = (part(1), part(2), part(3), part(4));
        let is_of_pip = match self {
            Self::CondaExport | Self::CondaExplicit => third.starts_with(OF_PIP),
            Self::Conda => third == "<pip>" || third.starts_with(OF_PIP) || channel == OF_PIP,
            Self::Pip | Self::PipLegacy => true,
        };
        if !is_of_pip {
            let build = if third.is_empty() { "0" } else { third };
            conda::package(file, number, &format!("{name}={version}={build}"), found);
            return true;
        }
        if conda::is_no_package(&name.to_ascii_lowercase()) {
            return true;
        }
        let pin = Pin::new(Language::Python, name, EvidenceKind::LockFile, file, number);
        let is_folder = matches!(self, Self::Pip | Self::PipLegacy) && third.contains(['/', '\\']);
        let is_own = is_folder && !third.contains("site-packages") && !third.contains("dist-packages");
        found.pins.push(match is_own {
            true => pin.with_source(PinSource::Elsewhere(excerpt::start(third, 200).to_owned())),
            false => pin.with_version(Some(version.to_owned())),
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn read(text: &str) -> FoundEvidence {
        let mut found = FoundEvidence::default();
        Listing::of(text)
            .unwrap()
            .read("requirements.txt", text, &mut found);
        found
    }

    #[test]
    fn lists_of_conda_have_versions_and_python_is_the_interpreter() {
        let export = "# This file may be used to create an environment using:\n# $ conda create --name <env> --file <this file>\n\
                      # platform: linux-64\n_libgcc_mutex=0.1=main\nnumpy=1.18.1=py37h4f9e942_0\npandas=1.0.1=py37h0573a6f_0\n\
                      python=3.7.6=h0371630_2\ntextblob=0.15.3=pypi_0\nr-lme4=1.1_21=r36\n";
        let bare = "numpy=1.18.1=py37h4f9e942_0\npandas=1.0.1=py37h0573a6f_0\npython=3.7.6=h0371630_2\ntextblob=0.15.3=pypi_0\nr-lme4=1.1_21=r36\n";
        let listed = "# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\n\
                      numpy  1.18.1 py37h4f9e942_0\npandas 1.0.1  py37h0573a6f_0    conda-forge\npython   3.7.6   h0371630_2\n\
                      textblob  0.15.3  pypi_0    pypi\nr-lme4 1.1_21 r36\n";
        let explicit = "# platform: linux-64\n@EXPLICIT\nhttps://repo.anaconda.com/pkgs/main/linux-64/numpy-1.18.1-py37h4f9e942_0.conda\n\
                        https://conda.anaconda.org/conda-forge/linux-64/pandas-1.0.1-py37h0573a6f_0.tar.bz2#aa\n\
                        https://conda.anaconda.org/conda-forge/linux-64/python-3.7.6-h0371630_2.tar.bz2\n";
        for text in [export, bare, listed, explicit] {
            let found = read(text);
            assert!(found.faults.is_empty(), "{:?}", found.faults);
            let pins = shown_pins(&found);
            assert_eq!(pins[..2], ["numpy|1.18.1|", "pandas|1.0.1|"], "{text}");
            if text != explicit {
                assert_eq!(pins[2..], ["textblob|0.15.3|", "lme4|1.1-21|"]);
                assert_eq!(
                    (&found.pins[2].source, &found.pins[1].source),
                    (&PinSource::Index, &PinSource::Conda)
                );
            }
            assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, "3.7.6");
        }
    }

    #[test]
    fn lists_of_pip_have_versions_in_columns() {
        for text in [
            "Package    Version\n---------- -------\nnumpy      1.18.1\npip 20.0\nown  0.1 /home/x/own\n",
            "Package    Version Location\nnumpy      1.18.1\nown  0.1 /home/x/own\nsetuptools  46.0\n",
            "numpy      1.18.1\nown  0.1 /home/x/own\n",
            "numpy (1.18.1)\nown (0.1, /home/x/own)\n",
        ] {
            let found = read(text);
            assert_eq!(shown_pins(&found), ["numpy|1.18.1|", "own||"], "{text}");
            assert!(found.faults.is_empty(), "{:?}", found.faults);
            assert!(matches!(found.pins[1].source, PinSource::Elsewhere(_)));
        }
    }

    #[test]
    fn requirements_are_no_lists() {
        for text in [
            "numpy==1.18.1\npandas\n",
            "pytz (>=2011k)\nnumpy==1.0\n",
            "",
            "# platform: linux\nnumpy==1.18.1\n",
            "numpy 1.18.1\npandas==1.0\n",
            "# Name of the study\nWe ran it.\n",
        ] {
            assert_eq!(Listing::of(text), None, "{text}");
        }
        let found =
            read("Package Version\n------- -------\nnumpy 1.18.1\n\nWARNING: You are using pip version 20\n");
        assert_eq!((found.pins.len(), found.faults.len()), (1, 1));
    }
}
