//! `reprise score review`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::bench_folder::BenchFolder;
use super::bench_plan::CellPlan;
use super::exit::{Failure, Status};
use super::judge_args::JudgeArgs;
use super::opened_runs::OpenedRuns;
use super::outcome;
use super::output::{Printer, paint, printable, styled};
use super::runs_at_once::run_row::{RunResult, RunRow};
use super::signals::until_stopped;
use crate::analysis::bench::reviews::{ReviewFigures, ReviewedCell, figures};
use crate::app::judges::Judges;
use crate::app::process_shared::ProcessShared;
use crate::catalog::rubrics::trace_rubric::TraceRubric;
use crate::domain::usage::MicroDollars;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::grading::judge::family::kinship;
use crate::grading::judge::grade::GradedBy;
use crate::grading::review::reviewer::Reviewing;
use crate::grading::review::trace_review::{ReviewedRun, TraceReview};
use crate::grading::scored_run::grading_request::GradingRequest;
use crate::grading::scored_run::judge_grading::Judge;
use crate::report::audit::audit;
use crate::report::review_facts::facts;
use crate::settings::Settings;

#[derive(Debug, Args)]
#[command(after_help = "\
A judge fills in closed fields from a run's conversation: where answers come from, what stood in the way, what became of \
it, whether answers were checked, the course of the attempt. It is shown neither grade nor reference. What code knows is \
not asked: whether an answer was handed in, obstacles with typed causes. Values outside the closed ones, fields that do \
not fit one another and citations of blocks that were not shown are sent back, and left without a value where they stay. \
A field has the value of most repeats. The judge's own `label` decides nothing: the grade does.

Each review is in reviews/JUDGE/review.json of its run; what judges answered is kept there, and asked once. The reviews of \
a bench's cells stand on its page. Without --judge, what code knows is written alone.

Examples:
  reprise score review RUN
  reprise score review bench/ --judge openai/gpt-5 --repeats 5
  reprise score review runs/ --rubric my-rubric/ --judge anthropic/claude-sonnet-4-5 --judge-dollars 0.50 --json
  reprise score review bench/ --judge openai/gpt-5 --records rubric.json")]
pub struct ReviewArgs {
    /// Runs, folders that hold some, or folders of benches
    #[arg(required = true, value_name = "RUN")]
    pub dirs: Vec<PathBuf>,
    /// A folder whose rubric takes the place of the built-in one, laid out as `rubrics/trace`.
    #[arg(long, value_name = "FOLDER")]
    pub rubric: Option<PathBuf>,
    /// A model that reviews, or `recorded:FILE`; may be given again
    #[arg(long, value_name = "MODEL")]
    pub judge: Vec<String>,
    /// How often each judge reviews the same, each time with the values in another order.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=25))]
    pub repeats: u32,
    #[command(flatten)]
    pub asking: JudgeArgs,
    /// Write the reviews in the form of CORE-Bench's analysis of logs, as a JSON list.
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Print the reviews and their figures as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The reviews that were made, as far as it got.
#[derive(Default)]
struct Reviewed {
    reviews: Vec<TraceReview>,
    cells: Vec<ReviewedCell>,
    problems: Vec<String>,
    /// Judges that were called and never answered.
    silent: BTreeSet<String>,
}

/// Reviews the conversations of runs by code and by judges.
///
/// # Errors
/// Folders without a run, a rubric or a judge that cannot be used, or a file that cannot be written.
pub async fn review(settings: &Settings, printer: Printer, args: &ReviewArgs) -> Result<Status, Failure> {
    let rubric = TraceRubric::load(args.rubric.as_deref()).map_err(EngineError::from)?;
    let shared = ProcessShared::default();
    let reviewer = Reviewer {
        judges: Judges {
            settings,
            shared: &shared,
        },
        reviewing: Reviewing {
            rubric: &rubric,
            repeats: args.repeats,
            seed: args.asking.judge_seed.unwrap_or_default(),
        },
        request: GradingRequest {
            judges: args.judge.clone(),
            repeats: args.repeats,
            seed: args.asking.judge_seed,
            temperature: args.asking.judge_temperature,
            caps: args.asking.caps()?,
            ..GradingRequest::default()
        },
    };
    let mut reviewed = Reviewed::default();
    let (cancel, watcher) = until_stopped();
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        ended = all(&reviewer, &args.dirs, &mut reviewed) => Some(ended),
    };
    watcher.abort();
    let Some(ended) = ended else {
        printer.note(format!(
            "Stopped after {} reviews. What judges have answered is kept in reviews/ of each run: the same command goes on \
             from there, and asks nothing twice.",
            reviewed.reviews.len()
        ));
        return Ok(Status::Interrupted);
    };
    ended?;
    told(printer, args, &reviewed)
}

