//! The page of a bench: agents, arms, and every cell with its run.

use std::collections::BTreeMap;

use minijinja::context;
use serde::Serialize;

use crate::analysis::bench::audit::{AuditedTask, reference_lines};
use crate::analysis::bench::bench_figures::BenchFigures;
use crate::analysis::bench::breakdown::{
    CauseCount, FacetShare, StageFigures, TaskShares, by_cause, by_facet, by_stage, by_task,
};
use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::analysis::bench::details::Facet;
use crate::analysis::bench::figures::CellFigures;
use crate::analysis::bench::frontier::frontier;
use crate::analysis::bench::judge_audit::AuditedJudge;
use crate::analysis::bench::labelled::{LabelledFigures, labelled};
use crate::analysis::bench::reviews::{self, ReviewFigures, ReviewedCell};
use crate::report::capsule::task_page::{pages, style};
use crate::report::template::{TemplateError, value};

use super::cost_chart::CostChart;
use super::figure_tables::{self, FigureTable, amounts, costs, labels, passes, reliabilities, shares};
use super::{breakdown_tables, review_tables};

/// A row of the map: a task under one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct TaskRow<'a> {
    kind: TaskKind,
    task: &'a str,
    arm: String,
    /// One an agent, in the order of their names.
    agents: Vec<Vec<&'a BenchCell>>,
}

/// The targets of cells in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Runs,
    /// The runs are not beside the page.
    None,
}

/// The content of a page: cells of a bench, of so many that are planned.
#[derive(Debug, Clone, Copy)]
pub struct BenchPage<'a> {
    pub name: &'a str,
    pub planned: usize,
    pub cells: &'a [BenchCell],
    pub audit: &'a [AuditedTask],
    /// Why planned cells are of quarantined tasks, by their ids.
    pub quarantined: &'a BTreeMap<String, String>,
    /// Cells whose runs are no longer there: they are told, and in no figure.
    pub gone: &'a [BenchCell],
    pub judges: &'a [AuditedJudge],
    pub reviews: &'a [ReviewedCell],
    pub links: Links,
}

impl BenchPage<'_> {
    /// Renders it as one self-contained page.
    ///
    /// # Errors
    /// A template that does not fit.
    pub fn render(&self) -> Result<String, TemplateError> {
        let cells = self.cells;
        let mut agents: Vec<&str> = cells.iter().map(|cell| cell.agent.as_str()).collect();
        agents.sort_unstable();
        agents.dedup();
        let mut environment = pages()?;
        for (name, source) in TEMPLATES {
            environment.add_template(name, source)?;
        }
        let page = environment.get_template("bench.html")?;
        let figures = PageFigures::new(self, &agents);
        let of_bench = &figures.of_bench;
        Ok(page.render(context! {
            name => self.name,
            planned => self.planned,
            cells => cells.len(),
            tables => value(figures.tables(cells, &agents)),
            charts => value(figures.charts()),
            commonest => value(of_bench.commonest),
            labelled => value(&figures.labelled),
            judged => value(&of_bench.judged),
            unjudged => value(unjudged(cells)),
            references => value(reference_lines(self.audit)),
            figures_without => value(&of_bench.agents_without),
            arms_without => value(&of_bench.arms_without),
            quarantined_cells => self.quarantined.len(),
            gone => value(self.gone),
            audited => self.audit.len(),
            quarantined => value(self.audit.iter().filter(|task| task.is_quarantined()).collect::<Vec<_>>()),
            judges => value(self.judges),
            linked => self.links == Links::Runs,
            repeated => cells.iter().filter(|cell| cell.attempt > 1).count(),
            rows => value(rows(cells, &agents)),
            figures => value(&of_bench.agents),
            arms => value(&of_bench.arms),
            paired_agents => value(&of_bench.paired_agents),
            paired_arms => value(&of_bench.paired_arms),
            splits => value(splits(&figures.facets, &agents)),
            causes => value(figures.causes),
            stages => value(figures.stages),
            tasks => value(figures.tasks),
            reviews => value(figures.reviews),
            agents => value(agents),
            style => style(),
        })?)
    }
}

/// The templates of the page.
const TEMPLATES: [(&str, &str); 3] = [
    ("bench.html", include_str!("../templates/bench.html")),
    (
        "bench_breakdown.html",
        include_str!("../templates/bench_breakdown.html"),
    ),
    (
        "bench_reviews.html",
        include_str!("../templates/bench_reviews.html"),
    ),
];

