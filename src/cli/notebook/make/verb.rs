//! `reprise notebook make`.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line};
use crate::notebook::history::step::{NotebookStep, StepContent};
use crate::notebook::task_file::NotebookTaskFile;
use crate::scoring::notebook::grade::{NotebookGrade, grade};
use crate::scoring::notebook::metric::MetricScore;
use crate::scoring::notebook::mode::GradingMode;

use super::args::MakeArgs;
use super::draft::drafted;
use super::folder::MadeFolder;
use super::proposal::{Proposal, RecordPlace};
use super::runs::{TaskRuns, WantedRun, output, solved};
use super::values::{self, AgreedAnswer, PrintedValue, ValueFault};

/// The most landmarks that are made of the lines of values.
const MOST_LANDMARKS: usize = 5;

/// A task that was made.
#[derive(Debug, Serialize)]
struct MadeTask {
    format: &'static str,
    id: String,
    tasks: String,
    #[serde(flatten)]
    agreed: AgreedAnswer,
    landmarks: Vec<String>,
    entry_point: Option<String>,
    /// The values of each run, in the order of the answer.
    runs: Vec<Vec<PrintedValue>>,
    /// What a person has to know, a sentence each.
    notes: Vec<String>,
}

/// Makes a task.
///
/// # Errors
/// A repository or a solution that cannot be used, or runs that do not agree.
pub async fn make(program: &Program, printer: Printer, args: &MakeArgs) -> Result<Status, Failure> {
    let by_person = match &args.model {
        None => Some(Proposal::by_person(args)?),
        Some(_) => None,
    };
    let id = match &args.id {
        Some(id) => id.clone(),
        None => name_of(&args.repo),
    };
    let address = match &args.address {
        Some(address) => address.clone(),
        None => format!("https://example.org/own/{}", name_of(&args.repo)),
    };
    let folder = MadeFolder::create(&args.out, &args.repo, address)?;
    let runs = TaskRuns {
        program,
        printer,
        args,
    };
    let mut proposal = match (by_person, &args.model) {
        (Some(proposal), _) => proposal,
        (None, model) => drafted(&runs, &folder, args, model.as_deref().unwrap_or_default()).await?,
    };
    let place = RecordPlace {
        id: &id,
        address: &folder.address,
        commit: folder.commit.as_deref(),
    };
    MadeFolder::write_task(&folder.tasks(), &proposal.record(&place, None))?;
    folder.write_solution(&proposal.cells)?;
    let mut solutions = Vec::new();
    for number in 1..=args.times {
        let session = runs
            .made(WantedRun {
                what: format!("run {number} of {}", args.times),
                tasks: &folder.tasks(),
                repositories: &folder.repositories(),
                model: format!("scripted:{}", folder.solution().display()),
                out: folder.run(number),
                record: (number == args.times).then(|| folder.recording(&id)),
                is_solution: true,
            })
            .await?;
        solutions.push(solved(number, &session)?);
    }
    let refused = |fault: ValueFault| Failure::new(Status::StageFailed, fault.to_string());
    let outputs: Vec<String> = solutions.iter().map(|steps| output(steps)).collect();
    let printed = values::printed(&proposal.values, &outputs).map_err(refused)?;
    let agreed = values::agreed(&proposal.values, &printed).map_err(refused)?;
    if proposal.landmarks.is_empty() {
        proposal.landmarks = of_lines(&printed);
    }
    let mut notes = folder.left_out.clone();
    if let Some(tolerance) = agreed.tolerance {
        notes.push(format!(
            "The runs differ: `gold` takes numbers within {tolerance} of the answer, as a share of it; `published` takes 0.01."
        ));
    }
    let held = HeldTask {
        place: &place,
        agreed: &agreed,
        solutions: &solutions,
    };
    if let Some(note) = held.hold(&mut proposal)? {
        notes.push(note);
    }
    MadeFolder::write_task(&folder.tasks(), &proposal.record(&place, Some(&agreed)))?;
    folder.answer_recording(&id, &json!(agreed.answer))?;
    tell(
        printer,
        args,
        &MadeTask {
            format: "reprise-notebook-make/1",
            id: id.clone(),
            tasks: folder.tasks().display().to_string(),
            agreed,
            landmarks: proposal.landmarks,
            entry_point: proposal.entry_point,
            runs: printed,
            notes,
        },
    )
}

/// A name of a folder that may stand in an address and as a task's.
fn name_of(folder: &Path) -> String {
    let name = folder.canonicalize().ok();
    let name = name.as_deref().unwrap_or(folder).file_name();
    let name = name.and_then(|name| name.to_str()).unwrap_or("task");
    let plain: String = name
        .trim_end_matches(".git")
        .chars()
        .map(|one| {
            if one.is_ascii_alphanumeric() || matches!(one, '-' | '_') {
                one
            } else {
                '-'
            }
        })
        .collect();
    match plain.trim_matches('-') {
        "" => "task".to_owned(),
        plain => plain.to_owned(),
    }
}