/// Reviews every run of some folders, and writes the pages of benches among them.
async fn all(reviewer: &Reviewer<'_>, dirs: &[PathBuf], reviewed: &mut Reviewed) -> Result<(), Failure> {
    for dir in dirs {
        let opened = OpenedRuns::new(std::slice::from_ref(dir))?;
        let mut cells = Vec::new();
        for run in &opened.runs {
            // What code knows waits for nothing, and a signal is looked for here.
            tokio::task::yield_now().await;
            let cell = opened.cells.get(run.folder.path());
            let name = cell.map_or_else(|| run.request.run.to_string(), |cell| cell.cell.clone());
            for review in reviewer.run(run, reviewed).await? {
                let agent = cell.map_or(review.agent.as_str(), |cell| cell.agent.as_str());
                cells.push(review.cell(&name, agent));
                reviewed.reviews.push(review);
            }
        }
        if !opened.cells.is_empty() {
            onto_page(dir, cells.clone())?;
        }
        reviewed.cells.extend(cells);
    }
    Ok(())
}

/// Adds reviews to a bench, and writes its page anew.
fn onto_page(dir: &Path, reviews: Vec<ReviewedCell>) -> Result<(), Failure> {
    let bench = BenchFolder(dir);
    bench.add_reviews(reviews)?;
    let plan = bench.own_plan()?;
    bench.write_page(&plan, &bench.results(&plan)?)
}

/// The reviewing of runs, one after the other.
struct Reviewer<'a> {
    judges: Judges<'a>,
    reviewing: Reviewing<'a>,
    request: GradingRequest,
}

impl Reviewer<'_> {
    /// The reviews of a run: one a judge, or one by code alone. A judge that cannot be asked for one
    /// run is a problem of that run.
    async fn run(&self, run: &RunReader, reviewed: &mut Reviewed) -> Result<Vec<TraceReview>, Failure> {
        let place = run.folder.path().display();
        if !run.state.is_finished() && run.state.halted.is_none() {
            reviewed
                .problems
                .push(format!("{place}: it is not over, and left out"));
            return Ok(Vec::new());
        }
        let of = reviewed_run(run);
        let facts = facts(run, &audit(run)?, of.success);
        if self.request.judges.is_empty() {
            return Ok(vec![self.reviewing.review(run, of, &facts, None).await?]);
        }
        let mut reviews = Vec::new();
        let named: BTreeSet<&String> = self.request.judges.iter().collect();
        for name in named {
            reviewed
                .problems
                .extend(kinship(name, &of.agent).map(|kin| format!("{place}: {kin}")));
            let judge = Judge::open(&self.judges, &self.request, name, &run.request.study)?;
            let review = self
                .reviewing
                .review(run, of.clone(), &facts, Some(judge))
                .await?;
            if review.cost.calls == 0 && review.cost.failed > 0 {
                let why = review.cost.fault.as_deref().unwrap_or("no reason was given");
                reviewed
                    .problems
                    .push(format!("{place}: {name} answered none of its calls ({why})"));
                reviewed.silent.insert(name.clone());
            }
            reviews.push(review);
        }
        Ok(reviews)
    }
}

