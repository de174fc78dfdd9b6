//! Two raters' gradings of the same, file beside file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::grading_files::{self, GradingFile};
use crate::grading::discovery::parallel_map::parallel_map;
use crate::scoring::aggregate::few::first_of;
use crate::scoring::agreement::gradings::{Marks, pair};
use crate::scoring::agreement::sheet::RatingSheet;
use crate::scoring::agreement::table::Rating;

/// The items of two gradings.
pub struct RatingPairs {
    /// How the two are called.
    pub names: [String; 2],
    pub stages: BTreeMap<String, Vec<Rating>>,
    /// Files and items that could not be used, a sentence each.
    pub problems: Vec<String>,
    /// Items by stage that code decided, and no rater.
    pub by_code: BTreeMap<String, usize>,
}

/// A file or folder that can be read as a rater's marks.
enum Source {
    Sheet(PathBuf),
    File(PathBuf),
    Folder(PathBuf),
}

/// Two files that grade the same.
struct FilePair {
    first: GradingFile,
    second: PathBuf,
}

/// The marks of one grading, and its fields that code decided.
type Read = (Marks, BTreeSet<String>);

impl RatingPairs {
    /// Reads what the command line names: two of a sheet, a file and a folder,
    /// or two judges below one folder.
    ///
    /// # Errors
    /// Something else than that, or a file that cannot be read.
    pub fn read(gradings: &[PathBuf], judges: &[String]) -> Result<Self, DiscoveryError> {
        if let ([root], [first, second]) = (gradings, judges) {
            let mut found = Self::new([first.clone(), second.clone()]);
            let pairs = below(root, [first, second], &mut found.problems);
            found.add_files(pairs)?;
            if found.stages.is_empty() {
                found.problems.push(judges_below(root));
            }
            return Ok(found);
        }
        let ([first, second], judge) = (gradings, judges) else {
            return Err(DiscoveryError::NotTwoGradings);
        };
        let mut found = Self::new([first, second].map(|path| path.display().to_string()));
        match ([first, second].map(|path| Source::from_path(path)), judge) {
            ([Source::Sheet(one), Source::Sheet(other)], []) => found.sheets(&one, &other)?,
            ([Source::Sheet(sheet), of], _) => found.sheet_and_gradings(&sheet, &of, judge, true)?,
            ([of, Source::Sheet(sheet)], _) => found.sheet_and_gradings(&sheet, &of, judge, false)?,
            ([Source::Folder(one), Source::Folder(other)], []) => {
                let pairs = folders([&one, &other], &mut found.problems);
                found.add_files(pairs)?;
            }
            (
                [
                    Source::File(one) | Source::Folder(one),
                    Source::File(other) | Source::Folder(other),
                ],
                [],
            ) => {
                found.add_files(vec![FilePair {
                    first: GradingFile::at(one),
                    second: other,
                }])?;
            }
            _ => return Err(DiscoveryError::NotTwoGradings),
        }
        Ok(found)
    }

    fn new(names: [String; 2]) -> Self {
        Self {
            names,
            stages: BTreeMap::new(),
            problems: Vec::new(),
            by_code: BTreeMap::new(),
        }
    }

    /// Two sheets are one table of each stage that both name, and runs are told
    /// apart where both do.
    fn sheets(&mut self, one: &Path, other: &Path) -> Result<(), DiscoveryError> {
        let sheets = [sheet(one)?, sheet(other)?];
        let both = |says: fn(&RatingSheet) -> bool| sheets.iter().all(says);
        let by_stage = both(|sheet| sheet.rows.iter().all(|row| row.stage.is_some()));
        let by_run = both(|sheet| sheet.rows.iter().all(|row| row.run.is_some()));
        let mut marks: [BTreeMap<String, Marks>; 2] = Default::default();
        for (sheet, by) in sheets.iter().zip(&mut marks) {
            for row in &sheet.rows {
                let stage = row
                    .stage
                    .as_deref()
                    .filter(|_| by_stage)
                    .unwrap_or(grading_files::ANY_STAGE);
                let mut row = row.clone();
                if let Some(run) = row.run.take().filter(|_| by_run) {
                    row.field = format!("{run} {}", row.field);
                }
                let paper = row.paper.clone();
                by.entry(stage.to_owned()).or_default().add_rows(&paper, [&row]);
            }
        }
        let [first, second] = &marks;
        let none = Marks::default();
        for stage in first.keys().chain(second.keys()).collect::<BTreeSet<_>>() {
            let [one, other] = [first, second].map(|by| by.get(stage).unwrap_or(&none));
            self.stages.insert(stage.clone(), pair(one, other));
        }
        for ((path, sheet), by) in [one, other].into_iter().zip(&sheets).zip(&marks) {
            let said = by.values().flat_map(|marks| &marks.problems);
            self.tell(path, sheet.problems.iter().chain(said));
        }
        Ok(())
    }