/// Everything that is counted for a page.
struct PageFigures {
    of_bench: BenchFigures,
    facets: Vec<FacetShare>,
    causes: Vec<CauseCount>,
    stages: Vec<StageFigures>,
    tasks: Vec<TaskShares>,
    reviews: Vec<ReviewFigures>,
    labelled: Option<LabelledFigures>,
}

impl PageFigures {
    fn new(page: &BenchPage<'_>, names: &[&str]) -> Self {
        let cells = page.cells;
        Self {
            of_bench: BenchFigures::new(cells, page.quarantined),
            facets: by_facet(cells),
            causes: by_cause(cells),
            stages: by_stage(cells),
            tasks: by_task(cells, names),
            reviews: reviews::figures(page.reviews),
            labelled: labelled(cells),
        }
    }

    fn charts(&self) -> BTreeMap<TaskKind, CostChart> {
        let charts = TaskKind::ALL.into_iter();
        charts
            .filter_map(|kind| Some((kind, CostChart::new(frontier(&self.of_bench.agents, kind))?)))
            .collect()
    }

    fn tables(&self, cells: &[BenchCell], agents: &[&str]) -> Tables {
        let tables_of = |rows: &[CellFigures], of: &str| {
            let tables = TaskKind::ALL.into_iter();
            tables
                .filter_map(|kind| Some((kind, shares(rows, kind, of)?)))
                .collect()
        };
        Tables {
            agents: tables_of(&self.of_bench.agents, "agents"),
            arms: tables_of(&self.of_bench.arms, "arms"),
            costs: (TaskKind::ALL.into_iter())
                .filter_map(|kind| Some((kind, costs(&frontier(&self.of_bench.agents, kind), kind)?)))
                .collect(),
            paired_agents: figure_tables::contrasts(&self.of_bench.paired_agents, "agent-pairs.csv"),
            paired_arms: figure_tables::contrasts(&self.of_bench.paired_arms, "arm-pairs.csv"),
            repeats: passes(&self.of_bench.agents),
            consistency: reliabilities(&self.of_bench.agents),
            amounts: amounts(&self.of_bench.agents),
            facets: breakdown_tables::facets(&self.facets),
            causes: breakdown_tables::causes(&self.causes),
            stages: breakdown_tables::stages(&self.stages),
            tasks: breakdown_tables::tasks(&self.tasks, agents),
            cells: breakdown_tables::cells(cells),
            reviews: review_tables::values(&self.reviews),
            agreement: review_tables::agreement(&self.reviews),
            resolutions: review_tables::resolutions(&self.reviews),
            labelled: self.labelled.as_ref().and_then(labels),
            judged: figure_tables::judged(&self.of_bench.judged),
        }
    }
}

/// The tables that can be downloaded.
#[derive(Debug, Serialize)]
struct Tables {
    agents: BTreeMap<TaskKind, FigureTable>,
    arms: BTreeMap<TaskKind, FigureTable>,
    costs: BTreeMap<TaskKind, FigureTable>,
    paired_agents: Option<FigureTable>,
    paired_arms: Option<FigureTable>,
    repeats: Option<FigureTable>,
    consistency: Option<FigureTable>,
    amounts: Option<FigureTable>,
    facets: Option<FigureTable>,
    causes: Option<FigureTable>,
    stages: Option<FigureTable>,
    tasks: Option<FigureTable>,
    cells: Option<FigureTable>,
    reviews: Option<FigureTable>,
    agreement: Option<FigureTable>,
    resolutions: Option<FigureTable>,
    labelled: Option<FigureTable>,
    judged: Option<FigureTable>,
}

/// The cells whose judge has not given all marks.
fn unjudged(cells: &[BenchCell]) -> Vec<&BenchCell> {
    cells.iter().filter(|cell| cell.lacks_marks().is_some()).collect()
}

/// A row of a split: a value of a facet, with each agent's share.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct SplitRow<'a> {
    kind: TaskKind,
    facet: Facet,
    value: &'a str,
    tasks: usize,
    clusters: usize,
    agents: Vec<Option<&'a FacetShare>>,
}

