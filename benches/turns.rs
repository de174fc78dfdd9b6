//! Many runs at once against a scripted server: what a turn costs.
//!
//! `cargo bench --bench turns -- --base-url http://127.0.0.1:8199/v1 --runs 200 --turns 20`
//! prints one JSON line. `tests/perf/turns.py` starts the server and puts a
//! peer beside it. Each run has its own folder, lock, journal (synced event by
//! event) and workspace; only the model's connection pool is shared.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use tokio_util::sync::CancellationToken;

use reprise::app;
use reprise::app::models::ModelChoice;
use reprise::app::process_shared::ProcessShared;
use reprise::app::program::Program;
use reprise::app::run_models::RunModels;
use reprise::app::toolset::Toolset;
use reprise::app::tracks::Tracks;
use reprise::domain::ids::RunId;
use reprise::domain::stage::Stage;
use reprise::domain::track::StageRange;
use reprise::effects::ports::Nobody;
use reprise::engine::dispatch;
use reprise::engine::folder::RunFolder;
use reprise::engine::request::{Approve, RunRequest};
use reprise::engine::watch::{Unwatched, Watch};
use reprise::settings::Settings;

#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value = "http://127.0.0.1:8199/v1")]
    base_url: String,
    #[arg(long, default_value_t = 200)]
    runs: u32,
    #[arg(long, default_value_t = 20)]
    turns: u32,
    /// Calls under way at once.
    #[arg(long, default_value_t = 200)]
    connections: u32,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(measure(&arguments));
}

async fn measure(arguments: &Arguments) {
    let folder = tempfile::tempdir().unwrap();
    let stages = folder.path().join("stages");
    std::fs::create_dir_all(stages.join("search")).unwrap();
    // The server never answers in JSON: the turn limit ends the conversation
    // behind the same number of answers as the peer's.
    std::fs::write(
        stages.join("search/stage.toml"),
        format!(
            "stage = \"search\"\nschema = \"search_results\"\ntools = [\"list_files\"]\nturns = {}\n\
             output_tokens = 1000\nrepairs = 0\n",
            arguments.turns + 1
        ),
    )
    .unwrap();
    let program = Program {
        settings: Settings::from_variables([]).unwrap(),
        tracks: Tracks::new(Vec::new()).unwrap(),
    };
    let settings = &program.settings;
    let watch: Arc<dyn Watch> = Arc::new(Unwatched);
    let address = arguments.base_url.trim_start_matches("http://");
    let name = format!("openai-api/{address}/mock-{}", arguments.turns);
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slope");
    let shared = ProcessShared::with_calls(arguments.connections);
    let wanted = ModelChoice::unbounded(&study, &name);
    let models = app::models::models(settings, &shared, wanted, &watch).unwrap();

    let kit = Toolset::for_request(&program, &request(&study, &name, &stages, 0)).unwrap();

    let before = cpu();
    let started = Instant::now();
    let mut runs = tokio::task::JoinSet::new();
    for number in 0..arguments.runs {
        let request = request(&study, &name, &stages, number);
        let out = folder.path().join(format!("run-{number}"));
        runs.spawn(one(settings.clone(), models.clone(), kit.clone(), request, out));
    }
    let mut answers = 0;
    while let Some(ended) = runs.join_next().await {
        answers += ended.unwrap();
    }
    let wall = started.elapsed().as_secs_f64();
    let spent = cpu() - before;
    assert_eq!(
        answers,
        u64::from(arguments.runs * (arguments.turns + 1)),
        "answers that were journaled"
    );
    let peak = getrusage(UsageWho::RUSAGE_SELF).unwrap().max_rss() as f64 / 1024.0;
    println!(
        "{}",
        serde_json::json!({
            "engine": "reprise", "runs": arguments.runs, "turns": answers, "wall_s": round(wall),
            "cpu_s": round(spent), "cpu_ms_per_turn": round(1000.0 * spent / answers as f64),
            "peak_rss_mb": round(peak),
        })
    );
}

fn request(study: &Path, model: &str, stages: &Path, number: u32) -> RunRequest {
    let range = StageRange {
        from: Stage::SEARCH,
        to: Stage::SEARCH,
    };
    let run = RunId::new(format!("bench-{number}"));
    RunRequest {
        stages_dir: Some(stages.to_owned()),
        ..RunRequest::new(run, study.to_owned(), range, model.to_owned(), Approve::Auto)
    }
}

/// One run; returns its answered model calls.
async fn one(
    settings: Settings,
    models: RunModels,
    kit: Toolset,
    request: RunRequest,
    out: std::path::PathBuf,
) -> u64 {
    std::fs::create_dir_all(&out).unwrap();
    let mut session =
        app::run::session(&settings, RunFolder::at(&out).unwrap(), Arc::new(Unwatched), None).unwrap();
    let mut effects = app::run::effects_with(&settings, request, models, Arc::new(Nobody), &kit)
        .await
        .unwrap();
    dispatch::drive(&mut session, &mut effects, &CancellationToken::new())
        .await
        .unwrap();
    session.state.stages[&Stage::SEARCH].turns.len() as u64
}

/// User and system seconds of this process.
fn cpu() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
