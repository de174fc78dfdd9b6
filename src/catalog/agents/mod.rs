//! Agents that are programs of others: how each is started, what it finds, when it is ended.
//!
//! An agent is a folder `agents/NAME/` with an `agent.toml`, embedded in the program or in a folder of
//! the user's. Texts in it hold placeholders such as `{address}`, which are filled in for each run.

pub mod definition;
pub mod events;
pub mod integrity;
pub mod load;
pub mod package_registry;
pub mod placeholder;
pub mod release;
pub mod runtime_package;
pub mod varying;
