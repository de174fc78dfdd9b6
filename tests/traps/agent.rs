//! A scripted agent's messages, stage by stage.

use std::path::{Path, PathBuf};

use reprise::domain::conversation::Position;
use reprise::domain::result_line;
use reprise::domain::stage::Stage;
use reprise::model::recording::format::Recording;
use serde_json::{Map, Value, json};

use super::trap::Trap;

/// One message of the agent.
pub enum Step {
    Answer(Value),
    Calls(Vec<(String, Value)>),
    /// The answer of the execute stage, made when it is asked for.
    Report,
}

/// The agent, on its way through one run.
pub struct Agent {
    steps: Vec<(Stage, Vec<Step>)>,
    at: Vec<usize>,
    run: PathBuf,
    from: String,
    findings: Vec<Value>,
    /// The message of the execute stage for which it lets the run be stopped, once.
    stop: Option<usize>,
    /// Whether the paper that it is shown has an emptied page.
    is_emptied: bool,
}

impl Agent {
    /// An agent whose run is written to `run`.
    pub fn new(trap: &Trap, run: &Path) -> Self {
        let definition = &trap.definition;
        let mode = match definition.mode.as_str() {
            "native" => "native",
            "data-only" => "data-only",
            _ => "python",
        };
        let recording = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("studies")
            .join(&definition.study)
            .join(format!("recordings/{mode}.json"));
        let recording = Recording::open(&recording).unwrap();
        let answer = |stage| last_answer(&recording, stage);
        let write = |attempt: usize| {
            let files = trap.files(attempt).into_iter();
            Step::Calls(
                files
                    .map(|(path, content)| {
                        (
                            "write_file".to_owned(),
                            json!({"path": path, "content": content, "overwrite": true}),
                        )
                    })
                    .collect(),
            )
        };
        let analysis = || {
            Step::Calls(vec![(
                "run_analysis".to_owned(),
                json!({"reason": "As planned."}),
            )])
        };
        let mut execute = vec![analysis()];
        for retry in (1..).take_while(|retry| trap.folder.join(format!("retry-{retry}")).is_dir()) {
            execute.push(write(retry));
            execute.push(analysis());
        }
        execute.push(Step::Report);
        let mut interpreted = answer(Stage::INTERPRET);
        if let Some(own) = &definition.answer {
            interpreted["results_comparison"]["overall_answer"] =
                json!(format!("{} As reported.", own.conclusion));
        }
        let steps = vec![
            (Stage::EXTRACT, vec![Step::Answer(answer(Stage::EXTRACT))]),
            (
                Stage::SEARCH,
                vec![Step::Answer(json!({"urls": [], "missing": []}))],
            ),
            (
                Stage::DESIGN,
                vec![write(0), Step::Answer(plan(trap, answer(Stage::DESIGN)))],
            ),
            (Stage::EXECUTE, execute),
            (Stage::INTERPRET, vec![Step::Answer(interpreted)]),
        ];
        Self {
            at: vec![0; steps.len()],
            steps,
            run: run.to_owned(),
            from: definition.report.from.clone(),
            findings: definition.report.finding.clone(),
            stop: definition.stop,
            is_emptied: definition.code_page,
        }
    }

    /// An agent that writes one Python script, whose claim is positive, and reports
    /// what it is given; for any study.
    pub fn with_script(run: &Path, script: &str, files: &[String], finding: Value) -> Self {
        let study = json!({"original_study": {
            "claim": {"hypotheses": ["not stated"], "statement": "not stated"},
            "data": {}, "method": {},
            "results": {"summary": "not stated", "numerical_results": [{"outcome_name": "x", "value": "0.8"}]}
        }});
        let plan = json!({"replication_study": {
            "hypothesis": "x is positive", "study_type": "Observational",
            "criterion": {"focal_term": "x", "direction": "positive", "alpha": 0.05, "two_sided": true, "scale": "difference"},
            "data_plan": {"dataset_identifier": "the study's data"}, "data_used": {"files": files},
            "codebase": {"files": {"work/analysis.py": "the analysis"}},
            "entry_points": [{"path": "work/analysis.py", "interpreter": "python", "arguments": []}],
            "docker_specs": {"base_image": "python:3.12-slim", "packages": {"python": [], "r": [], "other": []}}
        }});
        let interpreted = json!({
            "interpretation_summary": "The criterion is met.", "execute_status": "Success",
            "fidelity_assessment": {"method_alignment": "As planned.", "deviations": []},
            "results_comparison": {"hypothesis_tested": "x", "original_results": "x", "replication_results": "x",
                "overall_answer": "Yes. As reported."},
            "replication_report": "It is met.", "failure_handling": []
        });
        let script = json!({"path": "work/analysis.py", "content": script, "overwrite": true});
        let steps = vec![
            (Stage::EXTRACT, vec![Step::Answer(study)]),
            (
                Stage::SEARCH,
                vec![Step::Answer(json!({"urls": [], "missing": []}))],
            ),
            (
                Stage::DESIGN,
                vec![
                    Step::Calls(vec![("write_file".to_owned(), script)]),
                    Step::Answer(plan),
                ],
            ),
            (
                Stage::EXECUTE,
                vec![
                    Step::Calls(vec![(
                        "run_analysis".to_owned(),
                        json!({"reason": "As planned."}),
                    )]),
                    Step::Report,
                ],
            ),
            (Stage::INTERPRET, vec![Step::Answer(interpreted)]),
        ];
        Self {
            at: vec![0; steps.len()],
            steps,
            run: run.to_owned(),
            from: "own".to_owned(),
            findings: vec![finding],
            stop: None,
            is_emptied: false,
        }
    }

