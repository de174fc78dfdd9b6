//! `reprise capsule make`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use walkdir::WalkDir;

use super::attempt_request::SessionLimits;
use crate::app;
use crate::app::capsule_maker::MadeCapsule;
use crate::app::program::Program;
use crate::capsule::candidates::{self, Candidate};
use crate::capsule::task_file::CapsuleId;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, printable};
use crate::cli::signals::until_stopped;
use crate::domain::execution::EnvironmentSpec;
use crate::scoring::released::capsule::interval::PredictionInterval;

/// The name of the file of candidates.
const CANDIDATES: &str = "candidates.json";

#[derive(Debug, Args)]
#[command(after_help = "\
First the code is laid out as a capsule below --out and executed several times, each with a hash seed, a number of \
threads and an order of files of its own; candidates.json lists the numbers that were printed on the same line each \
time, and the figures. A person writes a `question` beside those that are to be asked (and the answer of a figure into \
`values`); the same call with --questions then writes task.json and the prediction intervals.

Examples:
  reprise capsule make my-analysis --run 'python3 main.py' --out capsule --title 'My paper'
  reprise capsule make my-analysis --out capsule --questions capsule/candidates.json
  reprise capsule run capsule/task.json --model openai/gpt-5")]
pub struct MakeArgs {
    /// The folder of the code and data; what stands below its own `code/` and `data/` is taken as it is
    pub dir: PathBuf,
    /// The command that makes the results, from the folder of the code; it writes to ../results
    #[arg(long = "run", value_name = "CMD", required_unless_present = "questions")]
    pub command: Option<String>,
    /// The executions
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=20))]
    pub times: u32,
    /// The folder that is written
    #[arg(long, value_name = "DIR", default_value = "capsule")]
    pub out: PathBuf,
    /// The capsule's name
    #[arg(long, value_name = "ID", default_value = "capsule-0000001")]
    pub id: String,
    /// The title of the work
    #[arg(long, default_value = "")]
    pub title: String,
    /// The field of the work
    #[arg(long, default_value = "")]
    pub field: String,
    /// `Python` or `R` [default: R where the folder holds more R than Python]
    #[arg(long)]
    pub language: Option<String>,
    /// The task in words
    #[arg(long, default_value = "")]
    pub prompt: String,
    /// A file of candidates with questions: write the task file from it
    #[arg(long, value_name = "FILE")]
    pub questions: Option<PathBuf>,
    #[command(flatten)]
    pub session: SessionLimits,
    /// Print the candidates as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The file of candidates.
#[derive(Debug, Serialize, Deserialize)]
struct CandidateFile {
    capsule: String,
    title: String,
    field: String,
    language: String,
    prompt: String,
    executions: u32,
    candidates: Vec<Candidate>,
}

