//! Episodes: attempts at a capsule whose agent is a client elsewhere, such as a trainer.
//!
//! An episode is a run like any other, with the client in the model's place: it is journaled,
//! approved, confined and graded by the same code.

pub mod bearer;
pub mod client_model;
pub mod episode;
pub mod openenv;
pub mod place;
pub mod pool;
pub mod refills;
pub mod shared_capsule;
