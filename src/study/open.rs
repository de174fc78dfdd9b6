//! A study, opened: only what an agent may know.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::claim::{self, ReadClaim};
use super::error::StudyError;
use super::kind::Kind;
use super::layout::{DATA, DETAILS, Layout, MANIFEST, PAPER};
use super::manifest::{About, Manifest, WebTable};
use super::reference::Reference;
use super::sniff::{self, Damage};
use super::walk::{WalkLimits, resolve, walk};
use crate::domain::claim::Claim;
use crate::domain::criterion::FixedCriterion;
use crate::domain::digest::Digest;
use crate::domain::r_defaults::RDefaults;
use crate::domain::study_kind::Origins;
use crate::domain::text_place::in_utf8;
use crate::domain::variant::{NAME_VARIABLE, Variant};
use crate::domain::workspace_path::WorkspacePath;

/// Bytes of a paper that are read.
pub const PAPER_CAP: u64 = 128 << 20;
/// Bytes of `initial_details.txt` and of `study.toml` that are read.
pub const TEXT_CAP: u64 = 256 << 10;

/// A study on disk. It is read and never written.
#[derive(Debug)]
pub struct Study {
    pub(super) root: PathBuf,
    pub(super) layout: Layout,
    pub(super) id: String,
    pub(super) about: Option<About>,
    pub(super) web: WebTable,
    pub(super) shown_columns: Vec<String>,
    pub(super) origins: Origins,
    r_defaults: Option<RDefaults>,
    pub(super) reference: Reference,
    pub(super) details: PathBuf,
    pub(super) claim: Claim,
    pub(super) claim_notes: Vec<String>,
    pub(super) manifest_notes: Vec<String>,
    pub(super) paper: PathBuf,
    pub(super) files: Vec<StudyFile>,
    pub(super) hidden: Vec<WorkspacePath>,
    pub(super) misplaced: Vec<WorkspacePath>,
}

/// One file of `replication_data/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyFile {
    /// Relative to `replication_data/`.
    pub path: WorkspacePath,
    pub kind: Kind,
    /// Bytes.
    pub size: u64,
    pub(super) damage: Option<Damage>,
    pub(super) real: PathBuf,
}

impl StudyFile {
    /// Whether a Git LFS pointer stands where the file should.
    pub fn is_pointer(&self) -> bool {
        matches!(self.damage, Some(Damage::Pointer { .. }))
    }
}

