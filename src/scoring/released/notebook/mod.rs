//! The grader of SUPER, letter for letter: `super/evaluate_dataset.py` at commit 50cefd4.
//!
//! | file | mirrors |
//! |---|---|
//! | `answer` | its comparison of answers, with the roles that it swaps |
//! | `landmarks` | its search for landmarks |
//! | `entry_point` | Script-Executed |
//! | `grade` | its grade of a history |
//! | `pattern` | Python's `re`, as far as patterns of landmarks need it |
//!
//! What it raises instead of grading is an error here.

pub mod answer;
pub mod entry_point;
pub mod grade;
pub mod landmarks;
pub mod pattern;
pub mod pattern_fault;
