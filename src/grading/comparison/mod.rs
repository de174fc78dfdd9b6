//! The numbers of what was discovered: averages, agreement, verdicts against labels,
//! addresses against a gold set, failures by class.

pub mod averages;
pub mod failure_counts;
pub mod failure_table;
pub mod lexical_judge;
pub mod outcome_groups;
pub mod published_tables;
pub mod search_answers;
pub mod stage_agreement;