/// The splits, of facets with several values alone: one value splits nothing.
fn splits<'a>(shares: &'a [FacetShare], agents: &[&str]) -> Vec<SplitRow<'a>> {
    let mut rows: Vec<SplitRow<'a>> = Vec::new();
    for share in shares {
        let place = agents.iter().position(|agent| *agent == share.agent);
        let own = (share.kind, share.facet, share.value.as_str());
        let known = rows
            .iter()
            .position(|row| (row.kind, row.facet, row.value) == own);
        let at = known.unwrap_or(rows.len());
        if known.is_none() {
            rows.push(SplitRow {
                kind: share.kind,
                facet: share.facet,
                value: &share.value,
                tasks: 0,
                clusters: 0,
                agents: vec![None; agents.len()],
            });
        }
        if let (Some(row), Some(place)) = (rows.get_mut(at), place) {
            row.tasks = row.tasks.max(share.tasks);
            row.clusters = row.clusters.max(share.clusters);
            if let Some(own) = row.agents.get_mut(place) {
                *own = Some(share);
            }
        }
    }
    let values = |row: &SplitRow<'_>| {
        let same = rows
            .iter()
            .filter(|other| (other.kind, other.facet) == (row.kind, row.facet));
        same.count()
    };
    let kept: Vec<bool> = rows.iter().map(|row| values(row) > 1).collect();
    let kept = rows.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept);
    kept.map(|(row, _)| row).collect()
}

