//! The pages' views, from the runs of attempts and their task files.

use std::collections::BTreeMap;

use crate::analysis::capsule::attempt::{AttemptGrade, CapsuleAttempt, QuestionOutcome};
use crate::capsule::layout::level::{Layout, Level};
use crate::capsule::task_file::{CapsuleId, CapsuleTask};
use crate::capsule::terms::CapsuleTerms;
use crate::domain::failure::FailureCause;
use crate::domain::usage::MicroDollars;
use crate::engine::run_reader::RunReader;
use crate::model::name::CLIENT;
use crate::report::money;
use crate::report::spending::Spending;
use crate::report::timeline::between;
use crate::run::decide::failed_stage;
use crate::scoring::capsule::strict::{self, GradedAnswer};
use crate::scoring::released::capsule::grade::grade;
use crate::scoring::released::capsule::tallies::{Aliases, GraderName};
use crate::scoring::released::capsule::value::PythonValue;

use super::task_view::{
    AnswerMark, AttemptView, CapsuleTaskView, GraderOutcome, GraderView, QuestionView, questions,
};

/// The name of our own grader.
pub const STRICT: &str = "strict";

/// The run of an attempt, with its task, its answers and what it took.
pub struct AttemptRun<'a> {
    /// The agent, with the number of a repeat where there are several.
    pub name: String,
    pub run: &'a RunReader,
    pub terms: &'a CapsuleTerms,
    pub task: &'a CapsuleTask,
    /// The reason for which nobody can grade it, as a clause.
    unscored: Option<String>,
    gold: PythonValue,
    answers: PythonValue,
    /// Each answer by our own grader.
    graded: Vec<GradedAnswer>,
    taken: Taken,
}

impl<'a> AttemptRun<'a> {
    /// Reads the answers of a run and grades them.
    pub fn new(name: String, run: &'a RunReader, terms: &'a CapsuleTerms, task: &'a CapsuleTask) -> Self {
        // What is no JSON is no list of runs either.
        let gold = PythonValue::parse(task.gold.json()).unwrap_or(PythonValue::None);
        let answers = report(run);
        let graded = strict::grade(&gold, &answers);
        let no_gold = || "its gold answers cannot be read".to_owned();
        Self {
            unscored: unscored(run).or_else(|| graded.is_none().then(no_gold)),
            graded: graded.unwrap_or_default(),
            taken: taken(run),
            name,
            run,
            terms,
            task,
            gold,
            answers,
        }
    }

    /// The answer to a question.
    fn answer(&self, question: &str) -> Option<&PythonValue> {
        match &self.answers {
            PythonValue::Dict(given) => given.get(question),
            _ => None,
        }
    }
}

/// The agent of a run: its model, and how that draws; of a program its name and its definition as well,
/// since other versions are other agents.
pub fn agent(run: &RunReader) -> String {
    let started = run.state.started.as_ref();
    let model = started.map_or(run.request.model.as_str(), |started| {
        started.settings.model.as_str()
    });
    let sampling = run.state.sampling;
    if let Some(program) = run.state.stages.values().find_map(|stage| stage.programs.first()) {
        let started = &program.started;
        return format!("{} {} ({model})", started.agent, started.definition.short());
    }
    let own = run.request.stage_agent();
    if model == CLIENT {
        "a client (unmetered)".to_owned()
    } else if let Some(own) = own {
        match sampling == Default::default() {
            true => format!("{own} ({model})"),
            false => format!("{own} ({model}, {sampling})"),
        }
    } else if sampling == Default::default() {
        model.to_owned()
    } else {
        format!("{model} ({sampling})")
    }
}

/// The reason for which nobody can grade a run, as a clause; `None` of one that is graded.
pub fn unscored(run: &RunReader) -> Option<String> {
    let failure = failed_stage(&run.state);
    if let Some(failure) = &failure
        && !failure.cause.is_agents()
    {
        return Some(format!(
            "it ended by {}: {}",
            failure.cause.name(),
            failure.detail
        ));
    }
    // A limit is a part of the terms: what was not handed in by then is wrong.
    let at_limit = failure.is_some_and(|failure| failure.cause == FailureCause::Limit);
    (run.state.grade.is_none() && !at_limit).then(|| "it has not ended".to_owned())
}

fn report(run: &RunReader) -> PythonValue {
    let nothing = || PythonValue::Dict(Default::default());
    let stage = run.state.track().result_stage();
    let artifact = stage.and_then(|stage| run.state.stages.get(&stage)?.artifact());
    let text = artifact.and_then(|artifact| run.text(artifact).ok());
    text.and_then(|text| PythonValue::parse(&text).ok())
        .unwrap_or_else(nothing)
}

