//! Errors of files that were named and cannot be scored.

use std::io;
use std::path::PathBuf;

use crate::engine::error::EngineError;
use crate::scoring::agreement::table::OffScale;
use crate::scoring::url_match::files::BadFile;

/// A fault of a place or a file that the command line names.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryError {
    #[error("{path} cannot be read: {source}. Name a file that exists.", path = .path.display())]
    UnreadableFile { path: PathBuf, source: io::Error },
    #[error("{path} cannot be read: {source}. Name a folder that can.", path = .path.display())]
    UnreadableFolder { path: PathBuf, source: io::Error },
    #[error(
        "{dir} holds no run: none of its folders has a run.json; `reprise run STUDY --out DIR` makes one",
        dir = .0.display()
    )]
    NoRun(PathBuf),
    #[error(
        "{dir} holds no run of reprise, but released results ({file}): `reprise score outcome {dir} --labels FILE` \
         compares their verdicts, `reprise score summary {dir}` sums up gradings, `reprise score failures {dir}` \
         counts failures, and `reprise score search` takes files of predictions",
        dir = .dir.display()
    )]
    ReleasedResults { dir: PathBuf, file: String },
    #[error("{dir} holds neither a run nor an {artifact}", dir = .dir.display())]
    NoInterpretation { dir: PathBuf, artifact: &'static str },
    #[error(
        "{path}: {source}; answers are a JSON list of {{\"study\": \"1\", \"model\": \"m\", \"answer\": \"Yes. ...\"}}",
        path = .path.display()
    )]
    Answers {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error(
        "{path}: {why}; labels are a JSON object such as {{\"duncan-1961\": \"met\"}}",
        path = .path.display()
    )]
    Labels { path: PathBuf, why: String },
    #[error("{dir} holds neither a run nor an execution log (`execute*.log`)", dir = .0.display())]
    NoLog(PathBuf),
    #[error(
        "{path} is no agent's log: it has no `--- Turn` and no line that begins with a time such as \
         `2026-02-03 21:13:24,820 - `. Give an execution log, or a run.",
        path = .0.display()
    )]
    NotALog(PathBuf),
    #[error(
        "{dir} is not a folder: give one that holds gradings such as {file}",
        dir = .dir.display()
    )]
    NotAFolder { dir: PathBuf, file: &'static str },
    #[error(
        "{dir} holds no grading: none of the files {files} is in it or below it",
        dir = .dir.display()
    )]
    NoGrading { dir: PathBuf, files: String },
    #[error(
        "give two gradings (files, folders, or a person's table beside one of these), or one folder and the two \
         judges below it with `--judges A,B`; `--judges A` says whose gradings a table is compared with"
    )]
    NotTwoGradings,
    #[error("{path}: {why}", path = .path.display())]
    Sheet { path: PathBuf, why: String },
    #[error(
        "{dir} holds gradings of {judges}: say which is compared with `--judges`",
        dir = .dir.display()
    )]
    SeveralJudges { dir: PathBuf, judges: String },
    #[error(transparent)]
    OffScale(#[from] OffScale),
    #[error("{path}: {source}", path = .path.display())]
    SearchFile { path: PathBuf, source: BadFile },
    #[error(
        "no prediction is of a case of {gold}, so nothing can be scored: the `id` of a prediction is that of its \
         case",
        gold = .0.display()
    )]
    NoCase(PathBuf),
    #[error(
        "{path} holds no prediction: give records such as {{\"id\": 1, \"result\": {{\"urls\": []}}}}, or a run's \
         search_results.json",
        path = .0.display()
    )]
    NoPrediction(PathBuf),
    #[error(
        "{run} is a run without {results}: its search stage gave no answer that could be read",
        run = .run.display(),
        results = .results.display()
    )]
    NoSearchResults { run: PathBuf, results: PathBuf },
    #[error(
        "{dir} holds no `.jsonl` file and is no run: give files of predictions, a folder of them, or a run",
        dir = .0.display()
    )]
    NoPredictionFile(PathBuf),
    #[error(
        "{file} is a run's search results and does not say of which study: leave it in its run's folder beside \
         run.json, or give a gold set of one case",
        file = .0.display()
    )]
    UnknownStudy(PathBuf),
    #[error(transparent)]
    Engine(#[from] EngineError),
}
