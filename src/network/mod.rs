//! The live web, as the search stage sees it: queries to a search engine, pages
//! as text, and whether proposed addresses answer.
//!
//! Nothing here decides whether a run may reach a party; the gate has done so.
//! What holds besides: no address of this machine or the networks around it
//! unless the operator opened it, nothing that a study blocks, nothing that a
//! site's `robots.txt` denies, and no answer without bounds of size and time.

pub mod addresses;
pub mod answer;
pub mod check;
pub mod client;
pub mod configured;
pub mod download;
pub mod fetch;
pub mod guard;
pub mod lists;
pub mod markup;
pub mod one_line;
pub mod package_index;
pub mod page;
pub mod rate_limit;
pub mod redirect;
pub mod review;
pub mod robots;
pub mod search;
pub mod web;
