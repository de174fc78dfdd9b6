//! The decision on each checkpoint, from the facts.

use super::checkpoint::{Checkpoint, CheckpointDecision};
use super::facts::CheckpointFacts;
use super::{design, execution};

/// Decides all ten checkpoints, in order.
pub fn decide(facts: &CheckpointFacts) -> Vec<CheckpointDecision> {
    Checkpoint::all()
        .map(|checkpoint| {
            let (passed, evidence) = match checkpoint {
                Checkpoint::BaseEnvironment => design::base_environment(facts),
                Checkpoint::Manifest => design::manifest(facts),
                Checkpoint::Dependencies => design::dependencies(facts),
                Checkpoint::HardCodedPaths => design::hard_coded_paths(facts),
                Checkpoint::CodeFiles => design::code_files(facts),
                Checkpoint::DataPaths => design::data_paths(facts),
                Checkpoint::DataLoaded => execution::data_loaded(facts),
                Checkpoint::CodeRan => execution::code_ran(facts),
                Checkpoint::OutputsWritten => execution::outputs_written(facts),
                Checkpoint::ReportFilled => execution::report_filled(facts),
            };
            CheckpointDecision {
                checkpoint,
                passed,
                evidence,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::execution::Ending;
    use crate::scoring::checkpoints::facts::{
        Build, CodeFile, EntryFacts, EnvironmentFacts, OpenedFacts, OutputFacts,
    };

    fn printed(text: &str) -> Option<OutputFacts> {
        Some(OutputFacts {
            text: text.to_owned(),
            complete: true,
        })
    }

    fn good() -> CheckpointFacts {
        let text =
            "import pandas as pd\nimport helper\ndf = pd.read_csv('/workspace/replication_data/d.csv')\n";
        CheckpointFacts {
            environment: EnvironmentFacts {
                base_image: Some("python:3.12-slim".into()),
                python: vec!["pandas>=2".into()],
                r: Vec::new(),
                manifests: vec!["replication_info.json".into()],
                build: Build::Made,
            },
            code: vec![CodeFile {
                path: "work/a.py".into(),
                text: text.into(),
            }],
            inside: vec!["/workspace".into()],
            planned_code: vec!["work/a.py".into()],
            planned_data: vec!["./replication_data/d.csv".into()],
            existing: ["work/a.py", "work/helper.py", "replication_data/d.csv"]
                .map(String::from)
                .into(),
            opened: Some(OpenedFacts {
                files: ["replication_data/d.csv".to_owned()].into(),
                complete: true,
            }),
            entries: vec![EntryFacts {
                path: "work/a.py".into(),
                ending: Some(Ending::Exited(0)),
            }],
            expected_outputs: vec!["work/out.csv".into()],
            outputs: vec![("work/out.csv".into(), 10)],
            report: Some(json!({
                "execution_summary": "ran",
                "code_executed": [{"command": "python a.py"}],
                "results": {"findings_summary": [{"value": -0.41, "p_value": 0.003}]},
            })),
            output: printed("b = -0.4123, p = 0.0031"),
        }
    }

    fn one(facts: &CheckpointFacts, checkpoint: Checkpoint) -> (Option<bool>, String) {
        let found = decide(facts)
            .into_iter()
            .find(|decision| decision.checkpoint == checkpoint)
            .unwrap();
        (found.passed, found.evidence)
    }

    #[test]
    fn a_clean_run_passes_all_ten() {
        for decision in decide(&good()) {
            assert_eq!(decision.passed, Some(true), "{decision:?}");
        }
    }

    /// One fact broken, the checkpoint that sees it, what it says and a word of why.
    type Breakage = (fn(&mut CheckpointFacts), Checkpoint, Option<bool>, &'static str);

    #[test]
    fn each_broken_fact_is_seen_by_its_checkpoint_alone() {
        let breakages: [Breakage; 14] = [
            (
                |f| f.environment.build = Build::Failed("no such image".into()),
                Checkpoint::BaseEnvironment,
                Some(false),
                "no such image",
            ),
            (
                |f| f.environment.build = Build::Infrastructure("no daemon".into()),
                Checkpoint::BaseEnvironment,
                None,
                "no daemon",
            ),
            (
                |f| f.environment.manifests.clear(),
                Checkpoint::Manifest,
                Some(false),
                "No file",
            ),
            (
                |f| f.environment.python.clear(),
                Checkpoint::Dependencies,
                Some(false),
                "`pandas`",
            ),
            (
                |f| f.inside.clear(),
                Checkpoint::HardCodedPaths,
                Some(false),
                "/workspace/replication_data",
            ),
            (
                |f| f.planned_code.push("work/b.py".into()),
                Checkpoint::CodeFiles,
                Some(false),
                "`work/b.py`",
            ),
            (
                |f| f.planned_data.push("x.dta".into()),
                Checkpoint::DataPaths,
                Some(false),
                "`x.dta`",
            ),
            (
                |f| {
                    f.opened = Some(OpenedFacts {
                        files: ["replication_data/other.rds".to_owned()].into(),
                        complete: true,
                    })
                },
                Checkpoint::DataLoaded,
                Some(false),
                "other.rds",
            ),
            (|f| f.opened = None, Checkpoint::DataLoaded, None, "not recorded"),
            (
                |f| f.outputs.clear(),
                Checkpoint::OutputsWritten,
                Some(false),
                "`work/out.csv`",
            ),
            (
                |f| f.outputs[0].1 = 0,
                Checkpoint::OutputsWritten,
                Some(false),
                "`work/out.csv`",
            ),
            (
                |f| f.report = None,
                Checkpoint::ReportFilled,
                Some(false),
                "no execution report",
            ),
            (
                |f| f.output = printed("b = 7"),
                Checkpoint::ReportFilled,
                Some(false),
                "None of the 2",
            ),
            (
                |f| f.output = printed("b = -0.41"),
                Checkpoint::ReportFilled,
                None,
                "`0.003`",
            ),
        ];
        for (position, (breakage, checkpoint, expected, word)) in breakages.into_iter().enumerate() {
            let mut facts = good();
            breakage(&mut facts);
            for decision in decide(&facts) {
                if decision.checkpoint == checkpoint {
                    assert_eq!(decision.passed, expected, "{position}: {decision:?}");
                    assert!(decision.evidence.contains(word), "{position}: {decision:?}");
                } else {
                    assert_eq!(decision.passed, Some(true), "{position}: {decision:?}");
                }
            }
        }
    }

    #[test]
    fn a_script_that_failed_is_the_agents_and_a_cancelled_one_is_not() {
        let ended = |ending| {
            let mut facts = good();
            facts.entries[0].ending = ending;
            one(&facts, Checkpoint::CodeRan).0
        };
        assert_eq!(ended(Some(Ending::Exited(1))), Some(false));
        assert_eq!(ended(Some(Ending::OutOfMemory)), Some(false));
        assert_eq!(ended(None), Some(false));
        assert_eq!(ended(Some(Ending::Cancelled)), None);
        let (passed, evidence) = {
            let mut facts = good();
            facts.entries[0].ending = Some(Ending::Exited(1));
            one(&facts, Checkpoint::DataLoaded)
        };
        assert!(passed.is_none() && evidence.contains("then failed"), "{evidence}");
    }

    #[test]
    fn a_number_missing_from_half_an_output_is_not_invented() {
        let mut facts = good();
        facts.output = Some(OutputFacts {
            text: "b = 7".into(),
            complete: false,
        });
        let (passed, evidence) = one(&facts, Checkpoint::ReportFilled);
        assert!(
            passed.is_none() && evidence.contains("that was kept"),
            "{evidence}"
        );
    }

    #[test]
    fn nothing_known_decides_little_and_never_panics() {
        let decisions = decide(&CheckpointFacts::default());
        assert_eq!(decisions.len(), 10);
        assert!(decisions.iter().all(|decision| decision.passed != Some(true)));
    }

    #[test]
    fn unscanned_languages_stay_undecided() {
        let mut facts = good();
        facts.code.push(CodeFile {
            path: "work/b.do".into(),
            text: "use data, clear".into(),
        });
        assert_eq!(one(&facts, Checkpoint::Dependencies).0, None);
        assert_eq!(one(&facts, Checkpoint::HardCodedPaths).0, None);
    }
}
