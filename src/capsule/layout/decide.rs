//! The files of a capsule that an agent of a level is given.
//!
//! CORE-Bench and inspect-evals remove what stands at the capsule's top; HAL and v1.1 look at
//! every path, as `hal/benchmarks/corebench.py` does.

use serde::{Deserialize, Serialize};

use super::level::{Layout, Level};

/// A decision on one file of a capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileDecision {
    Kept,
    Removed(RemovalReason),
}

/// The reason for which an agent is not given a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemovalReason {
    /// It is among the authors' results.
    Results,
    /// It tells how the results are made (`REPRODUCING.md`).
    Instructions,
    /// It describes the environment (`environment/`).
    Environment,
    /// It runs the whole (`code/run`, `code/run.sh`).
    RunScript,
    /// Its name has `train` in it, and it is a file of data.
    TrainingData,
    /// It lies in a folder `cache` or `Cache`.
    Cache,
    /// Its name says that it is a model's checkpoint.
    Checkpoint,
    /// It lies in a folder `__pycache__`.
    Bytecode,
    /// It is a `report.json` of the archive's, which would be taken for the agent's.
    EarlierReport,
}

impl RemovalReason {
    /// The reason as a clause about the file.
    pub fn words(self) -> &'static str {
        match self {
            Self::Results => "is among the authors' results",
            Self::Instructions => "tells how the results are made",
            Self::Environment => "describes the environment",
            Self::RunScript => "runs the whole",
            Self::TrainingData => "is named as training data",
            Self::Cache => "lies in a cache",
            Self::Checkpoint => "is named as a checkpoint",
            Self::Bytecode => "lies in a folder of bytecode",
            Self::EarlierReport => "would be taken for the agent's report",
        }
    }
}

/// The name of the file that an agent reports in.
const REPORT: &str = "report.json";
/// Endings of training data, in small letters.
const DATA_ENDINGS: [&str; 6] = [".csv", ".txt", ".json", ".parquet", ".h5", ".hdf5"];

