//! One stage of a released run: what was said and seen, and what it cost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reprise::domain::replication;

use reprise::catalog::stages::load::Catalog;
use reprise::domain::stage::Stage;
use serde_json::Value;

use crate::economy::logs::{self, Logged};
use crate::economy::tokens;

/// Tokens that frame an answer and a result in a prompt.
const FRAME: u64 = 8;
/// Tokens of a call that carries no text, with its thought where there is one.
const CALL: u64 = 40;
const SPOKEN_CALL: u64 = 120;

/// One turn that called a tool.
#[derive(Debug, Clone)]
pub struct Step {
    /// The tool's name, as the run knew it.
    pub action: String,
    /// The model's message, its call included.
    pub said: String,
    pub result: String,
}

/// A stage of a run.
#[derive(Debug)]
pub struct Trajectory {
    pub study: String,
    pub model: String,
    pub stage: Stage,
    /// Prompt tokens of each request, as the provider counted them.
    pub prompts: Vec<u64>,
    /// One fewer than the requests, unless the last one was cut off.
    pub steps: Vec<Step>,
    /// Whether the turns' texts come from a log.
    pub logged: bool,
    /// The same prompts counted from the log's texts alone, where it has them all.
    pub rebuilt: Option<Vec<u64>>,
    pub artifacts: Vec<(String, String)>,
    pub claim: String,
    pub folder: String,
    pub paper: Option<String>,
}

/// The extraction, where the log has the paper as it was sent: one request.
fn extraction(folder: &Path, (study, model): (&str, &str), counts: &Value) -> Option<Trajectory> {
    let log = fs::read_to_string(folder.join("_log/extract.log")).ok()?;
    let (_, sent) = log.split_once("**original_paper.pdf**")?;
    let (paper, _) = sent.split_once("=== CODE RELATED FILES ===")?;
    Some(Trajectory {
        study: study.to_owned(),
        model: model.to_owned(),
        stage: Stage::EXTRACT,
        prompts: vec![counts["prompt_tokens"].as_u64()?],
        steps: Vec::new(),
        logged: true,
        rebuilt: None,
        artifacts: Vec::new(),
        claim: String::new(),
        folder: String::new(),
        paper: Some(paper.trim().to_owned()),
    })
}

/// Every stage that the released metadata count turn by turn, and the
/// extractions whose paper is in a log.
pub fn all(root: &Path) -> Vec<Trajectory> {
    let results = root.join("results/python");
    let mut runs = Vec::new();
    let mut paths: Vec<_> = walkdir::WalkDir::new(&results)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_name() == "metadata.json")
        .map(walkdir::DirEntry::into_path)
        .collect();
    paths.sort();
    for path in paths {
        let folder = path.parent().unwrap();
        let name = folder.strip_prefix(&results).unwrap();
        let mut parts = name.iter().map(|part| part.to_string_lossy().into_owned());
        let (study, model) = (parts.next().unwrap(), parts.next().unwrap());
        let metadata: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        runs.extend(extraction(folder, (&study, &model), &metadata["extract_stage_1"]));
        for (key, stage) in [
            ("generate-design", Stage::DESIGN),
            ("generate-execute", Stage::EXECUTE),
        ] {
            if metadata[key]["turn_history"].is_array() {
                runs.push(read(root, folder, (&study, &model), stage, &metadata[key]));
            }
        }
    }
    runs
}

