//! `reprise bench`.

use super::approvals::approvals;
use super::args::{BenchArgs, BenchVerb};
use super::audit::audit;
use super::bench_engine::BenchEngine;
use super::collect::collect;
use super::compare::compare_benches;
use super::core::core;
use super::file::BenchFile;
use super::local_run::{LocalArgs, run};
use super::merge::merge;
use super::prepare::prepare;
use super::publish::publish;
use super::replicatorbench::replicatorbench;
use super::report::report;
use super::status::status;
use super::stop::stop;
use super::submit::submit;
use super::submit_args::SubmitArgs;
use super::work::work;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

/// Runs the cells of a bench file as far as they go, or does what another verb of benches says.
///
/// # Errors
/// A file, a task or a setting that cannot be used, or results that cannot be written.
pub async fn bench(program: &Program, printer: Printer, args: BenchArgs) -> Result<Status, Failure> {
    match args.verb {
        Some(BenchVerb::Audit(args)) => audit(program, printer, args).await,
        Some(BenchVerb::Compare(args)) => compare_benches(printer, &args),
        Some(BenchVerb::Merge(args)) => merge(printer, &args),
        Some(BenchVerb::Publish(args)) => publish(printer, &args),
        Some(BenchVerb::Core(args)) => core(printer, &args),
        Some(BenchVerb::Replicatorbench(args)) => replicatorbench(printer, &args),
        Some(BenchVerb::Plan(args)) => {
            let args = LocalArgs {
                plan: true,
                writes_plan: true,
                ..*args
            };
            run(program, printer, args).await
        }
        Some(BenchVerb::Prepare(args)) => prepare(program, printer, args).await,
        Some(BenchVerb::Approvals(args)) => approvals(program, printer, *args).await,
        Some(BenchVerb::Work(args)) => work(program, printer, args).await,
        Some(BenchVerb::Submit(mut args)) => {
            let engine = engine(&args)?;
            args.engine = Some(engine);
            match engine {
                BenchEngine::Local => run(program, printer, args.local()).await,
                BenchEngine::Slurm => submit(program, printer, *args).await,
            }
        }
        Some(BenchVerb::Status(args)) => status(printer, &args).await,
        Some(BenchVerb::Stop(args)) => stop(printer, &args).await,
        Some(BenchVerb::Report(args)) => report(printer, &args),
        Some(BenchVerb::Collect(args)) => collect(printer, &args),
        None => run(program, printer, args.local).await,
    }
}

/// The engine that is named, else the file's.
fn engine(args: &SubmitArgs) -> Result<BenchEngine, Failure> {
    if let Some(engine) = args.engine {
        return Ok(engine);
    }
    let file = BenchFile::open(&args.bench.bench).map_err(|error| Failure::usage(error.to_string()))?;
    file.engine.ok_or_else(|| {
        Failure::usage(format!(
            "{} names no `engine`: give --engine local or --engine slurm, or write one into the file",
            args.bench.bench.display()
        ))
    })
}