fn rows<'a>(cells: &'a [BenchCell], agents: &[&str]) -> Vec<TaskRow<'a>> {
    let mut rows = BTreeMap::<(TaskKind, &str, String), Vec<&BenchCell>>::new();
    for cell in cells {
        let arm: Vec<_> = cell
            .arm
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        rows.entry((cell.kind, &cell.task, arm.join(", ")))
            .or_default()
            .push(cell);
    }
    rows.into_iter()
        .map(|((kind, task, arm), cells)| TaskRow {
            kind,
            task,
            arm,
            agents: agents
                .iter()
                .map(|agent| {
                    cells
                        .iter()
                        .copied()
                        .filter(|cell| cell.agent == *agent)
                        .collect()
                })
                .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::analysis::bench::audit::AuditedAttempt;
    use crate::analysis::bench::cell::CellResult;
    use crate::analysis::bench::details::{CellDetails, StageAmounts};
    use crate::analysis::bench::reviews::CellField;
    use crate::domain::failure::FailureCause;

    fn cell(task: &str, agent: &str, result: CellResult) -> BenchCell {
        BenchCell {
            cell: "c0ffee".to_owned(),
            kind: TaskKind::Capsule,
            task: task.to_owned(),
            agent: agent.to_owned(),
            arm: [("level".to_owned(), "hard".to_owned())].into(),
            repeat: 1,
            attempt: 1,
            folder: PathBuf::from("cells/one"),
            result,
            words: "score 1.000".to_owned(),
            score: Some(1.0),
            tokens: 0,
            cost: None,
            seconds: None,
            study: Vec::new(),
            gone: false,
            labelled: None,
            judged: None,
            details: CellDetails::default(),
        }
    }

    static NONE: BTreeMap<String, String> = BTreeMap::new();

    fn page<'a>(name: &'a str, planned: usize, cells: &'a [BenchCell]) -> BenchPage<'a> {
        BenchPage {
            name,
            planned,
            cells,
            audit: &[],
            quarantined: &NONE,
            gone: &[],
            judges: &[],
            reviews: &[],
            links: Links::Runs,
        }
    }

    #[test]
    fn names_are_text_and_what_is_not_known_is_said() {
        let cells = [
            cell("<script>", "a", CellResult::Solved),
            cell("t", "b", CellResult::Unscored),
        ];
        let page = page("<b>bench</b>", 3, &cells).render().unwrap();
        assert!(!page.contains("<script>") && !page.contains("<b>bench</b>"));
        assert!(page.contains("2 of 3 planned"));
        assert!(page.contains("cells/one/report.html"));
        assert!(page.contains("1 unscored"), "{page}");
        let alone = BenchPage {
            links: Links::None,
            ..self::page("bench", 3, &cells)
        };
        let alone = alone.render().unwrap();
        assert!(!alone.contains("report.html") && alone.contains(">solved</span>"));
    }

    #[test]
    fn every_result_has_its_place() {
        use CellResult::{Failed, Inconclusive, Met, NotSolved, Solved, Unmet, Unscored};
        let all = [Met, Unmet, Inconclusive, Solved, NotSolved, Failed, Unscored];
        let cells = all.map(|result| cell("t", "a", result));
        let page = page("all", 7, &cells).render().unwrap();
        for word in [
            "met",
            "unmet",
            "inconclusive",
            "solved",
            "not solved",
            "failed",
            "unscored",
        ] {
            assert!(page.contains(&format!(">{word}</a>")), "{word}");
        }
    }

    /// Six repeats of two tasks are two tasks, and the page says that they are too few.
    #[test]
    fn agents_and_arms_are_compared_by_task() {
        let mut cells = Vec::new();
        for repeat in 1..=6 {
            for (task, level) in [("t", "easy"), ("u", "easy"), ("t", "hard"), ("u", "hard")] {
                for (agent, result) in [("a", CellResult::Solved), ("b", CellResult::NotSolved)] {
                    let mut cell = cell(task, agent, result);
                    cell.arm.insert("level".to_owned(), level.to_owned());
                    cell.repeat = repeat;
                    cells.push(cell);
                }
            }
        }
        let text = page("pairs", 48, &cells).render().unwrap();
        assert!(
            !text.contains("McNemar") && !text.contains("as if pairs"),
            "{text}"
        );
        for part in [
            "agent-pairs.csv",
            "arm-pairs.csv",
            // a and b part at both tasks; p cannot be less.
            r#"<td data-label="First">a <span class="quiet">(capsule)</span></td><td data-label="Second">b</td>"#,
            r#"<td class="n" data-label="Pairs">24</td><td class="n" data-label="Tasks, clusters">2, 2</td>"#,
            r#"<td class="n" data-label="p">0.500</td>"#,
            "too few: p is 0.500 at the least",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let repeats = text.split("id=\"repeats\"").nth(1).unwrap();
        assert!(
            !repeats
                .split("</section>")
                .next()
                .unwrap()
                .contains(r#"data-label="Clusters">4<"#)
        );
    }

    #[test]
    fn what_was_never_tried_earned_nothing_and_is_in_no_share() {
        let attempt = |success| AuditedAttempt {
            agent: "null".to_owned(),
            success,
            score: None,
            words: String::new(),
            unearned: Vec::new(),
        };
        let tried = |task: &str, success| AuditedTask {
            kind: TaskKind::Capsule,
            task: task.to_owned(),
            content: String::new(),
            arm: BTreeMap::new(),
            trivial: vec![attempt(success)],
            known_good: None,
            reasons: Vec::new(),
        };
        let audit = [tried("t", Some(false)), tried("u", None)];
        let cells = [cell("t", "a", CellResult::Solved)];
        let whole = BenchPage {
            audit: &audit,
            ..page("audited", 1, &cells)
        };
        let text = whole.render().unwrap();
        assert!(
            text.contains(r#"data-label="n">0/1</td><td class="n" data-label="Tasks">1</td>"#),
            "{text}"
        );
        assert!(text.contains("1 not tried"), "{text}");
    }

    #[test]
    fn a_bench_without_results_has_a_page() {
        assert!(page("none", 3, &[]).render().unwrap().contains("0 of 3 planned"));
    }

    #[test]
    fn figures_of_details_and_reviews_have_their_places() {
        let mut cells = [
            cell("t", "a", CellResult::Solved),
            cell("u", "a", CellResult::Failed),
        ];
        cells[0].details.language = Some("R".to_owned());
        cells[1].details.language = Some("Python".to_owned());
        cells[1].details.cause = Some(FailureCause::Limit);
        cells[1].details.failed_stage = Some("reproduce".to_owned());
        for cell in &mut cells {
            cell.details.stages.push(StageAmounts {
                stage: "reproduce".to_owned(),
                seconds: 2.0,
                tokens: 5,
                turns: 1,
            });
        }
        let review = |value: &str, success| ReviewedCell {
            cell: "c".to_owned(),
            task: "t".to_owned(),
            agent: "a".to_owned(),
            judge: "<judge>".to_owned(),
            success: Some(success),
            fields: vec![CellField {
                field: "obstacle_resolution".to_owned(),
                value: Some(value.to_owned()),
                by_code: false,
                given: Vec::new(),
            }],
        };
        let reviews = [review("direct_fix", true), review("alternative_code", false)];
        let whole = BenchPage {
            reviews: &reviews,
            ..page("all", 2, &cells)
        };
        let text = whole.render().unwrap();
        for part in ["#splits", "#causes", "#stages", "#tasks", "#reviews"] {
            assert!(text.contains(&format!("href=\"{part}\"")), "{part}");
        }
        assert!(text.contains("splits.csv") && text.contains("resolutions.csv") && !text.contains("<judge>"));
        assert!(text.contains("direct fix") && text.contains(">limit<"), "{text}");
        // What is not known has no section.
        let bare = [cell("t", "a", CellResult::Solved)];
        let text = page("bare", 1, &bare).render().unwrap();
        assert!(!text.contains("#splits") && !text.contains("#reviews") && text.contains("#tasks"));
    }
}
