//! The caps of a bench file on all cells together, and on all cells of an agent.

use std::collections::BTreeMap;

use serde::Serialize;

use super::allotment::{AllottedCell, CappedGroup, allot_within, is_unlimited, least, nothing_more};
use super::file::{BenchFile, SettingValue};
use super::setting::Setting;
use crate::cli::exit::Failure;
use crate::cli::output::printable;
use crate::domain::format;
use crate::policy::cap::Cap;
use crate::policy::limits::{Budget, Caps, Used};
use crate::policy::scope::{Quantity, Scope};

/// Amounts that the cells of an agent have spent; of all cells where none is named.
pub type SpentBy<'a> = dyn Fn(Option<&str>) -> Used + 'a;

/// The caps of a bench file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BenchLimits {
    /// On all cells together.
    pub all: Caps,
    /// On all cells of an agent, by its name.
    pub agents: BTreeMap<String, Caps>,
}

/// A cell as it counts in the division, with its agent.
#[derive(Debug, Clone, Copy)]
pub struct CellOfAgent<'a> {
    pub agent: &'a str,
    pub cell: AllottedCell,
}

impl BenchLimits {
    /// Reads those of a file.
    ///
    /// # Errors
    /// Values that are none, all at once.
    pub fn read(file: &BenchFile) -> Result<Self, Failure> {
        let mut faults = Vec::new();
        let mut caps = |limits: &BTreeMap<String, SettingValue>, of: String| match caps(limits) {
            Ok(caps) => caps,
            Err(why) => {
                faults.push(format!("{of}: {why}"));
                Caps::default()
            }
        };
        let all = caps(&file.limits, "[limits]".to_owned());
        let capped = file.agents.iter().filter(|agent| !agent.limits.is_empty());
        let agents = capped
            .map(|agent| {
                let of = format!("`limits` of the agent `{}`", agent.name);
                (agent.name.clone(), caps(&agent.limits, of))
            })
            .collect();
        match faults.is_empty() {
            true => Ok(Self { all, agents }),
            false => Err(Failure::usage(faults.join("\n"))),
        }
    }

    /// The caps that hold for an agent's cells: the least of its own and of those on all.
    pub fn of_agent(&self, agent: &str) -> Caps {
        self.agents
            .get(agent)
            .map_or(self.all, |own| least(own, &self.all))
    }

    /// Caps that allow a cell of an agent nothing beyond what it spent.
    pub fn nothing_more(&self, agent: &str, spent: Used) -> Caps {
        nothing_more(&self.of_agent(agent), spent)
    }

    /// Divides what is left of them among cells: the caps of each, `None` of one that wants nothing
    /// or for which nothing is left.
    ///
    /// # Errors
    /// Cells at work that these caps do not hold for.
    pub fn divide(&self, cells: &[CellOfAgent<'_>]) -> Result<Vec<Option<Caps>>, Failure> {
        let groups = self.groups(cells.iter().map(|one| one.agent));
        let cells: Vec<AllottedCell> = cells.iter().map(|one| one.cell).collect();
        match is_unlimited(&self.all, &groups, &cells) {
            true => Err(Failure::usage(
                "[limits] came into the file after cells began without them: `reprise bench stop` first, or wait for their \
                 end, so that they hold for all",
            )),
            false => Ok(allot_within(&self.all, &groups, &cells)),
        }
    }

    /// The agents with caps of their own, each with the places of its cells among these.
    fn groups<'a>(&self, agents: impl IntoIterator<Item = &'a str>) -> Vec<CappedGroup> {
        let mut places = BTreeMap::<&str, Vec<usize>>::new();
        for (place, agent) in agents.into_iter().enumerate() {
            places.entry(agent).or_default().push(place);
        }
        let groups = self.agents.iter().filter_map(|(agent, caps)| {
            Some(CappedGroup {
                caps: *caps,
                cells: places.remove(agent.as_str())?,
            })
        });
        groups.collect()
    }

    /// A line for the caps on all, and one for those of each agent; with what was spent of them, where that is given.
    pub fn lines(&self, spent: Option<&SpentBy<'_>>) -> Vec<String> {
        let of_all = (self.all != Caps::default()).then_some((None, &self.all));
        let of_agents = (self.agents.iter()).map(|(agent, caps)| (Some(agent.as_str()), caps));
        let lines = of_all.into_iter().chain(of_agents).map(|(agent, caps)| {
            let of = agent.map_or_else(
                || "all cells together".to_owned(),
                |agent| format!("all cells of {}", printable(agent)),
            );
            format!(
                "limits of {of}: {}",
                parts(caps, spent.map(|spent| spent(agent))).join(", ")
            )
        });
        lines.collect()
    }
}

fn parts(caps: &Caps, spent: Option<Used>) -> Vec<String> {
    let of = |used: Option<String>, cap: String| match used {
        Some(used) => format!("{used} of {cap}"),
        None => cap,
    };
    let money = caps.money.map(|cap| {
        let used = spent.map(|spent| spent.money.to_string());
        of(used, cap.to_string())
    });
    let tokens = caps.tokens.map(|cap| {
        let used = spent.map(|spent| format::count(spent.tokens));
        of(used, format!("{} tokens", format::count(cap)))
    });
    let turns = caps.turns.map(|cap| format!("{} turns", format::count(cap)));
    [money, tokens, turns].into_iter().flatten().collect()
}

fn caps(limits: &BTreeMap<String, SettingValue>) -> Result<Caps, String> {
    let mut budget = Budget::default();
    let mut faults = Vec::new();
    for (name, value) in limits
        .iter()
        .filter(|(_, value)| **value != SettingValue::Flag(false))
    {
        let quantity = match name.as_str() {
            "max-cost" => Quantity::Money,
            "max-tokens" => Quantity::Tokens,
            _ => Quantity::Turns,
        };
        let setting = Setting { name, value };
        let of_all = |text: &str| Cap::parse(quantity, &format!("batch={text}"));
        match setting.read(of_all) {
            Ok(cap) => budget.set(cap),
            Err(why) => faults.push(why.to_string()),
        }
    }
    match faults.is_empty() {
        true => Ok(budget.caps(Scope::Batch)),
        false => Err(faults.join("; ")),
    }
}