impl Study {
    /// Opens the study in a folder.
    ///
    /// A study without a claim, a paper or any file in `replication_data/` is
    /// refused; lesser problems are for [`Study::check`].
    ///
    /// # Errors
    /// A folder that is no study, a part that it lacks or that cannot be read or used, or a
    /// variant whose script is not there.
    pub fn open(path: &Path) -> Result<Self, StudyError> {
        let root = fs::canonicalize(path)
            .ok()
            .filter(|root| root.is_dir())
            .ok_or_else(|| StudyError::NoStudy(path.to_owned()))?;
        let layout = Layout::detect(&root)?;
        let inputs = layout.inputs(&root);
        let part = |name: &str, way_out: &'static str| {
            let file = inputs.join(name);
            match fs::symlink_metadata(&file) {
                Ok(_) => resolve(&root, &file),
                Err(_) => Err(StudyError::Missing { file, way_out }),
            }
        };
        let (manifest, manifest_notes) = read_manifest(&root)?;
        let details = part(DETAILS, "write the claim there, below a line `[CLAIM]`")?;
        let ReadClaim { mut claim, notes } = read_claim(&details)?;
        let fixed = manifest.as_ref().and_then(|it| it.criterion.clone());
        let origins = manifest.as_ref().map(Manifest::origins).unwrap_or_default();
        claim.criterion = Some(fixed.unwrap_or_else(FixedCriterion::usual).on(origins.data));
        claim.variants = manifest
            .as_ref()
            .map(|it| it.variants.clone())
            .unwrap_or_default();
        let paper = part(PAPER, "put the original paper there as a PDF")?;
        check_paper(&paper)?;
        let data = part(DATA, "make that folder and put the study's data there")?;
        if !data.is_dir() {
            return Err(StudyError::NoFiles(data));
        }
        let walked = walk(&root, &data, WalkLimits::default())?;
        if walked.files.is_empty() {
            return Err(StudyError::NoFiles(data));
        }
        let web = manifest.as_ref().map(|it| it.web.clone()).unwrap_or_default();
        let personal = manifest.as_ref().map(|it| it.personal.show.clone());
        let r_defaults = manifest.as_ref().and_then(|it| it.environment.r_defaults);
        let table = manifest.as_ref().map(|it| it.code.clone()).unwrap_or_default();
        let files: Vec<StudyFile> = walked
            .files
            .into_iter()
            .map(|found| {
                let kind = Kind::from_path(&found.path, &table);
                let head = head(&found.real)?;
                Ok(StudyFile {
                    damage: Damage::detect(&head, kind != Kind::Data),
                    path: found.path,
                    kind,
                    size: found.size,
                    real: found.real,
                })
            })
            .collect::<Result<_, StudyError>>()?;
        check_variants(&root, &claim.variants, &files)?;
        let (about, reference) =
            manifest.map_or((None, Reference::default()), |it| (Some(it.about), it.reference));
        Ok(Self {
            id: about
                .as_ref()
                .map_or_else(|| name_of(&root), |about| about.id.clone()),
            root,
            layout,
            about,
            web,
            shown_columns: personal.unwrap_or_default(),
            origins,
            r_defaults,
            reference,
            details,
            claim,
            claim_notes: notes,
            manifest_notes,
            paper,
            files,
            hidden: walked.hidden,
            misplaced: walked.references,
        })
    }

    /// What of the web a search may see; never shown to an agent.
    pub fn web(&self) -> &WebTable {
        &self.web
    }

    /// Columns whose values agents may see though they are likely personal, as `study.toml` says.
    pub fn shown_columns(&self) -> &[String] {
        &self.shown_columns
    }

    /// The defaults of R that the scripts are run under, as `study.toml` says.
    pub fn r_defaults(&self) -> Option<RDefaults> {
        self.r_defaults
    }

    /// Where data and code come from, as `study.toml` says.
    pub fn origins(&self) -> Origins {
        self.origins
    }

    /// The `id` of `study.toml`, else the folder's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The study's folder, for the engine; never for a model.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// What `study.toml` says that anybody may know; `None` without one.
    pub fn about(&self) -> Option<&About> {
        self.about.as_ref()
    }

    /// The files of `replication_data/` in path order, hidden files left out.
    pub fn files(&self) -> &[StudyFile] {
        &self.files
    }

    /// The files of one kind.
    pub fn files_of_kind(&self, kind: Kind) -> impl Iterator<Item = &StudyFile> {
        self.files.iter().filter(move |file| file.kind == kind)
    }

    /// The paper's bytes.
    ///
    /// # Errors
    /// A file that cannot be read, or is larger than a paper can be.
    pub fn paper(&self) -> Result<Vec<u8>, StudyError> {
        read_capped(&self.paper, PAPER_CAP)
    }

    /// The bytes of a file of `replication_data/`.
    ///
    /// # Errors
    /// A file that cannot be read, or is larger than a data set that is read.
    pub fn bytes_of(&self, file: &StudyFile) -> Result<Vec<u8>, StudyError> {
        read_capped(&file.real, PAPER_CAP)
    }

    /// A digest of every input and of how it is split, for the run's header.
    ///
    /// # Errors
    /// An input that cannot be read.
    pub fn study_digest(&self) -> Result<Digest, StudyError> {
        let mut inputs = vec![
            (DETAILS.to_owned(), None, digest_of(&self.details)?),
            (PAPER.to_owned(), None, digest_of(&self.paper)?),
        ];
        for file in &self.files {
            inputs.push((
                format!("{DATA}/{}", file.path),
                Some(file.kind),
                digest_of(&file.real)?,
            ));
        }
        Ok(Digest::compute_json(&inputs))
    }
}

/// The digest of a file's content.
pub(super) fn digest_of(file: &Path) -> Result<Digest, StudyError> {
    File::open(file)
        .and_then(Digest::compute_reader)
        .map_err(StudyError::io("read", file))
}

