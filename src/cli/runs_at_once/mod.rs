//! Several runs of one process, out of one budget.

pub mod board;
pub mod carried;
pub mod carry_all;
mod live_table;
pub mod planned_run;
pub mod run_row;
