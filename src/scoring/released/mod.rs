//! The scripts that ReplicatorBench released, the graders of CORE-Bench and that of SUPER, letter for letter.
//!
//! This folder is frozen. Each file gives what its script gives on the released data,
//! quirks included; where the published figures can be had from these data, tests hold it
//! to all their digits. A mistake of a script is mended beside it, in a reading of our
//! own, and never here. No code that can change is used: what the scripts share with our
//! readings is written here a second time on purpose, and only plain data are shared.
//!
//! | file | mirrors | our own reading |
//! |---|---|---|
//! | `aggregate` | `validator/aggregate_eval_scores.py` | `aggregate::corrected` |
//! | `eval_summary` | the `eval_summary.json` that it writes | |
//! | `grading_file` | the `*_llm_eval.json` that it reads | |
//! | `url_match`, `address_keys`, `averages` | `data/results/web-search/evaluate.py` (Table 3) | `url_match::levels` |
//! | `failures` | `data/error_distribution.py` at commit 424baf9 (Table 5) | `failed_calls`, `failures` |
//! | `capsule` | the five graders of capsules that are in use | `capsule::strict` |
//! | `notebook` | the grader of SUPER | `notebook::grade` |
//! | `json`, `python` | JSON as the scripts' language reads and writes it | |

mod address_keys;
pub mod aggregate;
mod averages;
pub mod capsule;
pub mod eval_summary;
pub mod failures;
pub mod grading_file;
pub mod json;
pub mod notebook;
pub(in crate::scoring) mod python;
pub mod url_match;
