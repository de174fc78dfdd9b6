//! Figures of the ReplicatorBench paper beside those that its released files yield.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::domain::failure::FailureCause;
use crate::grading::comparison::failure_counts::{FailureCounts, LogRules};
use crate::grading::comparison::failure_table::by_model;
use crate::grading::comparison::outcome_groups::groups;
use crate::grading::comparison::search_answers::{SearchRule, scores};
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::graded_folder::{Arithmetic, folders, sum_up};
use crate::grading::discovery::outcome_labels;
use crate::grading::discovery::run_outcome::RunOutcomes;
use crate::grading::discovery::search_files::{self, SearchPaths};
use crate::scoring::aggregate::summary::mean;
use crate::scoring::url_match::metrics::RunScore;

/// The judge whose gradings the paper's Table 2 is of.
const JUDGE: &str = "gpt-4o";
/// The studies that the paper's tables are of.
const STUDIES: std::ops::RangeInclusive<u32> = 1..=19;

const STAGES: [&str; 4] = ["extract", "design", "execute", "interpret"];
/// Stages of Table 2 whose figures follow from no released file, at no commit and by no variant of
/// the arithmetic.
const UNRELEASED: [&str; 2] = ["extract", "interpret"];
const OUTCOMES: [&str; 4] = ["accuracy", "macro precision", "macro recall", "macro F1"];
/// A figure of Table 3 and where a run's score has it.
type SearchFigure = (&'static str, fn(&RunScore) -> f64);
const SEARCH: [SearchFigure; 8] = [
    ("precision", |run| run.macro_average.precision),
    ("recall", |run| run.macro_average.recall),
    ("F1", |run| run.macro_average.f1),
    ("micro precision", |run| run.micro_average.precision),
    ("micro recall", |run| run.micro_average.recall),
    ("micro F1", |run| run.micro_average.f1),
    ("hit@any", |run| run.hit_any),
    ("hit@all", |run| run.hit_all),
];
const FAILURES: [FailureCause; 5] = [
    FailureCause::Setup,
    FailureCause::InputData,
    FailureCause::Implementation,
    FailureCause::ResultExtraction,
    FailureCause::Timeout,
];

/// The paper's figures by model.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedFigures {
    stages: BTreeMap<String, [f64; 4]>,
    outcomes: BTreeMap<String, [f64; 4]>,
    search: BTreeMap<String, [f64; 8]>,
    failures: BTreeMap<String, [u64; 5]>,
}

static PUBLISHED: LazyLock<PublishedFigures> = LazyLock::new(|| {
    // A file of our own that a test reads: nothing is lost where it fails.
    toml::from_str(include_str!("published_figures.toml")).unwrap_or_default()
});

/// A cell of a table, as the files give it and as the paper prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableCell {
    /// 2, 3 or 5.
    pub table: u8,
    pub model: String,
    pub figure: String,
    /// In the paper's unit; absent where no file yields it.
    pub ours: Option<f64>,
    /// Studies, cases or logs that ours is of.
    pub n: usize,
    pub paper: f64,
    /// Whether both are the same in every digit that is printed.
    pub same: bool,
    /// Whether the paper's figure follows from no file that was ever released: to differ says
    /// nothing there.
    pub unreleased: bool,
}