    /// A person's sheet beside one judge's gradings, of the same papers, stages and runs.
    fn sheet_and_gradings(
        &mut self,
        table: &Path,
        of: &Source,
        judge: &[String],
        is_first: bool,
    ) -> Result<(), DiscoveryError> {
        let people = sheet(table)?;
        let graded = match (of, judge) {
            (Source::Folder(root), [judge]) => judged_by(root, judge),
            (Source::Folder(root), []) => gradings_by_one_judge(root)?,
            (Source::File(path), []) => vec![GradingFile::at(path.clone())],
            _ => return Err(DiscoveryError::NotTwoGradings),
        };
        let mut used = BTreeSet::new();
        for (one, read) in graded.iter().zip(parallel_map(&graded, read)) {
            let (judged, by_code) = match read {
                Ok(read) => read,
                Err(error) if graded.len() == 1 => return Err(error),
                Err(error) => {
                    self.problems.push(error.to_string());
                    continue;
                }
            };
            let mut marked = Marks::default();
            let rows: Vec<_> = people.about(&one.paper, one.stage, &one.run).collect();
            used.extend(rows.iter().map(|row| row.number));
            marked.add_rows(&one.paper, rows);
            self.tell(&one.path, &judged.problems);
            self.tell(table, &marked.problems);
            let both = if is_first {
                [marked, judged]
            } else {
                [judged, marked]
            };
            self.add(one.stage, both, &by_code);
        }
        self.tell(table, &people.problems);
        let left: Vec<_> = people
            .rows
            .iter()
            .filter(|row| !used.contains(&row.number))
            .collect();
        if let Some(first) = left.first() {
            let papers: BTreeSet<_> = graded.iter().map(|one| one.paper.as_str()).collect();
            self.problems.push(format!(
                "{}: rows that belong to no grading: {}, the first in row {} (paper `{}`); the gradings are of {}.",
                table.display(),
                left.len(),
                first.number,
                first.paper,
                listed(&papers)
            ));
        }
        Ok(())
    }

    fn add_files(&mut self, pairs: Vec<FilePair>) -> Result<(), DiscoveryError> {
        let read = parallel_map(&pairs, |files| {
            let second = GradingFile {
                path: files.second.clone(),
                ..files.first.clone()
            };
            Ok::<_, DiscoveryError>([read(&files.first)?, read(&second)?])
        });
        let is_alone = pairs.len() == 1;
        for (files, both) in pairs.iter().zip(read) {
            let [(first, by_code), (second, also)] = match both {
                Ok(both) => both,
                Err(error) if is_alone => return Err(error),
                Err(error) => {
                    self.problems.push(error.to_string());
                    continue;
                }
            };
            self.tell(&files.first.path, &first.problems);
            self.tell(&files.second, &second.problems);
            let by_code = by_code.union(&also).cloned().collect();
            self.add(files.first.stage, [first, second], &by_code);
        }
        Ok(())
    }

    /// Adds a files's items. Runs of one paper have the same fields, so each
    /// files is paired by itself.
    fn add(&mut self, stage: &str, both: [Marks; 2], by_code: &BTreeSet<String>) {
        let [mut first, mut second] = both;
        if !by_code.is_empty() {
            let all = pair(&first, &second).len();
            first.leave_out(by_code);
            second.leave_out(by_code);
            let left_out = all - pair(&first, &second).len();
            if left_out > 0 {
                *self.by_code.entry(stage.to_owned()).or_default() += left_out;
            }
        }
        let ratings = self.stages.entry(stage.to_owned()).or_default();
        ratings.extend(pair(&first, &second));
    }

