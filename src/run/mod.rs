//! The pure core of a run: events, the state they fold to, and what to do next.
//!
//! Nothing here reads a clock, a file or the environment. [`state::State::apply`]
//! folds one event at a time; [`decide::next`] says what follows from a state.

pub mod decide;
pub mod elapsed;
pub mod event;
pub mod execution_state;
pub mod gate_state;
pub mod priced_usage;
pub mod probe_state;
pub mod program;
pub mod program_state;
pub mod stage_state;
pub mod standing;
pub mod state;