    /// Whether the run is to be stopped while it waits.
    pub fn lets_it_be_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// The next message: text and calls; `None` where the run is to be stopped. Asked beyond its
    /// script, it says the last again.
    pub fn next(&mut self, request: &Value) -> Option<(String, Vec<(String, Value)>)> {
        let prompt = request["messages"][0]["content"].to_string();
        let stage = (0..self.steps.len())
            .find(|at| prompt.contains(&format!("**{}**", self.steps[*at].0)))
            .unwrap_or_else(|| panic!("no stage is named in {prompt}"));
        if self.is_emptied && self.steps[stage].0 == Stage::EXTRACT {
            let shown = request.to_string();
            assert!(shown.contains("This page is withheld") && !shown.contains("library(sandwich)"));
        }
        let steps = &self.steps[stage].1;
        if self.steps[stage].0 == Stage::EXECUTE && self.stop == Some(self.at[stage]) {
            self.stop = None;
            return None;
        }
        let at = self.at[stage].min(steps.len() - 1);
        self.at[stage] += 1;
        Some(match &steps[at] {
            Step::Answer(value) => (value.to_string(), Vec::new()),
            Step::Calls(calls) => (String::new(), calls.clone()),
            Step::Report => (self.report().to_string(), Vec::new()),
        })
    }

    fn report(&self) -> Value {
        let mut findings = self.findings.clone();
        for finding in &mut findings {
            let name = finding["term"].clone();
            finding["outcome_name"] = name;
            finding.as_object_mut().unwrap().remove("term");
        }
        if self.from == "results" || findings.is_empty() {
            let text = std::fs::read_to_string(self.run.join("workspace").join(result_line::FILE))
                .unwrap_or_default();
            let (lines, _) = result_line::parse(&text);
            findings = lines
                .iter()
                .map(|line| {
                    let mut one = Map::new();
                    one.insert("outcome_name".into(), json!(line.term));
                    one.insert("value".into(), json!(line.estimate));
                    one.insert("standard_error".into(), json!(line.se));
                    one.insert("p_value".into(), json!(line.p.as_ref().map(|p| p.value)));
                    one.insert("n".into(), json!(line.n));
                    Value::Object(one)
                })
                .collect();
        }
        json!({
            "execution_summary": "The plan was run as preregistered.",
            "code_executed": [],
            "results": {"hypothesis_tested": "as planned", "findings_summary": findings, "tables": [], "figures": []}
        })
    }
}

fn last_answer(recording: &Recording, stage: Stage) -> Value {
    let turns = &recording.stages[&stage].turns;
    let turn = turns.len() - 1;
    let response = turns[turn].answer.response(Position {
        stage,
        turn: turn as u32,
    });
    serde_json::from_str(&response.text).unwrap()
}

/// The study's plan with the agent's own entries over it.
fn plan(trap: &Trap, mut plan: Value) -> Value {
    let definition = &trap.definition;
    let study = &mut plan["replication_study"];
    // Variants are of the bundled code.
    study.as_object_mut().unwrap().remove("variants");
    study["entry_points"] = definition
        .entry
        .iter()
        .map(|path| json!({"path": path, "arguments": []}))
        .collect();
    let files: Map<String, Value> = trap
        .files(0)
        .into_iter()
        .map(|(path, _)| (path, json!("as described")))
        .collect();
    study["codebase"]["files"] = Value::Object(files);
    // One environment for all scripts, whatever the bundled session declares.
    if definition.mode != "native" {
        study["docker_specs"]["packages"]["python"] =
            json!(["pandas>=2.2.3,<3", "statsmodels>=0.14.5,<0.15"]);
    }
    if let Some(given) = &definition.plan {
        let data = &given["replication_study"]["data_plan"];
        if data.get("sample_size").is_some() {
            study["data_used"]["expected_rows"] = Value::Null;
        }
        merge(&mut plan, given);
    }
    if let Some(given) = &definition.criterion {
        let criterion = &mut plan["replication_study"]["criterion"];
        merge(criterion, given);
        for list in ["all", "any", "also_reported"] {
            for condition in criterion[list].as_array_mut().into_iter().flatten() {
                let condition = condition.as_object_mut().unwrap();
                for (theirs, ours) in [("focal_term", "term"), ("direction", "sign"), ("alpha", "level")] {
                    if let Some(value) = condition.remove(theirs) {
                        condition.insert(ours.to_owned(), value);
                    }
                }
                if let Some(two_sided) = condition.remove("two_sided") {
                    condition.insert("sides".to_owned(), json!(if two_sided == true { 2 } else { 1 }));
                }
            }
        }
        // A way of testing, which those who had not seen the keys took for a rule.
        if matches!(
            criterion["rule"].as_str(),
            Some("interval_excludes" | "non_inferiority")
        ) {
            criterion.as_object_mut().unwrap().remove("parameters");
            let test = criterion.as_object_mut().unwrap().remove("rule");
            criterion["test"] = test.unwrap();
        }
    }
    plan
}

/// A JSON merge patch.
fn merge(into: &mut Value, patch: &Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    into.remove(key);
                } else {
                    merge(into.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
        }
        (into, patch) => *into = patch.clone(),
    }
}
