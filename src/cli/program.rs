//! The program: what its `main` does, with the tracks that it adds to the library's.

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::app::program::Program;
use crate::app::tracks::Tracks;
use crate::cli::args::{Cli, Verb};
use crate::cli::capsule::verb as capsule;
use crate::cli::env::verb as env;
use crate::cli::exit::{Failure, Status};
use crate::cli::mcp::verb as mcp;
use crate::cli::model::verb as model;
use crate::cli::notebook::verb as notebook;
use crate::cli::output::Printer;
use crate::cli::{
    agents, approve, audit, batch, bench, check, check_stats, clean, compare, completions, cost, data,
    doctor, dumps, export, ground, list, manual, new, preregister, probe_run, read, record,
    refresh_recordings, replay, report, rescue, resume, review, run, schema, score, show, uplift, verify,
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
    let cli = Cli::parse();
    let printer = Printer;
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
    let settings = &program.settings;
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
    let status = runtime.block_on(async {
        match verb {
            Verb::New(args) => new::new(settings, printer, args),
            Verb::Run(args) => run::run(&program, printer, args).await,
            Verb::Batch(args) => batch::verb::batch(&program, printer, args).await,
            Verb::Bench(args) => bench::verb::bench(&program, printer, args).await,
            Verb::Resume(args) => resume::resume(&program, printer, args).await,
            Verb::Preregister(args) => preregister::preregister(printer, &args),
            Verb::Replay(args) => replay::replay(&program, printer, args).await,
            Verb::Probe(args) => probe_run::probe(settings, printer, args).await,
            Verb::Approve(args) => approve::approve(settings, printer, &args),
            Verb::Audit(args) => audit::audit_runs(printer, &args),
            Verb::Review(args) => review::review(settings, printer, &args).await,
            Verb::Uplift(args) => uplift::uplift(printer, &args),
            Verb::Verify(args) => verify::verify(printer, &args),
            Verb::List(args) => list::list(printer, &args),
            Verb::Show(args) => show::show(printer, &args),
            Verb::Cost(args) => cost::cost(printer, &args),
            Verb::Record(args) => record::record(&program, printer, &args),
            Verb::Report(args) => report::report(printer, &args),
            Verb::Export(args) => export::export(printer, &args),
            Verb::Compare(args) => compare::compare(printer, &args),
            Verb::Ground(args) => ground::ground(printer, &args),
            Verb::Read(args) => read::read(printer, &args),
            Verb::Data(args) => data::data(settings, printer, &args),
            Verb::Score(args) => score::verb::score(settings, printer, args).await,
            Verb::Capsule(args) => capsule::capsule(&program, printer, args).await,
            Verb::Mcp(args) => mcp::mcp(&program, printer, *args).await,
            Verb::Notebook(args) => notebook::notebook(&program, printer, args).await,
            Verb::Agents(args) => agents::agents(&program, printer, args).await,
            Verb::Check(args) => check::check(settings, printer, &args),
            Verb::CheckStats(args) => check_stats::check_stats(printer, &args),
            Verb::Env(args) => env::env(settings, printer, &args).await,
            Verb::Rescue(args) => rescue::rescue(printer, &args),
            Verb::Schema(args) => schema::schema(printer, &args),
            Verb::Model(args) => model::model(settings, printer, args).await,
            Verb::Doctor(args) => doctor::doctor(settings, printer, &args).await,
            Verb::Completions(args) => completions::completions(printer, &args, Cli::command()),
            Verb::Manual(args) => manual::manual(printer, &args, Cli::command()),
            Verb::Clean(args) => clean::clean(settings, printer, &args).await,
            Verb::RefreshRecordings(args) => {
                refresh_recordings::refresh_recordings(&program, printer, args).await
            }
        }
    });
    // A prompt that nobody answers must not hold the process.
    runtime.shutdown_background();
    status
}