/// The figures of an attempt, by our own grader.
pub fn attempt(attempt: &AttemptRun<'_>) -> CapsuleAttempt {
    let (terms, taken) = (attempt.terms, &attempt.taken);
    let outcome = |one: &GradedAnswer| QuestionOutcome {
        is_about_figure: one.is_about_figure,
        answered: attempt.answer(&one.question).is_some(),
        right: one.right,
    };
    CapsuleAttempt {
        task: terms.id.to_string(),
        field: terms.field.clone(),
        language: terms.language.clone(),
        level: terms.level,
        needs_gpu: terms.needs_gpu,
        agent: agent(attempt.run),
        grade: match &attempt.unscored {
            Some(why) => AttemptGrade::Unscored(why.clone()),
            None => AttemptGrade::Graded(attempt.graded.iter().map(outcome).collect()),
        },
        cost: taken.cost,
        seconds: taken.seconds,
        tokens: taken.tokens,
    }
}

/// Money, time and tokens of an attempt; absent where they are not known.
struct Taken {
    cost: Option<MicroDollars>,
    seconds: Option<f64>,
    tokens: Option<u64>,
}

fn taken(run: &RunReader) -> Taken {
    let spending = Spending::sum(run.state.stages.values().map(Spending::from_stage));
    let ends = run.records.first().zip(run.records.last());
    Taken {
        cost: money::money(run, run.state.stages.values()),
        seconds: ends.map(|(first, last)| between(first.at, last.at) as f64 / 1000.0),
        tokens: (spending.usage.total() > 0).then(|| spending.usage.total()),
    }
}

/// A task at one level with all attempts at it.
pub fn tasks(attempts: &[AttemptRun<'_>]) -> Vec<CapsuleTaskView> {
    let mut views = BTreeMap::<(&CapsuleId, Level, Layout), CapsuleTaskView>::new();
    for attempt in attempts {
        let terms = attempt.terms;
        let Some(empty) = questions(&attempt.gold) else {
            continue;
        };
        let view = views
            .entry((&terms.id, terms.level, terms.layout))
            .or_insert_with(|| CapsuleTaskView {
                task: terms.id.to_string(),
                title: attempt.task.title.clone(),
                field: terms.field.clone(),
                language: terms.language.clone(),
                level: terms.level,
                layout: terms.layout,
                needs_gpu: terms.needs_gpu,
                prompt: attempt.task.prompt.clone(),
                doi: attempt.task.doi.clone(),
                attempts: Vec::new(),
                questions: empty,
            });
        add(view, attempt);
    }
    views.into_values().collect()
}

fn add(view: &mut CapsuleTaskView, attempt: &AttemptRun<'_>) {
    let task = attempt.terms.id.as_str();
    let others = GraderName::ALL.into_iter().map(|name| {
        let graded = grade(name, task, &attempt.gold, &attempt.answers, &Aliases::default());
        GraderView {
            grader: name.word().to_owned(),
            outcome: match graded {
                Ok(tallies) => GraderOutcome::Graded {
                    solved: tallies.solves(name),
                    tallies,
                },
                Err(raised) => GraderOutcome::Raised(raised.to_string()),
            },
        }
    });
    let own = GraderView {
        grader: STRICT.to_owned(),
        outcome: GraderOutcome::Graded {
            solved: strict::solves(&attempt.graded),
            tallies: strict::tallies(&attempt.graded),
        },
    };
    view.attempts.push(AttemptView {
        name: attempt.name.clone(),
        unscored: attempt.unscored.clone(),
        grades: std::iter::once(own).chain(others).collect(),
        cost: attempt.taken.cost,
        seconds: attempt.taken.seconds,
        tokens: attempt.taken.tokens,
    });
    for (question, graded) in view.questions.iter_mut().zip(&attempt.graded) {
        answer(question, graded, attempt);
    }
}

fn answer(question: &mut QuestionView, graded: &GradedAnswer, attempt: &AttemptRun<'_>) {
    let mark = AnswerMark {
        grader: STRICT.to_owned(),
        right: graded.right,
        why: graded.why.map(|why| why.words().to_owned()),
    };
    let added = question.answer(&attempt.name, attempt.answer(&graded.question), vec![mark]);
    if let Some(text) = added.text.clone() {
        added.read_from = read_from(attempt.run, &text);
    }
}

/// The first output of the attempt in which a value stands, as its turn and its line.
fn read_from(run: &RunReader, text: &str) -> Option<String> {
    // Anything shorter stands anywhere.
    if text.chars().filter(|found| found.is_alphanumeric()).count() < 3 {
        return None;
    }
    for (stage, state) in &run.state.stages {
        for (turn, state) in (1..).zip(&state.turns) {
            for result in state.results.values().filter(|result| result.act.is_some()) {
                let output = run.text(&result.observation).ok()?;
                if let Some((line, _)) = (1..).zip(output.lines()).find(|(_, line)| line.contains(text)) {
                    return Some(format!("{stage}, turn {turn}, line {line} of what was printed"));
                }
            }
        }
    }
    None
}
