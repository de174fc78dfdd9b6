//! The graders of capsules that are in use, letter for letter.
//!
//! | file | mirrors |
//! |---|---|
//! | `grade` (`Original`, `Hal`) | `eval_result_json` of CORE-Bench, and its copy in HAL's `corebench.py` |
//! | `grade` (`V11`, `V11Regrade`) | `corebench.py` of v1.1 at commit 79d1c56, and its `prefect/regrade.py` |
//! | `inspect` | `core_bench` of inspect-evals 0.26.0 |
//! | `interval` | the prediction intervals of all of them |
//! | `value`, `numbers` | Python's JSON, `float`, `str`, `round` and `==` |
//!
//! Reported values are looked at in the order of their file, and in three of the graders a
//! value that cannot be compared ends the grading of those behind it. What a grader raises
//! instead of grading is an error here. Gold runs decide types by the first of them.

pub mod grade;
mod inspect;
pub mod interval;
pub mod numbers;
pub mod tallies;
pub mod value;