fn read(
    root: &Path,
    folder: &Path,
    (study, model): (&str, &str),
    stage: Stage,
    counts: &Value,
) -> Trajectory {
    let history = counts["turn_history"].as_array().unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let mut prompts: Vec<u64> = history
        .iter()
        .map(|turn| number(&turn["prompt_tokens"]))
        .collect();
    let last = number(&counts["prompt_tokens"]) - prompts.iter().sum::<u64>();
    if last > 0 {
        prompts.push(last);
    }
    let log = folder.join("_log").join(format!("{stage}_easy__python.log"));
    let logged: Vec<Logged> = fs::read_to_string(log)
        .map(|text| logs::last_session(&text))
        .unwrap_or_default();
    let logged = (logged.len() == prompts.len()).then_some(logged);
    let mut seen = BTreeMap::new();
    let mut steps = Vec::new();
    for (at, turn) in history.iter().enumerate() {
        // What the last answer led to was never sent.
        let Some(next) = prompts.get(at + 1) else { break };
        let grown = next - prompts[at];
        let action = turn["action"].as_str().unwrap().to_owned();
        let seed = format!("{study} {model} {stage} {at}");
        let step = match logged.as_ref().map(|turns| &turns[at]) {
            Some(turn) => from_log(turn, action, grown, &seed, &mut seen),
            None => from_counts(action, grown, number(&turn["completion_tokens"]), model, &seed),
        };
        steps.push(step);
    }
    let whole = logged.as_ref().is_some_and(|turns| {
        turns[..steps.len()]
            .iter()
            .all(|turn| turn.with_call && !turn.is_cut())
    });
    let input = root.join("original").join(study).join("input");
    // The search for data is not among the released stages of most runs.
    let catalog = Catalog::embedded().unwrap();
    let artifacts = [Stage::EXTRACT, Stage::DESIGN]
        .map(|earlier| (catalog.quotes(stage, earlier), replication::artifact(earlier)));
    Trajectory {
        rebuilt: whole.then(|| rebuilt(prompts[0], &steps)),
        study: study.to_owned(),
        model: model.to_owned(),
        stage,
        prompts,
        steps,
        logged: logged.is_some(),
        artifacts: artifacts
            .into_iter()
            .filter(|(quoted, _)| *quoted)
            .filter_map(|(_, name)| Some((name.to_owned(), fs::read_to_string(folder.join(name)).ok()?)))
            .collect(),
        claim: fs::read_to_string(input.join("initial_details.txt")).unwrap_or_default(),
        folder: listing(&input),
        paper: None,
    }
}

/// A turn whose text the log has; what it cut or leaves out is filled up to
/// what the prompt grew by.
fn from_log(
    turn: &Logged,
    action: String,
    grown: u64,
    seed: &str,
    seen: &mut BTreeMap<String, (u64, String)>,
) -> Step {
    let (mut said, mut result) = (turn.said.clone(), turn.result.clone());
    let known = tokens::count(&said) + tokens::count(&result) + FRAME;
    if turn.is_cut() {
        let call = if turn.with_call { 0 } else { CALL };
        let missing = grown.saturating_sub(known + call);
        // The same beginning and nearly the same size: the same result again.
        let size = tokens::count(&result) + missing;
        match seen.get(&result) {
            Some((before, whole)) if before.abs_diff(size) * 20 <= size => result.clone_from(whole),
            _ => {
                let whole = format!("{result}\n{}", tokens::filler(missing, seed));
                seen.insert(result, (size, whole.clone()));
                result = whole;
            }
        }
        said.push_str(&tokens::filler(call, seed));
    } else if !turn.with_call {
        said.push_str(&tokens::filler(grown.saturating_sub(known), seed));
    }
    Step { action, said, result }
}

/// A turn of which only the sizes are known.
fn from_counts(action: String, grown: u64, completion: u64, model: &str, seed: &str) -> Step {
    let writes = matches!(action.as_str(), "edit_file" | "write_file");
    let spoken = match model {
        // Its completions hide no reasoning.
        "gpt-4o" => completion,
        _ if writes => completion.min(grown.saturating_sub(CALL)),
        "gpt-5" => completion.min(SPOKEN_CALL),
        _ => completion.min(CALL),
    };
    let said = spoken.min(grown.saturating_sub(FRAME));
    Step {
        action,
        said: tokens::filler(said, &format!("said {seed}")),
        result: tokens::filler(grown.saturating_sub(said + FRAME), &format!("seen {seed}")),
    }
}

fn rebuilt(first: u64, steps: &[Step]) -> Vec<u64> {
    let mut prompts = vec![first];
    let mut now = first;
    for step in steps {
        now += tokens::count(&step.said) + tokens::count(&step.result) + FRAME;
        prompts.push(now);
    }
    prompts
}

fn listing(folder: &Path) -> String {
    let mut lines: Vec<String> = walkdir::WalkDir::new(folder)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(folder).ok()?.display().to_string();
            Some(format!(
                "{path}  {} bytes, read-only",
                entry.metadata().ok()?.len()
            ))
        })
        .collect();
    lines.sort();
    lines.join("\n")
}