impl TableCell {
    fn new(table: u8, model: &str, figure: &str, ours: Measured, paper: f64) -> Self {
        let digits = if table == 5 { 0 } else { 2 };
        let printed = |value: f64| format!("{value:.digits$}");
        Self {
            table,
            model: model.to_owned(),
            figure: figure.to_owned(),
            same: ours.value.is_some_and(|value| printed(value) == printed(paper)),
            ours: ours.value,
            n: ours.n,
            paper,
            unreleased: table == 2 && UNRELEASED.contains(&figure),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    value: Option<f64>,
    n: usize,
}

/// The tables of the paper, with what the folder lacks for them.
#[derive(Debug, Default, Serialize)]
pub struct PublishedTables {
    pub cells: Vec<TableCell>,
    /// A sentence each.
    pub lacks: Vec<String>,
}

/// Reads a folder of released files: `results/` with runs and their gradings, and `web-search/` with
/// the gold set and predictions, which lies in `results/` too in the original.
pub fn tables(root: &Path) -> PublishedTables {
    let mut tables = PublishedTables::default();
    let results = root.join("results");
    let python = results.join("python");
    tables.stages(&results);
    tables.outcomes(&python);
    let search = [root.join("web-search"), results.join("web-search")];
    tables.search(search.iter().find(|folder| folder.is_dir()));
    tables.failures(&python);
    tables
}

impl PublishedTables {
    fn lack(&mut self, table: &str, error: &DiscoveryError) {
        self.lacks.push(format!("{table}: {error}"));
    }

    /// Table 2's stages: the mean over studies that have the stage.
    fn stages(&mut self, results: &Path) {
        let graded = folders(results).and_then(|folders| {
            let graded = folders
                .iter()
                .map(|folder| sum_up(results, folder, Arithmetic::Released));
            graded.collect::<Result<Vec<_>, _>>()
        });
        let graded = match graded {
            Ok(graded) => graded,
            Err(error) => return self.lack("Table 2, stages", &error),
        };
        for (model, figures) in &PUBLISHED.stages {
            let own: Vec<_> = graded.iter().filter(|one| is_of(&one.folder, model)).collect();
            for (stage, paper) in STAGES.iter().zip(figures) {
                let scores: Vec<f64> = own
                    .iter()
                    .filter_map(|one| match *stage {
                        "execute" => one.execute,
                        stage => one.summary.score(stage),
                    })
                    .collect();
                let ours = Measured {
                    value: mean(&scores).map(|mean| 100.0 * mean),
                    n: scores.len(),
                };
                self.cells.push(TableCell::new(2, model, stage, ours, *paper));
            }
            let studies: BTreeSet<u32> = own.iter().filter_map(|one| study(&one.folder)).collect();
            self.lack_studies(&format!("Table 2, stages of {model}"), &studies);
        }
    }

    fn lack_studies(&mut self, of: &str, there: &BTreeSet<u32>) {
        let lacking: Vec<String> = STUDIES
            .filter(|study| !there.contains(study))
            .map(|study| study.to_string())
            .collect();
        if !lacking.is_empty() {
            self.lacks.push(format!(
                "{of}: {} of {} studies ({})",
                lacking.len(),
                STUDIES.count(),
                lacking.join(", ")
            ));
        }
    }

    /// Table 2's outcomes, by the labels and the readings by hand that the program ships.
    fn outcomes(&mut self, python: &Path) {
        let mut outcomes = RunOutcomes::default();
        if let Err(error) = outcomes.add(python) {
            return self.lack("Table 2, outcomes", &error);
        }
        outcome_labels::give(&mut outcomes.all, None, &mut outcomes.problems);
        outcomes
            .all
            .retain(|one| one.study.parse().is_ok_and(|study| STUDIES.contains(&study)));
        let groups = groups(&outcomes.all);
        for (model, figures) in &PUBLISHED.outcomes {
            let group = groups.iter().find(|group| group.model == model);
            let score = group.map(|group| group.by_hand.as_ref().unwrap_or(&group.score));
            for (place, (figure, paper)) in OUTCOMES.iter().zip(figures).enumerate() {
                let ours = score.map_or_else(Measured::default, |score| {
                    let average = score.macro_average;
                    let value = match place {
                        0 => score.accuracy.share(),
                        1 => Some(average.precision),
                        2 => Some(average.recall),
                        _ => Some(average.f1),
                    };
                    Measured {
                        value: value.map(|value| 100.0 * value),
                        n: score.accuracy.of as usize,
                    }
                });
                self.cells.push(TableCell::new(2, model, figure, ours, *paper));
            }
            let studies = group.map(|group| {
                group
                    .verdicts
                    .iter()
                    .filter_map(|one| one.study.parse().ok())
                    .collect()
            });
            self.lack_studies(
                &format!("Table 2, outcomes of {model}"),
                &studies.unwrap_or_default(),
            );
        }
    }

    /// Table 3, by the released rule.
    fn search(&mut self, folder: Option<&PathBuf>) {
        let Some(folder) = folder else {
            self.lacks.push("Table 3: the folder web-search".to_owned());
            return;
        };
        for (model, figures) in &PUBLISHED.search {
            let predictions = [folder.join(format!("merged_{model}.jsonl"))];
            let files = search_files::read(SearchPaths {
                gold: &folder.join("gold_set.json"),
                predictions: &predictions,
                aliases: None,
            });
            let files = match files {
                Ok(files) => files,
                Err(error) => {
                    self.lack("Table 3", &error);
                    continue;
                }
            };
            let scored = scores(&files, SearchRule::Compat);
            let run = scored
                .iter()
                .flat_map(|(_, models)| models)
                .find_map(|one| one.runs.first());
            for ((figure, of), paper) in SEARCH.iter().zip(figures) {
                let ours = run.map_or_else(Measured::default, |run| Measured {
                    value: Some(100.0 * of(run)),
                    n: run.cases,
                });
                self.cells.push(TableCell::new(3, model, figure, ours, *paper));
            }
        }
    }

    /// Table 5, by the released rules, which see the text style of log alone.
    fn failures(&mut self, python: &Path) {
        let counts = match FailureCounts::count(&[python.to_owned()], LogRules::Released) {
            Ok(counts) => counts,
            Err(error) => return self.lack("Table 5", &error),
        };
        let models = by_model(&counts.counted);
        for (model, figures) in &PUBLISHED.failures {
            let sum = models.iter().find(|one| one.model == model).map(|one| &one.all);
            for (cause, paper) in FAILURES.iter().zip(figures) {
                let ours = sum.map_or_else(Measured::default, |sum| Measured {
                    value: Some(sum.breakdown.by_cause.get(cause).copied().unwrap_or(0) as f64),
                    n: sum.sources,
                });
                self.cells
                    .push(TableCell::new(5, model, cause.name(), ours, *paper as f64));
            }
        }
        self.lacks.push(format!(
            "Table 5: it is of the logs as they stood at commit 424baf9; {} execution logs are here",
            counts.counted.len()
        ));
    }
}

/// The study of a folder of gradings, such as `python/2/gpt-5/evals/gpt-4o`.
fn study(folder: &str) -> Option<u32> {
    folder.split('/').nth(1)?.parse().ok()
}

/// Whether a folder holds the paper's judge's gradings of a model's run on one of its studies.
fn is_of(folder: &str, model: &str) -> bool {
    let parts: Vec<&str> = folder.split('/').collect();
    parts.first() == Some(&"python")
        && study(folder).is_some_and(|study| STUDIES.contains(&study))
        && parts.get(2) == Some(&model)
        && parts.last() == Some(&JUDGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_figures_are_read() {
        let counts = [
            PUBLISHED.stages.len(),
            PUBLISHED.outcomes.len(),
            PUBLISHED.search.len(),
            PUBLISHED.failures.len(),
        ];
        assert_eq!(counts, [4, 3, 4, 4]);
        let all: u64 = PUBLISHED.failures["gpt-4o"].iter().sum();
        assert_eq!(all, 193);
    }

    #[test]
    fn a_folder_without_files_lacks_everything() {
        let folder = tempfile::tempdir().unwrap();
        let found = tables(folder.path());
        assert!(found.cells.is_empty(), "{found:?}");
        assert_eq!(found.lacks.len(), 4, "{:?}", found.lacks);
    }

    #[test]
    fn a_cell_is_the_same_in_the_digits_that_are_printed() {
        let cell = |value| {
            let ours = Measured {
                value: Some(value),
                n: 1,
            };
            TableCell::new(2, "m", "design", ours, 83.18).same
        };
        assert!(cell(83.181) && cell(83.176) && !cell(83.19));
        assert!(!TableCell::new(2, "m", "design", Measured::default(), 83.18).same);
    }

    #[test]
    fn what_no_released_file_yields_is_marked() {
        let marked = |table, figure| TableCell::new(table, "m", figure, Measured::default(), 1.0).unreleased;
        assert!(marked(2, "extract") && marked(2, "interpret"));
        assert!(!marked(2, "design") && !marked(2, "execute") && !marked(2, "accuracy") && !marked(3, "F1"));
    }
}
