//! Runs held against their references: what code decides, what judges say, and both as
//! the numbers of a scorecard.
//!
//! Grading reads a run and its study's references, and never runs an agent. A judge is a
//! model that it is given.

pub mod capsule_grader;
pub mod causes;
pub mod claim_grader;
pub mod comparison;
pub mod criteria;
pub mod discovery;
pub mod execution_facts;
pub mod judge;
pub mod judge_audit;
pub mod notebook_grader;
pub mod notebook_run;
pub mod offline;
pub mod original;
pub mod planned_data;
pub mod prediction;
pub mod published;
pub mod review;
pub mod score_line;
pub mod scorecard;
pub mod scored_run;
