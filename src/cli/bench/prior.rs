//! Bounds of what cells may take before any cell of their agents has run: by the sizes of their prompts, the limits of
//! their turns, the context and the price of their models, and their caps. They are no estimate of what is likely.

use serde::Serialize;

use super::cell_plan::PlannedCell;
use crate::app::program::Program;
use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::load::Catalog;
use crate::domain::format;
use crate::domain::track::StageRange;
use crate::domain::usage::{MicroDollars, Usage};
use crate::engine::request::RunRequest;
use crate::model::access::Access;
use crate::model::capabilities::Capabilities;
use crate::model::name::ModelName;
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;

/// Bytes of a token, about.
const TOKEN: u64 = 4;

/// The bounds of all cells that have no earlier one to go by and ask a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PriorBounds {
    /// Cells that they are a sum over.
    pub cells: usize,
    /// Further ones of which nothing is known: agents that are programs of others, and people.
    pub unknown: usize,
    pub tokens: PriorRange,
    /// US dollars; absent where a price is unknown.
    pub cost: Option<PriorRange>,
}

/// The least and the most; without a most where a model's context is unknown and nothing is capped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PriorRange {
    pub least: f64,
    pub most: Option<f64>,
}

impl PriorBounds {
    /// The bounds of cells, under caps on all of them; `None` where none of them asks anybody.
    pub fn new(program: &Program, access: &Access<'_>, cells: &[&PlannedCell], all: &Caps) -> Option<Self> {
        let mut sum = Self {
            cost: Some(zero()),
            tokens: zero(),
            ..Self::default()
        };
        for cell in cells {
            let request = &cell.run.request;
            match request.model.parse::<ModelName>() {
                Ok(ModelName::Recorded(_) | ModelName::Scripted(_)) => continue,
                Ok(ModelName::Served { .. }) if request.agent.is_none() => {}
                _ => {
                    sum.unknown += 1;
                    continue;
                }
            }
            let Ok(catalog) = program.tracks.catalog_of(request) else {
                sum.unknown += 1;
                continue;
            };
            let bounds = CellBounds::new(request, &catalog, &access.capabilities(&request.model));
            // What was begun may be about to end.
            let is_begun = cell.run.before.is_some();
            sum.cells += 1;
            sum.tokens.add(bounds.tokens, is_begun);
            sum.cost = sum.cost.zip(bounds.cost).map(|(mut cost, own)| {
                cost.add(own, is_begun);
                cost
            });
        }
        sum.tokens.cap(all.tokens.map(|tokens| tokens as f64));
        if let Some(cost) = &mut sum.cost {
            cost.cap(all.money.map(dollars));
        }
        (sum.cells + sum.unknown > 0).then_some(sum)
    }

    /// The bounds in one line.
    pub fn line(&self) -> String {
        let unknown = match self.unknown {
            0 => String::new(),
            count => format!("nothing is known of {count} cells of programs of others or of people"),
        };
        if self.cells == 0 {
            return format!("before any run: {unknown}");
        }
        let tokens = self
            .tokens
            .words(&|value| format!("{} tokens", format::count(value.round() as u64)));
        let money = match &self.cost {
            Some(cost) => cost.words(&format::dollars),
            None => "an unknown price".to_owned(),
        };
        let unknown = match unknown.is_empty() {
            true => unknown,
            false => format!("; {unknown}"),
        };
        let cells = format::counted(self.cells, "cell", "cells");
        format!(
            "before any run, bounds for {cells} by the sizes of prompts, limits of turns, contexts, prices and caps: {tokens}; \
             {money}; their time is not known{unknown}"
        )
    }
}

fn zero() -> PriorRange {
    PriorRange {
        least: 0.0,
        most: Some(0.0),
    }
}

fn dollars(money: MicroDollars) -> f64 {
    money.0 as f64 / 1e6
}

impl PriorRange {
    fn add(&mut self, other: Self, is_begun: bool) {
        if !is_begun {
            self.least += other.least;
        }
        self.most = self.most.zip(other.most).map(|(one, other)| one + other);
    }

    /// With a cap: no more is taken, and no less than what is at the most.
    fn cap(&mut self, cap: Option<f64>) {
        let Some(cap) = cap else { return };
        let most = self.most.map_or(cap, |most| most.min(cap));
        self.most = Some(most);
        self.least = self.least.min(most);
    }

    fn words(&self, written: &dyn Fn(f64) -> String) -> String {
        match self.most {
            Some(most) => format!(
                "about {} at the least, {} at the most",
                written(self.least),
                written(most)
            ),
            None => format!("about {} at the least, with no bound above", written(self.least)),
        }
    }
}

/// The bounds of one cell.
struct CellBounds {
    tokens: PriorRange,
    cost: Option<PriorRange>,
}

impl CellBounds {
    /// At the least each stage asks once and is answered with nothing; at the most each turn fills the context.
    fn new(request: &RunRequest, catalog: &Catalog, model: &Capabilities) -> Self {
        let (mut prompts, mut turns, mut output) = (0_u64, 0_u64, 0_u64);
        for stage in stages(catalog, request.stages) {
            prompts += (stage.system.source.len() + stage.prompt.source.len()) as u64 / TOKEN;
            turns += u64::from(stage.turns);
            output = output.max(u64::from(stage.output_tokens));
        }
        let output = model.output.map_or(output, |most| output.min(u64::from(most)));
        let caps = request.budget.caps(Scope::Run);
        let turns = caps.turns.map_or(turns, |cap| turns.min(cap));
        let context = model.context.map(u64::from);
        let mut tokens = PriorRange {
            least: prompts as f64,
            most: context.map(|context| (turns * context) as f64),
        };
        tokens.cap(caps.tokens.map(|tokens| tokens as f64));
        let cost = model.price.map(|price| {
            let of = |input: u64, output: u64| {
                dollars(price.cost(Usage {
                    input,
                    output,
                    ..Usage::default()
                }))
            };
            let call = context.map(|context| of(context.saturating_sub(output), output.min(context)));
            let mut cost = PriorRange {
                least: of(prompts, 0),
                most: call.map(|call| turns as f64 * call),
            };
            cost.cap(caps.money.map(dollars));
            cost
        });
        Self { tokens, cost }
    }
}

/// The definitions of the stages that are gone through.
fn stages(catalog: &Catalog, range: StageRange) -> impl Iterator<Item = &StageDefinition> {
    let places = catalog.track().range(range).iter();
    places.filter_map(|place| catalog.stage(place.stage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_bounds_what_has_no_other_bound() {
        let mut range = PriorRange {
            least: 5.0,
            most: None,
        };
        let written = |value: f64| format!("{value}");
        assert_eq!(range.words(&written), "about 5 at the least, with no bound above");
        range.cap(None);
        assert_eq!(range.most, None);
        range.cap(Some(3.0));
        assert_eq!((range.least, range.most), (3.0, Some(3.0)));
        let mut sum = zero();
        sum.add(range, true);
        sum.add(range, false);
        assert_eq!((sum.least, sum.most), (3.0, Some(6.0)));
        let none = PriorRange {
            least: 1.0,
            most: None,
        };
        sum.add(none, false);
        assert_eq!((sum.least, sum.most), (4.0, None));
    }
}
