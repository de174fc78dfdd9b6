//! The budgets of an attempt at a notebook task, held against what the journal says was used.

use crate::domain::stage::Stage;
use crate::notebook::limits::{BudgetReached, NotebookUse};
use crate::run::state::State;

/// The amounts that a stage has used: cells before the first turn count.
pub fn used(state: &State, stage: Stage) -> NotebookUse {
    let Some(open) = state.stages.get(&stage) else {
        return NotebookUse::default();
    };
    let beforehand = open.beforehand.iter().filter_map(|acted| acted.kept.as_ref());
    let results = open.turns.iter().flat_map(|turn| turn.results.values());
    let acts = results.filter_map(|result| result.kept.as_ref());
    NotebookUse {
        environment_ms: beforehand.chain(acts).map(|kept| kept.wall_ms).sum(),
        prompt_tokens: open.own_usage().input,
    }
}

/// The budget that ends the attempt under way before its agent is asked again, where several attempts
/// have equal shares; `None` where none does, and of another task.
pub fn reached(state: &State, stage: Stage) -> Option<BudgetReached> {
    let terms = state.started.as_ref()?.notebook.as_ref()?;
    let over = state.stages.get(&stage)?.attempts_over.len();
    let attempt = u32::try_from(over).unwrap_or(u32::MAX).saturating_add(1);
    let limits = terms.limits.of_attempt(attempt, terms.attempts());
    limits.reached(used(state, stage))
}
