//! `reprise capsule make`.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::make_questions::{CandidateFile, ask, failed};
use crate::app;
use crate::app::capsule_maker::error::MakeError;
use crate::app::capsule_maker::execution::{MadeCapsule, SEED, seeded};
use crate::app::capsule_maker::folder::{OwnCode, keep_results, main_language};
use crate::app::program::Program;
use crate::capsule::candidates;
use crate::capsule::task_file::CapsuleId;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, printable};
use crate::cli::session_args::SessionLimits;
use crate::cli::signals::until_stopped;

/// The name of the file of candidates.
const CANDIDATES: &str = "candidates.json";

#[derive(Debug, Args)]
#[command(after_help = "\
First the code is laid out as a capsule below --out and executed several times, each with a hash seed, a number of \
threads and an order of files of its own, and another number in the place of {seed} in the command; candidates.json lists the numbers that were printed on the same line each \
time, and the figures. A person writes a `question` beside those that are to be asked (and the answer of a figure into \
`values`); the same call with --questions then writes task.json and the prediction intervals.

Examples:
  reprise capsule make my-analysis --run 'python3 main.py' --out capsule --title 'My paper'
  reprise capsule make my-analysis --run 'Rscript main.R --seed {seed}' --times 5 --out capsule
  reprise capsule make my-analysis --out capsule --questions capsule/candidates.json
  reprise capsule run capsule/task.json --model openai/gpt-5")]
pub struct MakeArgs {
    /// The folder of the code and data; what stands below its own `code/` and `data/` is taken as it is
    pub dir: PathBuf,
    /// The command that makes the results, from the folder of the code; it writes to ../results, and `{seed}` in
    /// it is another number in each execution
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
        Some(file) => ask(printer, &args.out, file),
        None => execute(program, printer, &args).await,
    }
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
        .unwrap_or_else(|| main_language(&args.dir).to_owned());
    // Whoever runs the capsule runs it as the first execution did.
    let first = seeded(command, 1);
    let own = OwnCode {
        dir: &args.dir,
        command: &first,
        language: &language,
    };
    let unwritten = |error: MakeError| Failure::new(Status::Infrastructure, error.to_string());
    let broken = |error: MakeError| Failure::new(Status::StageFailed, error.to_string());
    own.lay_out(&folder).map_err(unwritten)?;
    let settings = &program.settings;
    let choice = app::sandboxes::settled(settings, args.session.sandbox).await;
    let sandbox = app::sandboxes::sandbox(settings, choice).await?;
    let environment = own.environment();
    let made = MadeCapsule {
        folder: &folder,
        command,
        sandbox: sandbox.as_ref(),
        environment: &environment,
        limits: args.session.limits(),
    };
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
            keep_results(&folder, &ended).map_err(unwritten)?;
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
            true if command.contains(SEED) => format!(
                "Run `{}` in the folder of the code, with any whole number as NUMBER.",
                command.replace(SEED, "NUMBER")
            ),
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
