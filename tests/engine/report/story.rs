//! A synthetic run with every kind of event and several things that went wrong.

use std::collections::BTreeMap;

use reprise::domain::claim::Claim;
use reprise::domain::condition::Condition;
use reprise::domain::criterion::Criterion;
use reprise::domain::digest::Digest;
use reprise::domain::doubt::{Doubt, DoubtCause};
use reprise::domain::execution::{BuildFailure, Ending, Environment, Limits, Opened, Tier};
use reprise::domain::failure::FailureCause;
use reprise::domain::finding::{Direction, Finding, Interval, PValue, Relation};
use reprise::domain::ids::{ExecutionId, RunId};
use reprise::domain::mode::{CodeAccess, CodeMode};
use reprise::domain::replication;
use reprise::domain::stage::Stage;
use reprise::domain::study_kind::{DataOrigin, Origins};
use reprise::domain::verdict::{ConditionOutcome, NumberSource, Outcome, Verdict};
use reprise::run::event::{Asking, BuildResult, DecidedBy, Event, Resumption, RunSettings, RunStarted};
use reprise::verdict::condition;

use crate::report::journal::{Writer, at, file};

pub const OUTPUT: &str = "Model: prestige ~ income + education (ordinary least squares)\nN = 102 of 102 rows\nResidual df = 99\n\nCoefficients\nterm              estimate     std_error             t             p\n(Intercept)       -6.84778       3.21898      -2.12732     0.0358858\nincome          0.00136117   0.000224212       6.07090   2.36196e-08\neducation          4.13744      0.348912       11.8581   9.52104e-21\n";

/// The journal, and the store behind it.
pub fn whole(hostile: &'static str) -> Writer {
    let mut w = Writer::new(hostile);
    let started = started(&w);
    w.event(0, Event::RunStarted(Box::new(started)));
    extract_and_search(&mut w);
    design(&mut w);
    execute(&mut w);
    interpret(&mut w);
    w
}

fn started(w: &Writer) -> RunStarted {
    RunStarted {
        format: 2,
        run: RunId::new("duncan-1961-0504-k3f"),
        engine: "0.1.0".into(),
        study: w.text("duncan-1961"),
        origins: Origins {
            data: Some(DataOrigin::Secondary),
            code: None,
        },
        title: w.text("Income and occupational prestige at equal education"),
        study_digest: Digest::compute("study"),
        claim: Claim {
            statement: w.text("Across 45 occupations of the United States in 1950, income is positively associated with occupational prestige at equal education: b = 0.599, SE = 0.120, t(42) = 5.00, p < .001."),
            hypotheses: w.text("Across occupations, income is positively associated with occupational prestige when education is held equal."),
            criterion: None,
            variants: Vec::new(),
        },
        settings: RunSettings {
            model: w.text("scripted/model-1"),
            recording: None,
            code_mode: CodeMode::Native,
            code_access: CodeAccess::Code,
            track: None,
            stages: replication::WHOLE,
            approve: "ask".into(),
            limits: Limits::default(),
            sampling: Default::default(),
            catalog: Digest::compute("catalog"),
            prices: Default::default(),
            probe: None,
            lock: None,
            as_of: None,
            wording: Default::default(),
        },
        data: vec![file("replication_data/Prestige.csv", 4_513), file("replication_data/codebook.txt", 1_290)],
        data_digest: Digest::compute("data"),
        code_searched: false,
        study_copy: None,
        capsule: None,
        notebook: None,
        code: vec![file("work/replication.R", 1_480)],
        left_out: vec![w.text("replication_data/.Rhistory is hidden.")],
    }
}

fn extract_and_search(w: &mut Writer) {
    w.stage(Stage::EXTRACT);
    w.turn(
        Stage::EXTRACT,
        0,
        "I read the paper first.",
        &[("read_file", "{\"path\": \"original_paper.pdf\"}")],
        8_200,
    );
    let paper = "A long page of the paper. ".repeat(900);
    w.result(at(Stage::EXTRACT, 0, 0), "read_file", &paper, true, None);
    w.turn(
        Stage::EXTRACT,
        1,
        "{\"original_study\": {\"claim\": \"income and prestige\"}}",
        &[],
        19_400,
    );
    w.end(
        Stage::EXTRACT,
        &["`sample_size` was a number and is kept as text"],
    );
    w.stage(Stage::SEARCH);
    w.turn(
        Stage::SEARCH,
        0,
        "<tool>search</tool>",
        &[("search", "{\"query\": \"occupational prestige\"}")],
        6_100,
    );
    w.result(
        at(Stage::SEARCH, 0, 0),
        "search",
        "No network is allowed in this run.",
        false,
        None,
    );
    w.turn(Stage::SEARCH, 1, "The answer was cut", &[], 9_000);
    w.fail(
        Stage::SEARCH,
        FailureCause::InvalidAnswer,
        "the answer was no JSON after three attempts",
    );
}

