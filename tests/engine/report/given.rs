//! Evidence for the synthetic run, every part filled.

use reprise::domain::doubt::{Doubt, DoubtCause};
use reprise::domain::finding::{Finding, Interval, PValue, Relation};
use reprise::domain::ids::ExecutionId;
use reprise::domain::usage::MicroDollars;
use reprise::domain::verdict::{Outcome, Verdict};
use reprise::grading::criteria::scale::ScaleRelation;
use reprise::grading::score_line::{Baseline, Headline, ScoreLine};
use reprise::report::evidence::{Evidence, FoundAt, PlanDeviation, StatisticFlag, Stream, Trace};
use reprise::report::narrative::Narrative;
use reprise::scoring::grounding::line::{Line, PaperPlace, Sought, Standing};
use reprise::verdict::deviation::Deviation;
use reprise::verdict::deviation_kind::{DeviationKind, Timing};

use crate::report::story::replication;

/// Everything a report can be given, with `hostile` in every text.
pub fn evidence(hostile: &str) -> Evidence {
    let t = |text: &str| format!("{text}{hostile}");
    let named = |finding: Finding| Finding {
        name: t(&finding.name),
        ..finding
    };
    let number = |number: &str, line: Option<u64>| Trace {
        finding: t("income (dollars)"),
        number: t(number),
        found_at: line.map(|line| FoundAt {
            execution: ExecutionId(3),
            stream: Stream::Stdout,
            line,
            text: t("income          0.00136117   0.000224212       6.07090   2.36196e-08"),
        }),
    };
    let line = |group: &str, key: &str, label: &str, value: Option<f64>, max: f64, note: &str| ScoreLine {
        group: group.into(),
        key: t(key),
        label: t(label),
        value,
        max,
        note: t(note),
    };
    Evidence {
        place: Some(t("out")),
        narrative: Narrative::default(),
        variants: None,
        sesoi: None,
        source_note: Some(t("This run holds no copy of the figures of its study.")),
        references_note: Some(t("The references have changed since this run began.")),
        probes: None,
        is_original_unclaimed: false,
        original: Some(named(Finding {
            name: "income (per cent)".into(),
            estimate: Some(0.599),
            standard_error: Some(0.120),
            interval: None,
            p_value: Some(PValue {
                relation: Relation::Less,
                value: 0.001,
            }),
            n: Some(45),
            df: None,
            ..Finding::default()
        })),
        replication: Some(named(replication())),
        findings: vec![
            named(replication()),
            named(Finding {
                name: "education (years)".into(),
                estimate: Some(4.137),
                standard_error: Some(0.349),
                interval: Some(Interval {
                    lower: 3.445,
                    upper: 4.830,
                    level: 0.95,
                }),
                p_value: Some(PValue {
                    relation: Relation::Less,
                    value: 0.001,
                }),
                n: Some(102),
                df: None,
                ..Finding::default()
            }),
        ],
        scale: ScaleRelation::Different {
            why: t("percentage points of well-paid incumbents against Canadian dollars"),
        },
        traces: vec![
            number("0.00136117", Some(8)),
            number("2.36196e-08", Some(8)),
            number("0.797", None),
        ],
        planned_data: vec!["Prestige.csv".into(), t("replication_data/codebook.txt")],
        not_honoured: Vec::new(),
        deviations: vec![PlanDeviation {
            file: t("work/replication.R"),
            diff: t(
                "--- work/replication.R as planned\n+++ work/replication.R as executed\n@@ -7,4 +7,3 @@\n path <- file.path(\"..\", \"replication_data\", \"Prestige.csv\")\n-occupations <- read.csv(path)\n-bootstrap(occupations, 2000)\n+occupations <- read.csv(path, stringsAsFactors = FALSE)\n",
            ),
        }],
        deviation_table: vec![
            Deviation {
                place: None,
                what: t("`work/replication.R` was changed after the plan was fixed"),
                kind: DeviationKind::Code,
                when: Timing::AfterResult,
                why: Some(t("the bootstrap took too long")),
                could_change: None,
                plan: Some(t("the regression of prestige on income")),
                code: Some(t("-bootstrap(occupations, 2000)")),
                report: Some(t("The bootstrap was left out of replication.R.")),
            },
            Deviation {
                place: None,
                what: t("the model used another number of rows than planned"),
                kind: DeviationKind::SampleSize,
                when: Timing::InExecution,
                why: None,
                could_change: Some(true),
                plan: Some("98 rows".into()),
                code: Some("102 rows".into()),
                report: None,
            },
        ],
        recomputed: Some(Verdict {
            cause: Some(DoubtCause::SampleSize),
            doubts: vec![Doubt::deciding(
                DoubtCause::SampleSize,
                t("The model used 102 rows, and the plan expects 98 (± 1)."),
            )],
            ..Verdict::plain(
                Outcome::Inconclusive,
                t("the sample size: The model used 102 rows, and the plan expects 98 (± 1)."),
            )
        }),
        conclusion: Some(t(
            "The income coefficient is positive and differs from zero, as in the original. Because the units differ, the size of the two coefficients cannot be compared.",
        )),
        headlines: vec![
            Headline {
                label: t("Extraction, mean of scored fields"),
                value: Some(2.36),
                max: 3.0,
                n: 13,
                scored: 13,
                total: 14,
                interval: Some(Interval {
                    lower: 1.94,
                    upper: 2.71,
                    level: 0.95,
                }),
                baseline: Some(Baseline {
                    label: t("every field “not stated”"),
                    value: 0.43,
                }),
                note: String::new(),
            },
            Headline {
                label: t("Interpretation, judged"),
                value: None,
                max: 3.0,
                n: 0,
                scored: 0,
                total: 6,
                interval: None,
                baseline: None,
                note: t("The judge gave no usable answer in three attempts."),
            },
        ],
        scores: vec![
            line(
                "Extraction",
                "claim.statement",
                "Claim",
                Some(3.0),
                3.0,
                "same claim, same figures",
            ),
            line(
                "Extraction",
                "data.sample_size",
                "Sample size",
                Some(2.0),
                3.0,
                "45, given without its unit",
            ),
            line(
                "Extraction",
                "results.p",
                "p-value",
                None,
                3.0,
                "the judge did not answer",
            ),
            line(
                "Execution",
                "1.1",
                "Environment ready",
                Some(1.0),
                1.0,
                "built on the second attempt",
            ),
            line(
                "Execution",
                "2.1",
                "Analysis ran to its end",
                Some(1.0),
                1.0,
                "x3 finished with exit status 0",
            ),
            line(
                "Execution",
                "2.3",
                "Planned data was read",
                Some(0.0),
                1.0,
                "codebook.txt was not seen",
            ),
        ],
        grounding: Some(vec![
            Line {
                sought: Sought::Quotation,
                field: t("claim.statement"),
                text: t("well-paid incumbents are rated better"),
                standing: Standing::Found,
                place: Some(PaperPlace {
                    page: Some(1),
                    printed: None,
                    context: t("more well-paid incumbents are rated better by"),
                }),
                supports: None,
                note: None,
                spans: Vec::new(),
                stated_page: None,
            },
            Line {
                sought: Sought::Number,
                field: t("results.r2"),
                text: t("0.84"),
                standing: Standing::Absent,
                place: None,
                supports: Some(t("the variance of <prestige>")),
                note: None,
                spans: Vec::new(),
                stated_page: None,
            },
        ]),
        paper_notes: vec![t(
            "The file breaks off before its end: 6 of 11 pages could be read.",
        )],
        flags: Some(vec![StatisticFlag {
            in_paper: false,
            subject: t("education"),
            detail: t("p < .001 does not follow from t(99) = 1.19."),
        }]),
        money: Some(MicroDollars(184_200)),
        has_table_prices: false,
        stage_money: Default::default(),
    }
}