/// Landmarks of the lines that values stand in, with every number free; one a line.
fn of_lines(runs: &[Vec<PrintedValue>]) -> Vec<String> {
    let mut landmarks: Vec<String> = Vec::new();
    for value in runs.first().into_iter().flatten() {
        let mut landmark = String::new();
        let mut is_number = false;
        for one in value.line.trim().chars() {
            match one.is_ascii_digit() {
                true if !is_number => landmark.push_str("[0-9]+"),
                true => {}
                false => landmark.push_str(&regex::escape(one.encode_utf8(&mut [0; 4]))),
            }
            is_number = one.is_ascii_digit();
        }
        if !landmark.is_empty() && !landmarks.contains(&landmark) && landmarks.len() < MOST_LANDMARKS {
            landmarks.push(landmark);
        }
    }
    landmarks
}

/// A task held to the runs of its own solution.
struct HeldTask<'a> {
    place: &'a RecordPlace<'a>,
    agreed: &'a AgreedAnswer,
    solutions: &'a [Vec<NotebookStep>],
}

impl HeldTask<'_> {
    /// Holds every run, with the answer submitted, to the gold; a script that was not run long enough is
    /// left out, with the reason.
    fn hold(&self, proposal: &mut Proposal) -> Result<Option<String>, Failure> {
        let mut note = None;
        for number in 1..=self.solutions.len() {
            let graded = self.graded(proposal, number - 1)?;
            let refuse = |what: &str, score: &MetricScore| {
                let why = match score {
                    MetricScore::Scored(share) => format!("{share:.3} of them"),
                    MetricScore::Unscored(reason) => reason.words(),
                };
                Err(Failure::new(
                    Status::StageFailed,
                    format!("run {number} is not held to the task's own gold: {what}: {why}"),
                ))
            };
            if graded.output_match.value() != Some(1.0) {
                return refuse("the values of the answer", &graded.output_match);
            }
            if graded.landmarks.value() != Some(1.0) {
                return refuse("the landmarks", &graded.landmarks);
            }
            if let Some(script) = &proposal.entry_point
                && graded.entry_point.value() != Some(1.0)
            {
                note = Some(format!(
                    "The script {} is left out of the task: in run {number} no cell ran it for ten seconds or more to a good end, \
                     so that nobody could be scored for it.",
                    one_line(script)
                ));
            }
        }
        if note.is_some() {
            proposal.entry_point = None;
        }
        Ok(note)
    }

    fn graded(&self, proposal: &Proposal, run: usize) -> Result<NotebookGrade, Failure> {
        let record = proposal.record(self.place, Some(self.agreed)).to_string();
        let file = NotebookTaskFile::parse("tasks.jsonl", &record)
            .map_err(|error| Failure::new(Status::StageFailed, error.to_string()))?;
        let mut steps = self.solutions[run].clone();
        if let Some(last) = steps.last_mut() {
            last.content = Some(StepContent::Json(json!(self.agreed.answer).to_string()));
        }
        let Some(task) = file.tasks.first() else {
            return Err(Failure::new(
                Status::Infrastructure,
                "the task is gone".to_owned(),
            ));
        };
        Ok(grade(&task.gold, &steps, GradingMode::Gold { relative: None }))
    }
}

fn tell(printer: Printer, args: &MakeArgs, made: &MadeTask) -> Result<Status, Failure> {
    if args.json {
        printer.json(made)?;
        return Ok(Status::Done);
    }
    for (index, (name, answer)) in made.agreed.answer.iter().enumerate() {
        let values: Vec<&Value> = made
            .runs
            .iter()
            .filter_map(|run| Some(&run.get(index)?.value))
            .collect();
        let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        printer.line(one_line(&format!("{name} = {answer} ({})", values.join(", "))));
    }
    for landmark in &made.landmarks {
        printer.line(one_line(&format!("landmark {landmark}")));
    }
    if let Some(script) = &made.entry_point {
        printer.line(one_line(&format!("script {script}")));
    }
    for note in &made.notes {
        printer.line(one_line(note));
    }
    printer.line(one_line(&format!(
        "`reprise notebook run {} --model ...` attempts it; without --model its own solution does",
        made.tasks
    )));
    Ok(Status::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landmarks_are_the_lines_of_values_with_free_numbers() {
        let value = |line: &str| PrintedValue {
            value: json!(1),
            line: line.to_owned(),
        };
        let run = vec![
            value(" test error 0.3157 (n=20)"),
            value("test error 0.9 (n=3)"),
            value(""),
        ];
        assert_eq!(of_lines(&[run]), [r"test error [0-9]+\.[0-9]+ \(n=[0-9]+\)"]);
        assert_eq!(name_of(Path::new("/tmp/some repo.git")), "some-repo");
        assert_eq!(name_of(Path::new("/")), "task");
    }
}
