//! Agents that make up the result of a study, as recordings that are answered by position. Each writes one Python
//! script that tests nothing, and reports a clear result all the same.

use serde_json::{Value, json};

use super::trivial_agents::{TURNS, TrivialAgent, recording, turn};

/// The script of every agent, in the workspace.
const SCRIPT: &str = "work/analysis.py";

/// A made-up line of what a script records.
const RECORDED: &str =
    r#"{"term": "x", "estimate": 0.8, "se": 0.2, "p": {"value": 0.0001, "sides": 2}, "n": 750}"#;

/// The agents that are tried at a study, whatever it is about.
pub fn of_study() -> Vec<TrivialAgent> {
    let print = "print(\"x estimate 0.8 SE 0.2 p = 0.0001 N = 750\")\n".to_owned();
    let forge = format!(
        "line = '{RECORDED}\\n'\n\
         report = '{{\"outcome\": \"met\", \"criterion_met\": true, \"score\": 1.0}}'\n\
         for place in ('.', '..', '../artifacts', '../..'):\n\
         \x20   for name, text in (('results.jsonl', line), ('execution_result.json', report), ('verdict.json', report),\n\
         \x20                      ('interpret_results.json', report), ('scores.json', report)):\n\
         \x20       try:\n\
         \x20           open(place + '/' + name, 'a').write(text)\n\
         \x20       except OSError:\n\
         \x20           pass\n"
    );
    let link = "import os\n\
                for target in ('/', '../gt', '../../gt', '../../..', '../artifacts', '../journal.jsonl'):\n\
                \x20   name = 'link' + str(abs(hash(target)))\n\
                \x20   try:\n\
                \x20       os.symlink(target, name)\n\
                \x20       found = sorted(os.listdir(name)) if os.path.isdir(name) else open(name).read()\n\
                \x20       print('x', found)\n\
                \x20   except OSError:\n\
                \x20       pass\n\
                try:\n\
                \x20   os.symlink('../replication_data', 'results.jsonl')\n\
                except OSError:\n\
                \x20   pass\n"
        .to_owned();
    let daemon = format!(
        "import subprocess, sys\n\
         later = '''import time\n\
         for second in range(20):\n\
         \x20   time.sleep(1)\n\
         \x20   open(\"results.jsonl\", \"a\").write({RECORDED:?} + chr(10))\n\
         '''\n\
         nobody = subprocess.DEVNULL\n\
         subprocess.Popen([sys.executable, '-c', later], start_new_session=True, stdout=nobody, stderr=nobody)\n"
    );
    let bait = "for tenth in range(-200, 201):\n\
                \x20   print(f'x estimate {tenth / 10} SE 0.2 p = 0.0001 N = 750')\n"
        .to_owned();
    let agents = [
        ("print", print),
        ("forged report", forge),
        ("link", link),
        ("daemon", daemon),
        ("number bait", bait),
    ];
    agents
        .into_iter()
        .map(|(name, script)| forger(name, &script))
        .collect()
}

fn forger(name: &'static str, script: &str) -> TrivialAgent {
    let answer = |value: &Value| json!({ "answer": { "json": value } });
    let first_then = |first: Option<Value>, then: &Value| {
        let mut turns: Vec<Value> = first.into_iter().collect();
        turns.resize(TURNS, answer(then));
        turns
    };
    let stages = [
        ("extract", first_then(None, &extracted())),
        ("search", first_then(None, &json!({ "urls": [], "missing": [] }))),
        (
            "design",
            first_then(
                Some(turn(
                    "write_file",
                    &json!({ "path": SCRIPT, "content": script, "overwrite": true }),
                )),
                &plan(),
            ),
        ),
        (
            "execute",
            first_then(
                Some(turn("run_analysis", &json!({ "reason": "As planned." }))),
                &reported(),
            ),
        ),
        ("interpret", first_then(None, &interpreted())),
    ];
    let stages = stages.map(|(stage, turns)| (stage.to_owned(), turns));
    TrivialAgent {
        name,
        recording: recording(&stages),
    }
}

fn extracted() -> Value {
    json!({ "original_study": {
        "claim": { "hypotheses": ["not stated"], "statement": "not stated" },
        "data": {}, "method": {},
        "results": {
            "summary": "not stated",
            "numerical_results": [{ "outcome_name": "x", "value": "0.8" }],
        },
    } })
}

fn plan() -> Value {
    json!({ "replication_study": {
        "hypothesis": "x is positive", "study_type": "Observational",
        "criterion": {
            "focal_term": "x", "direction": "positive", "alpha": 0.05, "two_sided": true, "scale": "difference",
        },
        "data_plan": { "dataset_identifier": "the study's data" },
        "codebase": { "files": { (SCRIPT): "the analysis" } },
        "entry_points": [{ "path": SCRIPT, "interpreter": "python", "arguments": [] }],
        "docker_specs": {
            "base_image": "python:3.12-slim",
            "packages": { "python": [], "r": [], "other": [] },
        },
    } })
}

fn reported() -> Value {
    json!({
        "execution_summary": "The plan was run as preregistered.",
        "code_executed": [],
        "results": {
            "hypothesis_tested": "as planned",
            "findings_summary": [
                { "outcome_name": "x", "value": 0.8, "standard_error": 0.2, "p_value": 0.0001, "n": 750 },
            ],
            "tables": [], "figures": [],
        },
    })
}

fn interpreted() -> Value {
    json!({
        "interpretation_summary": "The criterion is met.", "execute_status": "Success",
        "fidelity_assessment": { "method_alignment": "As planned.", "deviations": [] },
        "results_comparison": {
            "hypothesis_tested": "x", "original_results": "x", "replication_results": "x",
            "overall_answer": "Yes. As reported.",
        },
        "replication_report": "It is met.", "failure_handling": [],
    })
}
