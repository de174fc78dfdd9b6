//! Views of a journal: HTML, Markdown and JSON.
//!
//! [`view::View::build`] folds a journal into one complete, deterministic
//! picture of a run; what a journal does not hold (findings read from
//! artifacts, traced numbers, scores) arrives as [`evidence::Evidence`]. The
//! three writers print that picture and decide nothing. Text by agents, papers
//! and programs is data: [`sanitize`] disarms it, and every writer escapes it.

pub mod acts;
pub mod approvals;
pub mod audit;
pub mod bench;
pub mod capsule;
pub mod citation;
pub mod comparison;
pub mod condition_words;
pub mod deviation_view;
pub mod deviations;
pub mod doubt_words;
pub mod evidence;
pub mod executions;
pub mod export;
pub mod files;
pub mod gather;
pub mod grounding;
pub mod html;
pub mod json;
pub mod lock_view;
pub mod mark_words;
pub mod markdown;
pub mod marked_paper;
pub mod merged_rows;
pub mod money;
pub mod narrative;
pub mod notes;
pub mod old_code;
pub mod plan_form;
pub mod preregistration;
pub mod probe_view;
pub mod recomputed;
pub mod review_facts;
pub mod rule;
pub mod sanitize;
pub mod scorecard;
pub mod scores;
pub mod searched;
pub mod spending;
pub mod stage_view;
pub mod standing_words;
pub mod study_kind;
pub mod template;
pub mod text;
pub mod timeline;
pub mod transcript;
pub mod variant_table;
pub mod verdict;
pub mod verdict_line;
pub mod view;