    fn tell<'p>(&mut self, path: &Path, problems: impl IntoIterator<Item = &'p String>) {
        let said = problems.into_iter();
        self.problems
            .extend(said.map(|problem| format!("{}: {problem}.", path.display())));
    }
}

impl Source {
    fn from_path(path: &Path) -> Self {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        let path = path.to_owned();
        match () {
            () if path.is_dir() => Self::Folder(path),
            () if ending == "csv" || ending == "tsv" => Self::Sheet(path),
            () => Self::File(path),
        }
    }
}

fn sheet(path: &Path) -> Result<RatingSheet, DiscoveryError> {
    RatingSheet::read(&bounded_file::read(path)?).map_err(|why| DiscoveryError::Sheet {
        path: path.to_owned(),
        why: why.to_string(),
    })
}

fn read(one: &GradingFile) -> Result<Read, DiscoveryError> {
    let mut marks = Marks::default();
    marks.add_json(&one.paper, &bounded_file::read(&one.path)?);
    Ok((marks, one.by_code()))
}

/// The gradings of two judges of the same runs, in `.../evals/JUDGE/`.
fn below(root: &Path, judges: [&String; 2], problems: &mut Vec<String>) -> Vec<FilePair> {
    let mut found = Vec::new();
    for one in grading_files::below(root) {
        let Some(at) = judges.iter().position(|judge| one.is_of(judge)) else {
            continue;
        };
        let other = one.counterpart(judges[1 - at]);
        match (at, other.is_file()) {
            (0, true) => found.push(FilePair {
                first: one,
                second: other,
            }),
            (_, true) => {}
            (at, false) => problems.push(alone(&one.path, judges[1 - at])),
        }
    }
    found
}

fn judged_by(root: &Path, judge: &str) -> Vec<GradingFile> {
    let mut found = grading_files::below(root);
    found.retain(|one| one.is_of(judge));
    found
}

/// The gradings below a folder, which are to be one judge's.
fn gradings_by_one_judge(root: &Path) -> Result<Vec<GradingFile>, DiscoveryError> {
    let found = grading_files::below(root);
    let judges: BTreeSet<_> = found.iter().map(|one| one.judge.as_str()).collect();
    if judges.len() > 1 {
        return Err(DiscoveryError::SeveralJudges {
            dir: root.to_owned(),
            judges: listed(&judges),
        });
    }
    Ok(found)
}

fn judges_below(root: &Path) -> String {
    let found = grading_files::below(root);
    let judges: BTreeSet<_> = found.iter().map(|one| one.judge.as_str()).collect();
    format!("{} holds gradings of {}.", root.display(), listed(&judges))
}

fn listed(names: &BTreeSet<&str>) -> String {
    first_of(names.iter(), 20).unwrap_or_else(|| "nobody".to_owned())
}

/// A grading that only one of the two has.
fn alone(path: &Path, other: impl std::fmt::Display) -> String {
    format!(
        "{} has no counterpart of {other} and is left out.",
        path.display()
    )
}

/// The gradings at the same places in two folders.
fn folders(both: [&Path; 2], problems: &mut Vec<String>) -> Vec<FilePair> {
    let mut found = Vec::new();
    let inside = |path: &Path, root: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    for mut one in grading_files::below(both[0]) {
        let inside = inside(&one.path, both[0]);
        let other = both[1].join(&inside);
        if other.is_file() {
            let folder = inside.parent();
            one.paper = folder.map_or_else(String::new, |folder| folder.display().to_string());
            found.push(FilePair {
                first: one,
                second: other,
            });
        } else {
            problems.push(alone(&one.path, both[1].display()));
        }
    }
    for one in grading_files::below(both[1]) {
        if !both[0].join(inside(&one.path, both[1])).is_file() {
            problems.push(alone(&one.path, both[0].display()));
        }
    }
    found
}
