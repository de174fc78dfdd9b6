//! Results read from what a program prints.
//!
//! Output of R, Python, Stata, SPSS and scripts is read into rows of one term each;
//! every number is bound to the line of its term and to the label of its column.
//! [`rows()`] reads a whole output.

mod aligned;
mod alignment;
mod bound_label;
mod context;
mod correlations;
mod grid;
mod grid_table;
mod header;
pub mod label;
mod labelled;
mod labelled_segment;
pub mod labelled_term;
mod labelled_value;
pub mod meaning;
mod models_table;
mod number;
mod p_label;
mod printed_row;
mod python_result;
mod r_test;
mod row_name;
mod rows;
mod source_line;
mod stata;
pub mod stata_cells;
mod stata_test;
mod table;
#[cfg(test)]
mod tests;

pub use printed_row::{
    Printed, PrintedGroup, PrintedInterval, PrintedKind, PrintedP, PrintedRow, PrintedStatistic,
};
pub use rows::{MOST_ROWS, rows};
