//! Plain data of replication work: no IO, no async, no policy.
//!
//! Every other layer speaks in these types. They are small, comparable and
//! serialisable, and each carries its unit or its source.

pub mod claim;
pub mod claim_only;
pub mod claim_wording;
pub mod claimed_effect;
pub mod clock;
pub mod condition;
pub mod content;
pub mod conversation;
pub mod criterion;
pub mod data_table;
pub mod digest;
pub mod doubt;
pub mod execution;
pub mod failure;
pub mod finding;
pub mod format;
pub mod grade;
pub mod ids;
pub mod json_schema;
pub mod lazy_regex;
pub mod lenient_json;
pub mod misreading;
pub mod mode;
pub mod number_text;
pub mod parameters;
pub mod picture;
pub mod plan;
pub mod price;
pub mod probe;
pub mod proxy_dialect;
pub mod r_defaults;
pub mod reasoning;
pub mod release_tree;
pub mod replication;
pub mod rescue;
pub mod result_line;
pub mod rule;
pub mod sampling;
pub mod scale;
pub mod seen_command;
pub mod sentence_figures;
pub mod stage;
pub mod statistic;
pub mod statistic_text;
pub mod stop_texts;
pub mod study_kind;
pub mod text_place;
pub mod track;
pub mod usage;
pub mod variant;
pub mod verdict;
pub mod waiting;
pub mod workspace_path;
