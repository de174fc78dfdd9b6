//! The account of a run, opened again from its journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::price::Price;
use crate::domain::stage::Stage;
use crate::model::layers::spend_account::{SpendAccount, charge, plus, worth};
use crate::policy::limits::Used;
use crate::run::priced_usage::by_price;
use crate::run::stage_state::StageState;
use crate::run::state::State;

/// Takes a stage's spending in: each call at the price that the journal holds for it, or
/// else at that of the account of its model, with what was charged for searches. `own` is
/// the run's model.
pub fn reopen(
    account: &SpendAccount,
    accounts: &BTreeMap<String, Arc<SpendAccount>>,
    own: &str,
    stage: Stage,
    state: &StageState,
) {
    let spent = by_price(state.calls(own)).into_iter().map(|calls| {
        let account = accounts
            .get(calls.model)
            .filter(|_| calls.model != own)
            .map_or(account, Arc::as_ref);
        worth(calls.price.or(account.price()), calls.calls, calls.usage)
    });
    account.open(stage, spent.fold(charge(state.fees()), plus));
}

/// What a run has come to, by its journal alone: each call at the price that stands there, or else at that of its
/// model, with what was charged for searches.
pub fn of_journal(state: &State, price: impl Fn(&str) -> Option<Price>) -> Used {
    let started = state.started.as_ref();
    let own = started.map_or("", |started| started.settings.model.as_str());
    let of_stage = |stage: &StageState| {
        let spent = by_price(stage.calls(own)).into_iter().map(|calls| {
            let price = calls.price.or_else(|| price(calls.model));
            worth(price, calls.calls, calls.usage)
        });
        spent.fold(charge(stage.fees()), plus)
    };
    state.stages.values().map(of_stage).fold(Used::default(), plus)
}