fn design(w: &mut Writer) {
    w.stage(Stage::DESIGN);
    w.turn(
        Stage::DESIGN,
        0,
        "Which column holds the census income?",
        &[("ask_person", "{\"question\": \"Is `income` in dollars?\"}")],
        7_000,
    );
    let digest = w.ask(
        1,
        at(Stage::DESIGN, 0, 0),
        Asking::Person,
        "Is `income` in dollars?",
    );
    w.decide(
        31_000,
        1,
        digest,
        (true, DecidedBy::Person, Some("Yes, Canadian dollars of 1971.")),
    );
    w.result(
        at(Stage::DESIGN, 0, 0),
        "ask_person",
        "Yes, Canadian dollars of 1971.",
        true,
        None,
    );
    w.turn(
        Stage::DESIGN,
        1,
        "I write the plan.",
        &[
            ("write_file", "{\"path\": \"work/replication.R\"}"),
            ("fetch", "{\"url\": \"https://example.org\"}"),
        ],
        12_500,
    );
    let digest = w.ask(
        2,
        at(Stage::DESIGN, 1, 0),
        Asking::Write,
        "write work/replication.R",
    );
    w.decide(
        250,
        2,
        digest,
        (
            true,
            DecidedBy::Policy,
            Some("files of the work folder may be written"),
        ),
    );
    w.result(
        at(Stage::DESIGN, 1, 0),
        "write_file",
        "Written.",
        true,
        Some(("work/replication.R", "occupations <- read.csv(path)\n")),
    );
    let digest = w.ask(
        3,
        at(Stage::DESIGN, 1, 1),
        Asking::Network,
        "fetch https://example.org",
    );
    w.decide(0, 3, digest, (false, DecidedBy::Setting, None));
    w.result(at(Stage::DESIGN, 1, 1), "fetch", "Refused.", false, None);
    w.turn(
        Stage::DESIGN,
        2,
        "{\"hypothesis_test_specification\": {}}",
        &[],
        21_000,
    );
    w.end(Stage::DESIGN, &[]);
}

