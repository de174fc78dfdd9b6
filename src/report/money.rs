//! The cost of a run's calls, at the prices that it was made with.

use crate::domain::price::Price;
use crate::domain::usage::{MicroDollars, Usage};
use crate::engine::run_reader::RunReader;
use crate::model::capabilities::ModelTable;
use crate::run::priced_usage::{PricedUsage, by_price};
use crate::run::stage_state::StageState;

/// The prices that money is counted at.
struct RunPrices<'a> {
    /// The run's model.
    own: &'a str,
    /// For calls of which the journal holds no price.
    table: ModelTable,
}

impl<'a> RunPrices<'a> {
    fn new(run: &'a RunReader) -> Option<Self> {
        Some(Self {
            own: &run.state.started.as_ref()?.settings.model,
            table: ModelTable::built_in().ok()?,
        })
    }

    fn price(&self, calls: &PricedUsage<'_>) -> Option<Price> {
        calls.price.or_else(|| self.table.get(calls.model).price)
    }
}

/// The cost of stages of a run, each call at the price that the journal holds for it, with
/// what is known of the charges for hosted searches; `None` where a price is unknown.
pub fn money<'a>(
    run: &'a RunReader,
    stages: impl IntoIterator<Item = &'a StageState>,
) -> Option<MicroDollars> {
    let prices = RunPrices::new(run)?;
    let mut calls = Vec::new();
    let mut all = Vec::new();
    for stage in stages {
        all.push(stage.fees());
        calls.extend(stage.calls(prices.own));
    }
    if calls.is_empty() {
        run.state
            .prices
            .get(prices.own)
            .or_else(|| prices.table.get(prices.own).price)?;
    }
    for calls in by_price(calls) {
        if calls.model == prices.own || calls.usage != Usage::default() {
            all.push(prices.price(&calls)?.cost(calls.usage));
        }
    }
    Some(all.into_iter().sum())
}

/// Whether money is counted at prices of this program's table, since the journal holds
/// none for some call that was paid.
pub fn is_by_table(run: &RunReader) -> bool {
    let Some(prices) = RunPrices::new(run) else {
        return false;
    };
    let calls = run
        .state
        .stages
        .values()
        .flat_map(|stage| stage.calls(prices.own));
    by_price(calls).iter().any(|calls| {
        let known = calls.price.is_none().then(|| prices.price(calls)).flatten();
        known.is_some_and(|price| price.cost(calls.usage) > MicroDollars::default())
    })
}
