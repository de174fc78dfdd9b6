//! A study's folder laid out from a paper, files and a claim.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use minijinja::{Environment, context};

use super::claim::heading;
use super::error::StudyError;
use super::layout::{DATA, DETAILS, MANIFEST, PAPER};
use super::open::check_paper;
use super::walk::{WalkLimits, walk};
use crate::domain::excerpt;
use crate::domain::workspace_path::WorkspacePath;

/// `study.toml` with every optional part commented out.
const TEMPLATE: &str = include_str!("draft.toml");

/// The longest id that is made of a folder's name.
const LONGEST_ID: usize = 64;

/// The parts that a study is laid out from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyDraft {
    pub title: Option<String>,
    pub citation: Option<String>,
    pub claim: String,
    pub hypotheses: Option<String>,
    /// The paper, a PDF.
    pub paper: PathBuf,
    /// Files, and folders whose contents are taken with their sub-folders: data and code.
    pub materials: Vec<PathBuf>,
}

/// A study as it was laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidOut {
    /// Files below `replication_data/`.
    pub files: usize,
    /// Files that were passed over, and why.
    pub left_out: Vec<String>,
}

/// A study that cannot be laid out; nothing is left of it.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    #[error("{} is there already and not empty: name another folder", .0.display())]
    Exists(PathBuf),
    #[error("{} cannot be found: name a file or a folder that is there", .0.display())]
    NoFile(PathBuf),
    #[error(
        "`{name}` would stand twice below `{DATA}/`, from {} and from {}: rename one of them",
        one.display(),
        other.display()
    )]
    SameName {
        name: String,
        one: PathBuf,
        other: PathBuf,
    },
    #[error("the claim is empty: write what the paper claims, with its numbers")]
    NoClaim,
    #[error("{what} holds the line `{line}`, which is a heading of {DETAILS}: write it in other words")]
    Heading { what: &'static str, line: String },
    #[error("the claim or a title cannot be written into {MANIFEST}: {0}")]
    Template(#[from] minijinja::Error),
    #[error(transparent)]
    Study(#[from] StudyError),
}

/// A file on its way into `replication_data/`.
struct Material {
    from: PathBuf,
    to: WorkspacePath,
}

impl StudyDraft {
    /// Lays the study out in `folder`, which must not exist or be empty. All of it stands
    /// there afterwards, or nothing.
    ///
    /// # Errors
    /// A folder that is in use, an input that is missing or cannot be used, or two files of one
    /// name.
    pub fn lay_out(&self, folder: &Path) -> Result<LaidOut, DraftError> {
        if fs::symlink_metadata(folder).is_ok() && !is_empty_folder(folder) {
            return Err(DraftError::Exists(folder.to_owned()));
        }
        let details = self.details()?;
        let paper = found(&self.paper)?;
        check_paper(&paper)?;
        let mut left_out = Vec::new();
        let materials = self.collect(&mut left_out)?;
        if materials.is_empty() {
            return Err(StudyError::NoFiles(folder.join(DATA)).into());
        }
        let parent = match folder.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(StudyError::io("make the folder", parent))?;
        let scratch = tempfile::Builder::new()
            .prefix(".reprise-new-")
            .tempdir_in(parent)
            .map_err(StudyError::io("make a folder in", parent))?;
        let draft = scratch.path().join("study");
        let input = draft.join("input");
        make(&input.join(DATA))?;
        write(&input.join(DETAILS), &details)?;
        write(&draft.join(MANIFEST), &self.manifest(folder)?)?;
        copy(&paper, &input.join(PAPER))?;
        for material in &materials {
            let to = input.join(DATA).join(material.to.as_str());
            to.parent().map_or(Ok(()), make)?;
            copy(&material.from, &to)?;
        }
        fs::rename(&draft, folder).map_err(StudyError::io("make the folder", folder))?;
        Ok(LaidOut {
            files: materials.len(),
            left_out,
        })
    }

    /// The text of `initial_details.txt`.
    fn details(&self) -> Result<String, DraftError> {
        let claim = self.claim.trim();
        if claim.is_empty() {
            return Err(DraftError::NoClaim);
        }
        let hypotheses = self.hypotheses.as_deref().unwrap_or_default().trim();
        for (what, text) in [("the claim", claim), ("the hypothesis", hypotheses)] {
            let mut lines = text.lines();
            if let Some(line) = lines.find(|line| heading(line).is_some()) {
                return Err(DraftError::Heading {
                    what,
                    line: line.to_owned(),
                });
            }
        }
        let mut text = format!("[CLAIM]\n{claim}\n");
        if !hypotheses.is_empty() {
            text.push_str(&format!("\n[HYPOTHESIS]\n{hypotheses}\n"));
        }
        Ok(text)
    }

    /// The text of `study.toml`.
    fn manifest(&self, folder: &Path) -> Result<String, DraftError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let title = self.title.as_deref().unwrap_or(name.as_ref());
        Ok(Environment::new().render_str(
            TEMPLATE,
            context! {
                id => quoted(&id_from_name(&name)),
                title => quoted(title),
                citation => quoted(self.citation.as_deref().unwrap_or_default()),
            },
        )?)
    }

    /// The files of all materials, each name once.
    fn collect(&self, left_out: &mut Vec<String>) -> Result<Vec<Material>, DraftError> {
        let mut materials: Vec<Material> = Vec::new();
        for given in &self.materials {
            let real = found(given)?;
            let next = match real.is_dir() {
                true => contents(&real, left_out)?,
                false => vec![single(given, real)?],
            };
            for one in next {
                if let Some(twin) = materials.iter().find(|other| other.to == one.to) {
                    return Err(DraftError::SameName {
                        name: one.to.to_string(),
                        one: twin.from.clone(),
                        other: one.from,
                    });
                }
                materials.push(one);
            }
        }
        Ok(materials)
    }
}

/// The files below a folder, with their sub-folders.
fn contents(folder: &Path, left_out: &mut Vec<String>) -> Result<Vec<Material>, DraftError> {
    let walked = walk(folder, folder, WalkLimits::default())?;
    let shown = |path: &WorkspacePath| folder.join(path.as_str()).display().to_string();
    for path in &walked.hidden {
        left_out.push(format!("{}: its name begins with a dot", shown(path)));
    }
    for path in &walked.references {
        left_out.push(format!("{}: it has the name of a reference", shown(path)));
    }
    let files = walked.files.into_iter();
    Ok(files
        .map(|file| Material {
            from: file.real,
            to: file.path,
        })
        .collect())
}

/// A file by its own name.
fn single(given: &Path, real: PathBuf) -> Result<Material, DraftError> {
    let bad = || StudyError::BadName(given.to_owned());
    let name = given.file_name().and_then(|name| name.to_str()).ok_or_else(bad)?;
    let to: WorkspacePath = name.parse().map_err(|_| bad())?;
    Ok(Material { from: real, to })
}

/// The letters, digits, `-`, `_` and `.` of a folder's name, other signs as `-`.
fn id_from_name(name: &str) -> String {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
    let id: String = name
        .chars()
        .map(|sign| if fits(sign) { sign } else { '-' })
        .collect();
    let id = excerpt::start(id.trim_matches(['-', '.']), LONGEST_ID).to_owned();
    if id.is_empty() { "study".to_owned() } else { id }
}

fn is_empty_folder(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn found(path: &Path) -> Result<PathBuf, DraftError> {
    fs::canonicalize(path).map_err(|_| DraftError::NoFile(path.to_owned()))
}

fn make(folder: &Path) -> Result<(), DraftError> {
    Ok(fs::create_dir_all(folder).map_err(StudyError::io("make the folder", folder))?)
}

fn write(file: &Path, text: &str) -> Result<(), DraftError> {
    Ok(fs::write(file, text).map_err(StudyError::io("write", file))?)
}

/// Copies a file's content; what may be done with the copy is this machine's default.
fn copy(from: &Path, to: &Path) -> Result<(), DraftError> {
    let mut source = fs::File::open(from).map_err(StudyError::io("read", from))?;
    let mut target = fs::File::create(to).map_err(StudyError::io("write", to))?;
    io::copy(&mut source, &mut target).map_err(StudyError::io("write", to))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::manifest::Manifest;
    use crate::study::open::Study;

    fn material(folder: &Path) -> StudyDraft {
        fs::write(folder.join("paper.pdf"), b"%PDF-1.7\n").unwrap();
        fs::create_dir_all(folder.join("data/waves")).unwrap();
        fs::write(folder.join("data/waves/one.csv"), "a,b\n1,2\n").unwrap();
        fs::write(folder.join("data/.DS_Store"), "x").unwrap();
        fs::write(folder.join("model.R"), "lm(b ~ a)\n").unwrap();
        StudyDraft {
            title: Some("Say \"a\" \\ b".to_owned()),
            claim: "b rises with a (b = 2)".to_owned(),
            hypotheses: Some("a raises b".to_owned()),
            paper: folder.join("paper.pdf"),
            materials: vec![folder.join("data"), folder.join("model.R")],
            ..StudyDraft::default()
        }
    }

    #[test]
    fn what_is_laid_out_opens_as_a_study() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("My study, 2nd");
        let laid_out = material(place.path()).lay_out(&folder).unwrap();
        assert_eq!(laid_out.files, 2);
        assert!(laid_out.left_out[0].contains(".DS_Store"), "{laid_out:?}");
        let study = Study::open(&folder).unwrap();
        assert_eq!(study.id(), "My-study--2nd");
        assert_eq!(study.claim().statement, "b rises with a (b = 2)");
        assert_eq!(study.claim().hypotheses, "a raises b");
        let files: Vec<&str> = study.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(files, ["model.R", "waves/one.csv"]);
    }

    #[test]
    fn everything_that_is_commented_out_can_be_used() {
        let text = StudyDraft::default().manifest(Path::new("x/slope")).unwrap();
        let used: String = text
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        for text in [&text, &used] {
            let (manifest, warnings) = Manifest::parse(Path::new("study.toml"), text).unwrap();
            assert_eq!(manifest.about.id, "slope");
            assert!(warnings.is_empty(), "{warnings:?}");
        }
        let (all, _) = Manifest::parse(Path::new("study.toml"), &used).unwrap();
        assert!(all.reference.original.is_some() && all.variants.len() == 1);
    }

    #[test]
    fn what_cannot_be_laid_out_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let good = material(place.path());
        let at = |draft: &StudyDraft| {
            let folder = place.path().join("new");
            let error = draft.lay_out(&folder).unwrap_err().to_string();
            assert!(!folder.exists());
            let kept = fs::read_dir(place.path()).unwrap().count();
            assert_eq!(kept, 3, "{error}");
            error
        };
        let with = |change: fn(&mut StudyDraft)| {
            let mut draft = good.clone();
            change(&mut draft);
            at(&draft)
        };
        assert!(with(|draft| draft.claim = " \n".to_owned()).contains("the claim is empty"));
        assert!(with(|draft| draft.claim = "a\n[HYPOTHESIS] b".to_owned()).contains("`[HYPOTHESIS] b`"));
        assert!(with(|draft| draft.materials.clear()).contains("holds no file"));
        assert!(with(|draft| draft.paper = draft.materials[1].clone()).contains("is not a PDF"));
        assert!(with(|draft| draft.paper = PathBuf::from("/nowhere.pdf")).contains("/nowhere.pdf"));
        assert!(with(|draft| draft.materials.push(draft.materials[1].clone())).contains("`model.R` would"));
        fs::create_dir(place.path().join("used")).unwrap();
        fs::write(place.path().join("used/x"), "").unwrap();
        let told = good.lay_out(&place.path().join("used")).unwrap_err().to_string();
        assert!(told.contains("not empty"), "{told}");
    }
}