fn execute(w: &mut Writer) {
    let stage = Stage::EXECUTE;
    w.stage(stage);
    w.turn(stage, 0, "I run the analysis.", &[("execute", "{}")], 4_000);
    let failure = BuildFailure {
        cause: FailureCause::Setup,
        summary: w.text("The package `carDatta` is not known to CRAN or Debian."),
        packages: vec![w.text("carDatta")],
        log: w.text("E: Unable to locate package r-cran-cardatta\n"),
    };
    w.event(
        2_000,
        Event::Built {
            at: at(stage, 0, 0),
            digest: Digest::compute("spec-1"),
            tier: Tier::Landlock,
            result: BuildResult::Failed(failure),
            wall_ms: 1_950,
            notes: Vec::new(),
        },
    );
    w.result(
        at(stage, 0, 0),
        "execute",
        "The package `carDatta` is not known.",
        false,
        None,
    );
    w.turn(
        stage,
        1,
        "I mend the list of packages.",
        &[("execute", "{}")],
        5_000,
    );
    let environment = Environment {
        id: Digest::compute("environment"),
        versions: BTreeMap::from([
            ("R".to_owned(), w.text("4.2.2")),
            ("system".to_owned(), w.text("Debian 12")),
        ]),
        location: "/var/lib/reprise/env".into(),
        built: true,
    };
    w.event(
        24_000,
        Event::Built {
            at: at(stage, 1, 0),
            digest: Digest::compute("spec-2"),
            tier: Tier::Landlock,
            result: BuildResult::Ready(environment),
            wall_ms: 23_900,
            notes: Vec::new(),
        },
    );
    let digest = w.ask(4, at(stage, 1, 0), Asking::Execute, "Rscript work/replication.R");
    w.decide(
        42_000,
        4,
        digest,
        (
            false,
            DecidedBy::Person,
            Some("Leave the bootstrap out of the first run."),
        ),
    );
    w.result(
        at(stage, 1, 0),
        "execute",
        "Refused: leave the bootstrap out.",
        false,
        None,
    );
    w.turn(
        stage,
        2,
        "Without the bootstrap, then.",
        &[("execute", "{}")],
        6_000,
    );
    let digest = w.ask(
        5,
        at(stage, 2, 0),
        Asking::Execute,
        "Rscript work/replication.R, without the bootstrap",
    );
    w.decide(18_000, 5, digest, (true, DecidedBy::Person, None));
    w.execution(1, at(stage, 2, 0), 0, "work/replication.R", digest);
    w.event(
        35_000,
        Event::Resumed(Resumption {
            note: w.text("a torn last line of 87 bytes was dropped"),
            ..Resumption::default()
        }),
    );
    w.event(5, Event::ExecutionInterrupted { id: ExecutionId(1) });
    w.execution(2, at(stage, 2, 0), 0, "work/replication.R", digest);
    let failed = Opened {
        files: vec![],
        complete: true,
    };
    w.finished(
        2,
        900,
        Ending::Exited(1),
        (
            "Reading the data.\n",
            "Error in file(file, \"rt\") : cannot open the connection\n",
        ),
        failed,
    );
    w.result(at(stage, 2, 0), "execute", "Exit status 1.", false, None);
    w.turn(stage, 3, "The path was wrong.", &[("execute", "{}")], 5_500);
    w.execution(3, at(stage, 3, 0), 0, "work/replication.R", digest);
    let opened = Opened {
        files: [
            "replication_data/Prestige.csv",
            "replication_data/census.csv",
            "work/replication.R",
        ]
        .map(|path| path.parse().unwrap())
        .to_vec(),
        complete: false,
    };
    w.finished(
        3,
        2_300,
        Ending::Exited(0),
        (OUTPUT, "Loading required package: stats\n"),
        opened,
    );
    w.result(at(stage, 3, 0), "execute", OUTPUT, true, None);
    w.turn(stage, 4, "{\"results\": {}}", &[], 9_000);
    w.end(stage, &[]);
}

fn interpret(w: &mut Writer) {
    w.stage(Stage::INTERPRET);
    w.turn(
        Stage::INTERPRET,
        0,
        "{\"interpretation_summary\": \"replicated\"}",
        &[],
        11_000,
    );
    w.end(Stage::INTERPRET, &[]);
    let criterion = Criterion::significance(w.text("income"), Direction::Positive, 0.05, true);
    let mut finding = replication();
    finding.name = w.text("income");
    let judged = condition::judge(&criterion.condition(), &finding, &[]);
    let (outcome, reason) = (judged.outcome, judged.reason);
    let condition = |term: String| Condition::significance(term, Direction::Positive, 0.05, 2);
    let doubt = w.text("x1 gave the estimate 0.001; then `work/replication.R` was changed.");
    let conditions = vec![
        ConditionOutcome {
            condition: condition(w.text("income")),
            outcome,
            reason: w.text("`income` is 0.00136117"),
            decides: true,
        },
        ConditionOutcome {
            condition: condition(w.text("education")),
            outcome: Outcome::Unmet,
            reason: w.text("`education` is -0.2"),
            decides: false,
        },
    ];
    let departure = w.text("alpha 0.05, not 0.01 (no reason is given)");
    w.event(
        3,
        Event::RunFinished {
            verdict: Box::new(Verdict {
                criterion: Some(Box::new(criterion)),
                finding: Some(finding),
                agent: Some(Outcome::Unmet),
                doubts: vec![Doubt::beside(DoubtCause::ChangedAfterResult, doubt)],
                conditions,
                departure: Some(departure),
                source: Some(NumberSource::Recorded),
                ..Verdict::plain(outcome, reason)
            }),
        },
    );
}

/// The focal finding of the bundled study's replication.
pub fn replication() -> Finding {
    Finding {
        name: "income (dollars)".into(),
        estimate: Some(0.001_361_17),
        standard_error: Some(0.000_224_212),
        interval: Some(Interval {
            lower: 0.000_916_3,
            upper: 0.001_806_1,
            level: 0.95,
        }),
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: 2.361_96e-8,
        }),
        n: Some(102),
        df: None,
        ..Finding::default()
    }
}
