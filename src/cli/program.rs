//! The program: what its `main` does, with the tracks that it adds to the library's.

use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::app::program::Program;
use crate::app::tracks::Tracks;
use crate::cli::args::{CheckVerb, Cli, DoctorVerb, EnvVerb, ReplayVerb, ReportVerb, ShowVerb, Verb};
use crate::cli::capsule::verb as capsule;
use crate::cli::env::verb as env;
use crate::cli::exit::{Failure, Status};
use crate::cli::model::verb as model;
use crate::cli::notebook::verb as notebook;
use crate::cli::output::Printer;
use crate::cli::verb_or_sub::VerbOrSub::{Own, Sub};
use crate::cli::{
    agents, approve, bench, check, check_stats, clean, compare, completions, cost, doctor, dumps, export,
    ground, help, list, manual, new, old_names, preregister, probe_run, read, record, refresh_recordings,
    replay, report, rescue, resume, run, schema, score, show, verify,
};
use crate::documents::helper;
use crate::effects::track_parts::TrackParts;
use crate::sandbox::descriptors;
use crate::sandbox::docker::guard;
use crate::sandbox::local::helper::{entry, tell};
use crate::settings::Settings;

/// Carries the command line out, for a program that knows these tracks beside replication.
pub fn main(tracks: Vec<TrackParts>) -> ExitCode {
    dumps::switch_off();
    // The sandbox starts this program again to confine itself; that process
    // has one thread and sees nothing of what follows.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == tell::ARGUMENT)
    {
        return entry::main();
    }
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == guard::entry::ARGUMENT)
    {
        return guard::entry::main();
    }
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == helper::VERB)
    {
        return helper::serve(std::io::stdin().lock(), std::io::stdout().lock()).into();
    }
    descriptors::raise();
    let printer = Printer;
    let mut arguments = std::env::args_os().collect();
    match old_names::rewrite(&mut arguments) {
        Ok(None) => {}
        Ok(Some(note)) => printer.note(note),
        Err(failure) => {
            printer.failure(&failure);
            return failure.status.into();
        }
    }
    let matches = help::command().get_matches_from(arguments);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match carry_out(printer, cli.verb, tracks) {
        Ok(status) => status.into(),
        Err(failure) => {
            printer.failure(&failure);
            failure.status.into()
        }
    }
}

fn carry_out(printer: Printer, verb: Verb, tracks: Vec<TrackParts>) -> Result<Status, Failure> {
    let tracks = Tracks::new(tracks).map_err(|error| Failure::usage(error.to_string()))?;
    let settings = Settings::from_environment().map_err(|error| Failure::usage(error.to_string()))?;
    if let Some(filter) = &settings.log {
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .init();
    }
    let program = Program { settings, tracks };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(
                Status::Infrastructure,
                format!("no threads can be started: {error}"),
            )
        })?;
    let status = runtime.block_on(dispatch(&program, printer, verb));
    // A prompt that nobody answers must not hold the process.
    runtime.shutdown_background();
    status
}

async fn dispatch(program: &Program, printer: Printer, verb: Verb) -> Result<Status, Failure> {
    let settings = &program.settings;
    match verb {
        Verb::New(args) => new::new(settings, printer, args),
        Verb::Check(Own(args)) => check::check(settings, printer, &args),
        Verb::Check(Sub(CheckVerb::Stats(args))) => check_stats::check_stats(settings, printer, &args),
        Verb::Run(args) => run::run(program, printer, *args).await,
        Verb::Resume(args) => resume::resume(program, printer, args).await,
        Verb::Approve(args) => approve::approve(settings, printer, &args),
        Verb::Preregister(args) => preregister::preregister(printer, &args),
        Verb::List(args) => list::list(printer, &args),
        Verb::Show(Own(args)) => show::show(printer, &args),
        Verb::Show(Sub(ShowVerb::Cost(args))) => cost::cost(printer, &args),
        Verb::Show(Sub(ShowVerb::Verify(args))) => verify::verify(printer, &args),
        Verb::Report(Own(args)) => report::report(printer, &args),
        Verb::Report(Sub(ReportVerb::Ground(args))) => ground::ground(printer, &args),
        Verb::Compare(args) => compare::compare(printer, &args),
        Verb::Replay(Own(args)) => replay::replay(program, printer, args).await,
        Verb::Replay(Sub(ReplayVerb::Probe(args))) => probe_run::probe(settings, printer, args).await,
        Verb::Replay(Sub(ReplayVerb::Record(args))) => record::record(program, printer, &args),
        Verb::Replay(Sub(ReplayVerb::Refresh(args))) => {
            refresh_recordings::refresh_recordings(program, printer, args).await
        }
        Verb::Export(args) => export::export(printer, &args),
        Verb::Score(args) => score::verb::score(settings, printer, args).await,
        Verb::Bench(args) => bench::verb::bench(program, printer, args).await,
        Verb::Capsule(args) => capsule::capsule(program, printer, args).await,
        Verb::Notebook(args) => notebook::notebook(program, printer, args).await,
        Verb::Agents(args) => agents::agents(program, printer, args).await,
        Verb::Env(Own(args)) => env::env(settings, printer, &args).await,
        Verb::Env(Sub(EnvVerb::Rescue(args))) => rescue::rescue(printer, &args),
        Verb::Read(args) => read::read(settings, printer, &args),
        Verb::Doctor(Own(args)) => doctor::doctor(settings, printer, &args).await,
        Verb::Doctor(Sub(DoctorVerb::Model(args))) => model::model(settings, printer, args).await,
        Verb::Doctor(Sub(DoctorVerb::Schema(args))) => schema::schema(printer, &args),
        Verb::Doctor(Sub(DoctorVerb::Completions(args))) => {
            completions::completions(printer, &args, help::command())
        }
        Verb::Doctor(Sub(DoctorVerb::Manual(args))) => manual::manual(printer, &args, help::command()),
        Verb::Clean(args) => clean::clean(settings, printer, &args).await,
    }
}