fn reviewed_run(run: &RunReader) -> ReviewedRun {
    let started = run.state.started.as_ref();
    let status = outcome::ended(&run.state);
    let row = RunRow::new(
        String::new(),
        run.folder.path().to_owned(),
        RunResult::of(run),
        status,
        true,
    );
    ReviewedRun {
        run: run.request.run.to_string(),
        task: started.map_or_else(String::new, |started| started.study.clone()),
        track: run.state.track().track.clone(),
        agent: run.state.model().unwrap_or_default(),
        success: CellPlan::result(&row).is_success(),
    }
}

fn told(printer: Printer, args: &ReviewArgs, reviewed: &Reviewed) -> Result<Status, Failure> {
    for problem in &reviewed.problems {
        printer.note(printable(problem));
    }
    if reviewed.reviews.is_empty() {
        return Err(Failure::usage("no run could be reviewed".to_owned()));
    }
    let figures = figures(&reviewed.cells);
    if let Some(path) = &args.records {
        let records: Vec<Value> = reviewed.reviews.iter().map(TraceReview::record).collect();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let text = format!("{:#}\n", json!(records));
        atomic_file::replace(path, text.as_bytes(), folder.unwrap_or(Path::new(".")))?;
    }
    let status = match reviewed.silent.is_empty() {
        true => Status::Done,
        false => Status::Infrastructure,
    };
    if args.json {
        printer.json(&json!({
            "format": "reprise-reviews/1",
            "reviews": reviewed.reviews,
            "figures": figures,
            "problems": reviewed.problems,
        }))?;
        return Ok(status);
    }
    for one in &reviewed.reviews {
        tell(printer, one);
    }
    for one in &figures {
        summed(printer, one);
    }
    Ok(status)
}

fn tell(printer: Printer, one: &TraceReview) {
    let coverage = one.coverage();
    let result = match one.success {
        Some(true) => "success",
        Some(false) => "no success",
        None => "counts as nothing",
    };
    printer.line(format!(
        "{} ({}) by {}: {result}; {} of {} fields{}",
        styled(paint::STRONG, printable(&one.run)),
        printable(&one.task),
        printable(&one.judge),
        coverage.hits,
        coverage.of,
        one.agreement().map_or_else(String::new, |share| format!(
            ", repeats alike in {:.0} % of pairs",
            100.0 * share
        )),
    ));
    for field in &one.fields {
        let by = match field.by {
            GradedBy::Code => " (code)",
            GradedBy::Judge => "",
        };
        let value = field.value.as_deref().unwrap_or("no value");
        let why = field
            .why
            .as_ref()
            .map_or_else(String::new, |why| format!(": {why}"));
        printer.line(printable(&format!("  {} {value}{by}{why}", field.field)));
    }
    if let Some(text) = &one.explanation {
        printer.line(printable(&format!("  {}", text.replace('\n', " "))));
    }
    if let Some(money) = one.cost.money.filter(|money| *money > MicroDollars(0)) {
        printer.line(format!("  {money} for {} calls", one.cost.calls));
    }
}

fn summed(printer: Printer, one: &ReviewFigures) {
    printer.line(format!("{}, {} runs:", printable(&one.judge), one.cells));
    for row in &one.by_resolution {
        printer.line(format!(
            "  {} {} of {} succeed{}",
            printable(&row.value),
            row.success.count.hits,
            row.success.count.of,
            row.success.interval.map_or_else(String::new, |interval| format!(
                " (95 % interval {:.3} to {:.3})",
                interval.lower, interval.upper
            )),
        ));
    }
    for field in &one.fields {
        if let Some(alike) = field.agreement {
            let alpha = field
                .alpha
                .map_or_else(|| "not defined".to_owned(), |alpha| format!("{alpha:.3}"));
            printer.line(format!(
                "  {}: {alike:.3} of pairs of repeats alike, alpha {alpha}",
                printable(&field.field)
            ));
        }
    }
    if let Some(wrong) = one.wrong_guesses {
        printer.line(format!(
            "  its guess at the result is not the grade's in {} of {} runs",
            wrong.count.hits, wrong.count.of
        ));
    }
}
