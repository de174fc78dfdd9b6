//! The track `notebook`: its tasks in a workspace, the kernel that its agents act in, what is
//! executed before their turn, and their budgets.

pub mod beforehand;
mod beforehand_act;
pub mod beforehand_text;
pub mod budget;
pub mod copy;
mod edit_cells;
pub mod environment;
mod file_cells;
mod file_commands;
mod folder_cell;
mod introduction;
pub mod kernel;
pub mod mirror;
mod observation;
mod open_kernel;
pub mod staging;
