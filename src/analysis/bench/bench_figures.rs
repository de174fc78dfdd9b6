//! The figures of a whole bench, as the terminal, the page and a publication show them.

use std::collections::BTreeMap;

use super::audit::without_quarantined;
use super::cell::BenchCell;
use super::contrasts::{self, Contrast};
use super::figures::{CellFigures, CommonestVerdict, by_agent, by_arm, commonest_verdict, of_same};
use super::judged::{JudgedFigures, judged};

/// The figures of the cells of a bench.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchFigures {
    pub agents: Vec<CellFigures>,
    pub arms: Vec<CellFigures>,
    /// Those of cells of no quarantined task; empty where all are.
    pub agents_without: Vec<CellFigures>,
    pub arms_without: Vec<CellFigures>,
    pub paired_agents: Vec<Contrast>,
    pub paired_arms: Vec<Contrast>,
    pub judged: Vec<JudgedFigures>,
    pub commonest: Option<CommonestVerdict>,
}

impl BenchFigures {
    /// Of cells, and of those among them that are of no quarantined task.
    pub fn new(cells: &[BenchCell], quarantined: &BTreeMap<String, String>) -> Self {
        let others = without_quarantined(cells, quarantined);
        let (agents, arms) = (by_agent(cells), by_arm(cells));
        Self {
            agents_without: of_same(&agents, others.as_deref(), by_agent),
            arms_without: of_same(&arms, others.as_deref(), by_arm),
            agents,
            arms,
            paired_agents: contrasts::agents(cells),
            paired_arms: contrasts::arms(cells),
            judged: judged(cells),
            commonest: commonest_verdict(cells),
        }
    }
}
