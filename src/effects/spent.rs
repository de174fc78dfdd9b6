//! The account of a run, opened again from its journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::stage::Stage;
use crate::model::layers::spend_account::{SpendAccount, charge, plus};
use crate::run::stage_state::StageState;

/// Takes a stage's spending in: its turns at the price of the run's model, and
/// each call beside them at that of the model it went to, with what was charged
/// for searches.
pub fn reopen(
    account: &SpendAccount,
    accounts: &BTreeMap<String, Arc<SpendAccount>>,
    stage: Stage,
    state: &StageState,
) {
    let turns = account.worth(state.turns.len() as u64, state.own_usage());
    let beside = state.beside().map(|(model, usage)| {
        let price = accounts.get(model).map_or(account, Arc::as_ref);
        price.worth(1, usage)
    });
    account.open(stage, beside.fold(plus(turns, charge(state.fees())), plus));
}
