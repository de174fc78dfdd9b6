//! Lines around the records of a table in a text or a sheet: comments and titles above the names,
//! a second line of names (units, question texts), and notes below.

mod footer;
mod header;
mod sampled;
pub mod second_names;
pub mod sheet;
pub mod table_records;
pub mod text;

#[cfg(test)]
mod tests;