/// Decides on one file; `path` is relative to the capsule's top, with `/` between its parts.
pub fn decide(layout: Layout, level: Level, path: &str) -> FileDecision {
    let removal = match layout {
        Layout::Original | Layout::Inspect => at_the_top(level, path),
        Layout::Hal | Layout::V1_1 => anywhere(level, path),
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    let removal = removal.or_else(|| (name == REPORT).then_some(RemovalReason::EarlierReport));
    removal.map_or(FileDecision::Kept, FileDecision::Removed)
}

fn at_the_top(level: Level, path: &str) -> Option<RemovalReason> {
    if level != Level::Easy && path.starts_with("results/") {
        return Some(RemovalReason::Results);
    }
    if level == Level::Medium {
        return None;
    }
    match path {
        "REPRODUCING.md" => Some(RemovalReason::Instructions),
        "code/run" | "code/run.sh" => Some(RemovalReason::RunScript),
        path if path.starts_with("environment/") => Some(RemovalReason::Environment),
        _ => None,
    }
}

/// HAL compares `/root/environment/` and the path, with backslashes turned into slashes.
fn anywhere(level: Level, path: &str) -> Option<RemovalReason> {
    let path = format!("/root/environment/{}", path.replace('\\', "/"));
    if level == Level::Easy {
        return None;
    }
    if path.contains("/results/") {
        return Some(RemovalReason::Results);
    }
    if level == Level::Medium {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let is_data = DATA_ENDINGS.iter().any(|ending| name.ends_with(ending));
    let rules = [
        (path.ends_with("/REPRODUCING.md"), RemovalReason::Instructions),
        (
            path.contains("/environment/environment/"),
            RemovalReason::Environment,
        ),
        (
            path.ends_with("/code/run.sh") || path.ends_with("/code/run"),
            RemovalReason::RunScript,
        ),
        (name.contains("train") && is_data, RemovalReason::TrainingData),
        (
            path.contains("/cache/") || path.contains("/Cache/"),
            RemovalReason::Cache,
        ),
        (
            name.starts_with("checkpoint") || name.contains(".ckpt"),
            RemovalReason::Checkpoint,
        ),
        (path.contains("/__pycache__/"), RemovalReason::Bytecode),
    ];
    rules
        .into_iter()
        .find_map(|(holds, reason)| holds.then_some(reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use RemovalReason::{
        Bytecode, Cache, Checkpoint, EarlierReport, Environment, Instructions, Results, RunScript,
        TrainingData,
    };

    const ORIGINAL: [Layout; 2] = [Layout::Original, Layout::Inspect];
    const HAL: [Layout; 2] = [Layout::Hal, Layout::V1_1];

    /// The reasons at easy, medium and hard.
    type Cells = [Option<RemovalReason>; 3];
    const KEPT: Cells = [None, None, None];

    fn cells(layout: Layout, path: &str) -> Cells {
        Level::ALL.map(|level| match decide(layout, level, path) {
            FileDecision::Kept => None,
            FileDecision::Removed(reason) => Some(reason),
        })
    }

    #[test]
    fn every_cell_of_the_published_table_holds() {
        let results = [None, Some(Results), Some(Results)];
        let hard = |reason| [None, None, Some(reason)];
        let not_medium = |reason| [Some(reason), None, Some(reason)];
        let rows: [(&str, Cells, Cells); 41] = [
            ("results/a.csv", results, results),
            ("results/deep/a.csv", results, results),
            ("code/results/a.csv", KEPT, results),
            ("code/my_results/a.csv", KEPT, KEPT),
            ("code/results", KEPT, KEPT),
            ("results.csv", KEPT, KEPT),
            ("REPRODUCING.md", not_medium(Instructions), hard(Instructions)),
            ("code/REPRODUCING.md", KEPT, hard(Instructions)),
            ("reproducing.md", KEPT, KEPT),
            (
                "environment/Dockerfile",
                not_medium(Environment),
                hard(Environment),
            ),
            ("environment/a/b", not_medium(Environment), hard(Environment)),
            ("code/environment/Dockerfile", KEPT, KEPT),
            ("code/environment/environment/a", KEPT, hard(Environment)),
            ("code/run", not_medium(RunScript), hard(RunScript)),
            ("code/run.sh", not_medium(RunScript), hard(RunScript)),
            ("code/run.py", KEPT, KEPT),
            ("code/run/main.py", KEPT, KEPT),
            ("lib/code/run", KEPT, hard(RunScript)),
            ("lib/code/run.sh", KEPT, hard(RunScript)),
            ("run.sh", KEPT, KEPT),
            ("data/train.csv", KEPT, hard(TrainingData)),
            ("data/mTrainX.TXT", KEPT, hard(TrainingData)),
            ("data/x_train.json", KEPT, hard(TrainingData)),
            ("data/train.parquet", KEPT, hard(TrainingData)),
            ("data/train.h5", KEPT, hard(TrainingData)),
            ("data/constraints.hdf5", KEPT, hard(TrainingData)),
            ("data/train.npy", KEPT, KEPT),
            ("data/train/a.csv", KEPT, KEPT),
            ("code/train.py", KEPT, KEPT),
            ("data/cache/a", KEPT, hard(Cache)),
            ("Cache/a", KEPT, hard(Cache)),
            ("data/CACHE/a", KEPT, KEPT),
            ("data/cache", KEPT, KEPT),
            ("data/Checkpoint_9.pt", KEPT, hard(Checkpoint)),
            ("data/my_checkpoint.pt", KEPT, KEPT),
            ("checkpoints/a.pt", KEPT, KEPT),
            ("data/model.CKPT.index", KEPT, hard(Checkpoint)),
            ("code/__pycache__/a.pyc", KEPT, hard(Bytecode)),
            ("code/a.pyc", KEPT, KEPT),
            (
                "data/report.json",
                [Some(EarlierReport); 3],
                [Some(EarlierReport); 3],
            ),
            (
                "results/report.json",
                [Some(EarlierReport), Some(Results), Some(Results)],
                [Some(EarlierReport), Some(Results), Some(Results)],
            ),
        ];
        for (path, original, hal) in rows {
            for layout in ORIGINAL {
                assert_eq!(cells(layout, path), original, "{layout} {path}");
            }
            for layout in HAL {
                assert_eq!(cells(layout, path), hal, "{layout} {path}");
            }
        }
    }
}