/// A whole file, if it is no larger than `cap` bytes.
pub(super) fn read_capped(file: &Path, cap: u64) -> Result<Vec<u8>, StudyError> {
    let failed = || StudyError::io("read", file);
    let metadata = fs::metadata(file).map_err(failed())?;
    if !metadata.is_file() {
        return Err(StudyError::SpecialFile(file.to_owned()));
    }
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(failed())?;
    opened.take(cap + 1).read_to_end(&mut bytes).map_err(failed())?;
    if bytes.len() as u64 > cap {
        return Err(StudyError::TooLarge {
            file: file.to_owned(),
            size: metadata.len(),
            cap,
        });
    }
    Ok(bytes)
}

fn head(file: &Path) -> Result<Vec<u8>, StudyError> {
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|opened| opened.take(1024).read_to_end(&mut bytes))
        .map_err(StudyError::io("read", file))?;
    Ok(bytes)
}

fn read_manifest(root: &Path) -> Result<(Option<Manifest>, Vec<String>), StudyError> {
    let file = root.join(MANIFEST);
    if !file.exists() {
        return Ok((None, Vec::new()));
    }
    let bytes = read_capped(&file, TEXT_CAP)?;
    let text = in_utf8(bytes).map_err(|error| StudyError::BadManifest {
        line: error.line,
        file: file.clone(),
        problem: "it is not UTF-8 text: save it as UTF-8".to_owned(),
    })?;
    let (manifest, notes) = Manifest::parse(&file, &text)?;
    Ok((Some(manifest), notes))
}

/// Every script of a variant is one that the study ships.
fn check_variants(root: &Path, variants: &[Variant], files: &[StudyFile]) -> Result<(), StudyError> {
    let ships = |script: &str| {
        let path = script.trim();
        let path = ["work/", "replication_data/"]
            .into_iter()
            .find_map(|folder| path.strip_prefix(folder))
            .unwrap_or(path);
        let is_it = |file: &StudyFile| file.kind == Kind::Code && file.path.as_str() == path;
        files.iter().any(is_it)
    };
    for variant in variants {
        if let Some(missing) = variant.entry.iter().find(|script| !ships(script.as_str())) {
            return Err(StudyError::BadManifest {
                file: root.join(MANIFEST),
                line: 1,
                problem: format!(
                    "the variant `{}` runs `{missing}`, which is no code below `replication_data/`: put it there, or \
                     leave `entry` out, so that the main scripts run with {NAME_VARIABLE} set to the name",
                    variant.name
                ),
            });
        }
    }
    Ok(())
}

fn read_claim(file: &Path) -> Result<ReadClaim, StudyError> {
    let bytes = read_capped(file, TEXT_CAP)?;
    let bad = |problem| StudyError::BadClaim {
        file: file.to_owned(),
        problem,
    };
    if let Some(damage @ Damage::Pointer { .. }) = Damage::detect(&bytes, true) {
        return Err(bad(format!("it {}", damage.words())));
    }
    claim::read(&bytes).map_err(|error| bad(error.to_string()))
}

pub(super) fn check_paper(file: &Path) -> Result<(), StudyError> {
    let metadata = fs::metadata(file).map_err(StudyError::io("read", file))?;
    if !metadata.is_file() {
        return Err(StudyError::SpecialFile(file.to_owned()));
    }
    if metadata.len() > PAPER_CAP {
        return Err(StudyError::TooLarge {
            file: file.to_owned(),
            size: metadata.len(),
            cap: PAPER_CAP,
        });
    }
    let head = head(file)?;
    if sniff::is_pdf(&head) {
        return Ok(());
    }
    let found = match Damage::detect(&head, false) {
        Some(damage) => format!("it {}", damage.words()),
        None => "no `%PDF-` stands in its first 1024 bytes".to_owned(),
    };
    Err(StudyError::NotAPdf {
        file: file.to_owned(),
        found,
    })
}

/// A folder's name, reduced to what a label can hold.
fn name_of(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let safe: String = name
        .chars()
        .map(|one| {
            if one.is_ascii_alphanumeric() || "-_.".contains(one) {
                one
            } else {
                '-'
            }
        })
        .take(64)
        .collect();
    if safe.trim_matches('.').is_empty() {
        "study".to_owned()
    } else {
        safe
    }
}