/// Makes a capsule.
///
/// # Errors
/// A folder that cannot be laid out, a command that fails, or questions that cannot be read.
pub async fn make(program: &Program, printer: Printer, args: MakeArgs) -> Result<Status, Failure> {
    if CapsuleId::parse(&args.id).is_none() {
        return Err(Failure::usage(format!(
            "--id {}: a capsule is named `capsule-` and seven digits",
            args.id
        )));
    }
    match &args.questions {
        Some(file) => ask(printer, &args, file),
        None => execute(program, printer, &args).await,
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> Failure + use<> {
    let path = path.to_owned();
    move |error| Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}

async fn execute(program: &Program, printer: Printer, args: &MakeArgs) -> Result<Status, Failure> {
    let command = args.command.as_deref().unwrap_or_default();
    let folder = args.out.join(&args.id);
    if folder.exists() {
        return Err(Failure::usage(format!(
            "{} is there already: remove it, or choose another --out",
            folder.display()
        )));
    }
    let language = args
        .language
        .clone()
        .unwrap_or_else(|| language(&args.dir).to_owned());
    lay_out(args, &folder, command, &language)?;
    let settings = &program.settings;
    let choice = app::sandboxes::settled(settings, args.session.sandbox).await;
    let sandbox = app::sandboxes::sandbox(settings, choice).await?;
    let is_r = language.eq_ignore_ascii_case("r");
    let environment = EnvironmentSpec {
        python: (!is_r).then(|| requirements(&args.dir)),
        r: is_r.then(Default::default),
        ..EnvironmentSpec::default()
    };
    let made = MadeCapsule {
        folder: &folder,
        command,
        sandbox: sandbox.as_ref(),
        environment: &environment,
        limits: args.session.limits(),
    };
    let broken = |error: app::capsule_maker::MakeError| Failure::new(Status::StageFailed, error.to_string());
    let (cancel, watcher) = until_stopped();
    let ready = made.prepare(&cancel).await.map_err(broken)?;
    let mut outputs = Vec::new();
    for number in 1..=args.times {
        let place = tempfile::tempdir().map_err(failed(&args.out))?;
        printer.note(format!("execution {number} of {}", args.times));
        let ended = made
            .execute(&ready, number, place.path(), &cancel)
            .await
            .map_err(broken)?;
        if number == 1 {
            copy(&ended.results, &folder.join("results"))?;
        }
        outputs.push(ended.outputs);
    }
    watcher.abort();
    let file = CandidateFile {
        capsule: args.id.clone(),
        title: args.title.clone(),
        field: args.field.clone(),
        language,
        prompt: match args.prompt.is_empty() {
            true => format!("Run `{command}` in the folder of the code."),
            false => args.prompt.clone(),
        },
        executions: args.times,
        candidates: candidates::find(&outputs),
    };
    let path = args.out.join(CANDIDATES);
    let text = serde_json::to_string_pretty(&file).map_err(|error| failed(&path)(error.into()))?;
    fs::write(&path, text).map_err(failed(&path))?;
    if args.json {
        printer.json(&file)?;
    } else {
        for one in &file.candidates {
            let place = one.line.map_or_else(String::new, |line| format!(":{line}"));
            let values = one.values.join(", ");
            let told = match (&one.text, one.varies) {
                (None, _) => "a figure".to_owned(),
                (Some(text), true) => format!("{} ({values}: varies)", text.trim()),
                (Some(text), false) => format!("{} ({}: exact)", text.trim(), one.values[0]),
            };
            printer.line(printable(&format!("{}{place} {told}", one.file)));
        }
        printer.line(format!(
            "{} candidates: write a `question` beside those that are to be asked in {}, then call with --questions {}",
            file.candidates.len(),
            path.display(),
            path.display()
        ));
    }
    Ok(Status::Done)
}

/// Lays the folder out as a capsule.
fn lay_out(args: &MakeArgs, folder: &Path, command: &str, language: &str) -> Result<(), Failure> {
    for below in ["code", "data", "environment", "results"] {
        let below = folder.join(below);
        fs::create_dir_all(&below).map_err(failed(&below))?;
    }
    let has_code = args.dir.join("code").is_dir();
    copy(
        &args.dir,
        &if has_code {
            folder.to_owned()
        } else {
            folder.join("code")
        },
    )?;
    let image = match language.eq_ignore_ascii_case("r") {
        true => "r-base:4.2.2",
        false => "python:3.11-slim",
    };
    let pip = requirements(&args.dir);
    let mut dockerfile = format!("FROM {image}\n");
    if !pip.is_empty() {
        dockerfile.push_str(&format!("\nRUN pip install --no-cache-dir {}\n", pip.join(" ")));
    }
    dockerfile.push_str("\nWORKDIR /code\n");
    for (name, text) in [
        ("environment/Dockerfile", dockerfile),
        ("code/run", format!("#!/usr/bin/env bash\nset -e\n{command}\n")),
        (
            "REPRODUCING.md",
            "# How this capsule is run\n\n    cd code\n    bash run\n\nResults are written to `results/`.\n"
                .to_owned(),
        ),
    ] {
        let path = folder.join(name);
        if !path.exists() {
            fs::write(&path, text).map_err(failed(&path))?;
        }
    }
    Ok(())
}

/// Copies files and folders; links, hidden files and former results are left out.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let is_taken = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0
            || !(name.starts_with('.') || name == "__pycache__" || (entry.depth() == 1 && name == "results"))
    };
    for entry in WalkDir::new(from)
        .follow_links(false)
        .into_iter()
        .filter_entry(is_taken)
    {
        let entry = entry.map_err(|error| Failure::usage(error.to_string()))?;
        let below = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
        if entry.file_type().is_dir() {
            fs::create_dir_all(&below).map_err(failed(&below))?;
        } else if entry.file_type().is_file() {
            fs::copy(entry.path(), &below).map_err(failed(entry.path()))?;
        }
    }
    Ok(())
}

