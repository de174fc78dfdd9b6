//! `ro-crate-metadata.json` of a run.

use serde_json::{Value, json};

use super::contents::CrateFile;
use super::entities::{
    ENGINE, PERSON, decisions, environments, executions, file_entity, file_id, reference, status, time,
};
use crate::report::export::exported_run::{ExportStanding, ExportedRun};
use crate::report::export::member::Member;
use crate::run::decide::failed_stage;

/// The file that holds the run's track, which is the workflow.
const WORKFLOW: &str = "workflow.json";
/// The action that the run itself is.
const RUN: &str = "#run";
const LICENSE: &str = "#license";
const PROFILES: [[&str; 3]; 3] = [
    [
        "https://w3id.org/ro/wfrun/process/0.5",
        "Process Run Crate",
        "0.5",
    ],
    [
        "https://w3id.org/ro/wfrun/workflow/0.5",
        "Workflow Run Crate",
        "0.5",
    ],
    [
        "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
        "Workflow RO-Crate",
        "1.0",
    ],
];

/// The files that a crate has beside those of the run: its description, and its workflow.
pub fn described(exported: &ExportedRun<'_>, files: &[CrateFile], license: &str) -> [Member; 2] {
    let graph = graph(exported, files, license);
    let metadata = json!({
        "@context": [
            "https://w3id.org/ro/crate/1.1/context",
            { "sha256": "https://w3id.org/ro/terms/workflow-run#sha256" },
        ],
        "@graph": graph,
    });
    let workflow = json!(exported.started.settings.track());
    [
        Member::json("ro-crate-metadata.json", &metadata),
        Member::json(WORKFLOW, &workflow),
    ]
}

fn graph(exported: &ExportedRun<'_>, files: &[CrateFile], license: &str) -> Vec<Value> {
    let executions = executions(exported, files);
    let decisions = decisions(exported);
    let environments = environments(exported);
    let mut graph = vec![
        json!({
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "conformsTo": [
                reference("https://w3id.org/ro/crate/1.1"),
                reference("https://w3id.org/workflowhub/workflow-ro-crate/1.0"),
            ],
            "about": reference("./"),
        }),
        root(exported, files, license, &[&executions, &decisions]),
        workflow(exported, &environments),
        language(),
        run_action(exported, files),
        engine(exported),
        json!({
            "@id": "#model",
            "@type": "SoftwareApplication",
            "name": exported.started.settings.model,
            "description": "The language model that answers in the run.",
        }),
    ];
    if let Some(paper) = paper(exported) {
        graph.push(paper);
    }
    graph.push(json!({ "@id": PERSON, "@type": "Person", "name": "Whoever asked for the run" }));
    graph.push(match is_address(license) {
        true => json!({ "@id": license, "@type": "CreativeWork", "name": license }),
        false => json!({ "@id": LICENSE, "@type": "CreativeWork", "name": "Terms", "description": license }),
    });
    graph.extend(PROFILES.map(
        |[id, name, version]| json!({ "@id": id, "@type": "CreativeWork", "name": name, "version": version }),
    ));
    graph.extend(files.iter().map(file_entity));
    graph.extend(environments);
    graph.extend(executions);
    graph.extend(decisions);
    for entity in &mut graph {
        if let Value::Object(entity) = entity {
            entity.retain(|_, value| !value.is_null());
        }
    }
    graph
}

fn root(exported: &ExportedRun<'_>, files: &[CrateFile], license: &str, actions: &[&Vec<Value>]) -> Value {
    let mut parts = vec![reference(WORKFLOW)];
    parts.extend(files.iter().map(|file| reference(&file_id(&file.path))));
    let mut mentions = vec![reference(RUN), reference("#model")];
    if paper(exported).is_some() {
        mentions.push(reference("#paper"));
    }
    let actions = actions.iter().flat_map(|actions| actions.iter());
    mentions.extend(actions.map(|action| json!({ "@id": action["@id"] })));
    let result = exported.run.state.verdict.as_ref().map(|verdict| &verdict.reason);
    let claim = &exported.started.claim.statement;
    json!({
        "@id": "./",
        "@type": "Dataset",
        "name": format!("{}: a run of reprise", exported.started.title),
        "description": match result {
            Some(reason) => format!("{claim}\n\n{reason}"),
            None => claim.clone(),
        },
        "datePublished": exported.last_event().map(time),
        "license": reference(if is_address(license) { license } else { LICENSE }),
        "conformsTo": PROFILES.map(|[id, _, _]| reference(id)),
        "mainEntity": reference(WORKFLOW),
        "hasPart": parts,
        "mentions": mentions,
    })
}

fn workflow(exported: &ExportedRun<'_>, environments: &[Value]) -> Value {
    let requirements = environments.iter().map(|one| json!({ "@id": one["@id"] }));
    let mut requirements: Vec<Value> = requirements.collect();
    requirements.push(reference(ENGINE));
    json!({
        "@id": WORKFLOW,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": format!("The track {}", exported.track()),
        "description": "The stages of the run in their order, with the environment and the grader.",
        "encodingFormat": "application/json",
        "programmingLanguage": reference("#track"),
        "version": exported.started.settings.catalog.to_string(),
        "softwareRequirements": requirements,
    })
}

fn is_address(license: &str) -> bool {
    license.starts_with("https://") || license.starts_with("http://")
}

fn language() -> Value {
    json!({
        "@id": "#track",
        "@type": "ComputerLanguage",
        "name": "reprise track",
        "description": "Stages, an environment and a grader, as JSON.",
    })
}

fn engine(exported: &ExportedRun<'_>) -> Value {
    json!({
        "@id": ENGINE,
        "@type": "SoftwareApplication",
        "name": "reprise",
        "softwareVersion": exported.started.engine,
    })
}

/// The paper by its digest, whether it is in the crate or not.
fn paper(exported: &ExportedRun<'_>) -> Option<Value> {
    let digest = exported.run.state.study_copy()?.paper?;
    Some(json!({
        "@id": "#paper",
        "@type": ["CreativeWork", "ScholarlyArticle"],
        "name": exported.started.title,
        "identifier": digest.to_string(),
    }))
}

fn run_action(exported: &ExportedRun<'_>, files: &[CrateFile]) -> Value {
    let of = |is_input: bool| {
        let chosen = files.iter().filter(move |file| file.part.is_input() == is_input);
        let chosen = chosen.map(|file| reference(&file_id(&file.path)));
        chosen.collect::<Vec<_>>()
    };
    let mut inputs = of(true);
    if paper(exported).is_some() {
        inputs.push(reference("#paper"));
    }
    let failed = failed_stage(&exported.run.state);
    let is_open = exported.standing() == ExportStanding::Open;
    json!({
        "@id": RUN,
        "@type": "CreateAction",
        "name": exported.started.run,
        "description": format!("{} by {}", exported.sample(), exported.agent),
        "agent": reference(PERSON),
        "instrument": reference(WORKFLOW),
        "object": inputs,
        "result": of(false),
        "startTime": exported.first_event().map(time),
        "endTime": (!is_open).then(|| exported.last_event().map(time)),
        "actionStatus": match is_open {
            true => "http://schema.org/ActiveActionStatus",
            false => status(failed.is_none()),
        },
        "error": failed.map(|failed| format!("{} ({}): {}", failed.stage, failed.cause, failed.detail)),
    })
}
