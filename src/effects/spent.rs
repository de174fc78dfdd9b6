//! The account of a run, opened again from its journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::stage::Stage;
use crate::model::layers::spend_account::{SpendAccount, charge, plus, worth};
use crate::run::priced_usage::by_price;
use crate::run::stage_state::StageState;

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