fn language(dir: &Path) -> &'static str {
    let count = |endings: &[&str]| {
        let files = WalkDir::new(dir).into_iter().flatten();
        let ending =
            |entry: &walkdir::DirEntry| entry.path().extension().map(|found| found.to_ascii_lowercase());
        files
            .filter(|entry| ending(entry).is_some_and(|found| endings.iter().any(|one| found == *one)))
            .count()
    };
    if count(&["r", "rmd"]) > count(&["py", "ipynb"]) {
        "R"
    } else {
        "Python"
    }
}

/// The lines of requirements.txt, where there is one.
fn requirements(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("requirements.txt"))
        .or_else(|_| fs::read_to_string(dir.join("code/requirements.txt")))
        .unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('-'))
        .map(str::to_owned)
        .collect()
}

/// Writes the task file from candidates with questions.
fn ask(printer: Printer, args: &MakeArgs, path: &Path) -> Result<Status, Failure> {
    let text = fs::read_to_string(path).map_err(failed(path))?;
    let file: CandidateFile = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let asked: Vec<&Candidate> = file
        .candidates
        .iter()
        .filter(|one| !one.question.trim().is_empty())
        .collect();
    if asked.is_empty() {
        return Err(Failure::usage(format!(
            "{}: no candidate has a `question`: write one beside each that is to be asked",
            path.display()
        )));
    }
    let mut runs = vec![Map::new(); file.executions as usize];
    let mut intervals = Vec::new();
    for one in &asked {
        let question = question(one);
        if runs[0].contains_key(&question) {
            return Err(Failure::usage(format!(
                "{}: two candidates have the question `{question}`",
                path.display()
            )));
        }
        let mut numbers = Vec::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let printed = one
                .values
                .get(number)
                .or(one.values.last())
                .map_or("", String::as_str);
            if printed.is_empty() {
                return Err(Failure::usage(format!(
                    "{}: `{question}` has no answer: write it into `values`",
                    path.display()
                )));
            }
            let value = value(printed);
            numbers.extend(value.as_f64());
            run.insert(question.clone(), value);
        }
        if numbers.len() == runs.len() {
            let interval = PredictionInterval::new(&numbers);
            intervals.push(json!({
                "question": question, "lower": interval.lower, "upper": interval.upper, "exact": !one.varies,
            }));
        }
    }
    let task = json!([{
        "field": file.field, "language": file.language, "capsule_title": file.title, "capsule_id": file.capsule,
        "task_prompt": file.prompt, "results": runs, "capsule_doi": "",
    }]);
    for (name, value) in [("task.json", &task), ("intervals.json", &json!(intervals))] {
        let path = args.out.join(name);
        let text = serde_json::to_string_pretty(value).map_err(|error| failed(&path)(error.into()))?;
        fs::write(&path, format!("{text}\n")).map_err(failed(&path))?;
    }
    printer.line(format!(
        "{}: {} questions; their prediction intervals are in {}",
        args.out.join("task.json").display(),
        asked.len(),
        args.out.join("intervals.json").display()
    ));
    Ok(Status::Done)
}

/// The text of a question; one about a figure says so, as graders look for it.
fn question(one: &Candidate) -> String {
    let text = one.question.trim();
    match one.line {
        None if !text.contains("fig") => format!("fig {text}"),
        _ => text.to_owned(),
    }
}

/// A number as it was printed, else a text.
fn value(printed: &str) -> Value {
    let plain = printed.trim_start_matches('+');
    serde_json::from_str::<serde_json::Number>(plain).map_or_else(|_| json!(printed), Value::Number)
}
