//! The gradings that `score agreement` compares, file beside file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::cli::exit::Failure;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::agreement::gradings::{Marks, pair};
use crate::scoring::agreement::table::Rating;

use super::args::AgreementArgs;
use super::input;
use super::shared_out::shared_out;

/// The stage of files that are no stage's gradings.
const ANY: &str = "all";

/// The items of two gradings.
pub struct Couples {
    /// How the two are called.
    pub names: [String; 2],
    pub stages: BTreeMap<&'static str, Vec<Rating>>,
    /// What could not be used, a sentence each.
    pub problems: Vec<String>,
}

/// Two files that grade the same.
struct Couple {
    files: [PathBuf; 2],
    stage: &'static str,
    paper: String,
}

impl Couples {
    /// Reads what the command line names: two files, two folders, or two judges
    /// below one folder.
    ///
    /// # Errors
    /// Something else than that, or a file that cannot be read.
    pub fn read(args: &AgreementArgs) -> Result<Self, Failure> {
        let mut problems = Vec::new();
        let (names, found) = match (args.gradings.as_slice(), args.judges.as_slice()) {
            ([root], [first, second]) => (
                [first.clone(), second.clone()],
                below(root, [first, second], &mut problems),
            ),
            ([first, second], []) => (
                [first.display().to_string(), second.display().to_string()],
                if first.is_dir() && second.is_dir() {
                    folders([first, second], &mut problems)
                } else {
                    vec![Couple {
                        files: [first.clone(), second.clone()],
                        stage: stage_of(first).unwrap_or(ANY),
                        paper: String::new(),
                    }]
                },
            ),
            _ => {
                return Err(Failure::usage(
                    "give two gradings, or one folder and the two judges below it with `--judges A,B`",
                ));
            }
        };
        let mut stages: BTreeMap<&'static str, Vec<Rating>> = BTreeMap::new();
        let read = shared_out(&found, Couple::read);
        let is_alone = found.len() == 1;
        for (couple, marks) in found.iter().zip(read) {
            let both = match marks {
                Ok(both) => both,
                Err(failure) if is_alone => return Err(failure),
                Err(failure) => {
                    problems.push(failure.message);
                    continue;
                }
            };
            // Runs of one paper have the same fields, so each couple is paired by itself.
            let ratings = stages.entry(couple.stage).or_default();
            ratings.extend(pair(&both[0], &both[1]));
            for (marks, path) in both.iter().zip(&couple.files) {
                let said = marks.problems.iter();
                problems.extend(said.map(|problem| format!("{}: {problem}.", path.display())));
            }
        }
        Ok(Self {
            names,
            stages,
            problems,
        })
    }
}

impl Couple {
    fn read(&self) -> Result<[Marks; 2], Failure> {
        let [first, second] = &self.files;
        Ok([marks(first, &self.paper)?, marks(second, &self.paper)?])
    }
}

fn marks(path: &Path, paper: &str) -> Result<Marks, Failure> {
    let bytes = input::read(path)?;
    let mut marks = Marks::default();
    let is_table = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    if is_table {
        marks
            .add_csv(&bytes)
            .map_err(|problem| Failure::usage(format!("{}: {problem}", path.display())))?;
    } else {
        marks.add_json(paper, &bytes);
    }
    Ok(marks)
}

/// The gradings of two judges of the same runs, in `.../evals/JUDGE/`.
fn below(root: &Path, judges: [&String; 2], problems: &mut Vec<String>) -> Vec<Couple> {
    let mut found = Vec::new();
    let ends = judges.map(|judge| Path::new("evals").join(judge));
    for (path, stage) in gradings(root) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            continue;
        };
        let counterpart = |judge: &str| folder.with_file_name(judge).join(name);
        if folder.ends_with(&ends[0]) {
            let other = counterpart(judges[1]);
            if other.is_file() {
                found.push(Couple {
                    stage,
                    paper: paper(folder),
                    files: [path, other],
                });
            } else {
                problems.push(alone(&path, judges[1]));
            }
        } else if folder.ends_with(&ends[1]) && !counterpart(judges[0]).is_file() {
            problems.push(alone(&path, judges[0]));
        }
    }
    found
}

/// A grading that only one of the two has.
fn alone(path: &Path, other: impl std::fmt::Display) -> String {
    format!(
        "{} has no counterpart of {other} and is left out.",
        path.display()
    )
}

/// The gradings at the same places in two folders.
fn folders(both: [&Path; 2], problems: &mut Vec<String>) -> Vec<Couple> {
    let mut found = Vec::new();
    let inside = |path: &Path, root: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    for (path, stage) in gradings(both[0]) {
        let inside = inside(&path, both[0]);
        let other = both[1].join(&inside);
        if other.is_file() {
            let folder = inside.parent();
            found.push(Couple {
                stage,
                paper: folder.map_or_else(String::new, |folder| folder.display().to_string()),
                files: [path, other],
            });
        } else {
            problems.push(alone(&path, both[1].display()));
        }
    }
    for (path, _) in gradings(both[1]) {
        if !both[0].join(inside(&path, both[1])).is_file() {
            problems.push(alone(&path, both[0].display()));
        }
    }
    found
}

/// Every grading below a folder with its stage, in order.
pub fn gradings(root: &Path) -> Vec<(PathBuf, &'static str)> {
    WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            let stage = stage_of(entry.path())?;
            Some((entry.into_path(), stage))
        })
        .collect()
}

/// The study of a folder `STUDY/MODEL/evals/JUDGE` or `RUN/evals/JUDGE`.
pub fn paper(folder: &Path) -> String {
    let mut above = folder.ancestors().skip(2);
    let run = above.next();
    let own = run.filter(|run| run.join("run.json").is_file()).or(above.next());
    own.and_then(Path::file_name)
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn stage_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let stage = GradedStage::all().find(|stage| stage.file_name() == name)?;
    Some(stage.name())
}
