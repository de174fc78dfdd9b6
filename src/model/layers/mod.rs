//! Layers: models around a model.
//!
//! A layer is a [`ChatModel`](crate::model::chat::ChatModel) that holds another
//! one, and [`stack`] puts them together with [`tower::ServiceBuilder`]. The
//! trait is our own rather than [`tower::Service`]: a request is lent for the
//! length of a call, so that a conversation is not copied for every attempt, and
//! nobody has to be asked for readiness first, since what there is to wait for
//! (a place in line, another attempt) belongs to a call and is told and timed
//! with it. Recordings are made from the journal, so that a run that was killed
//! has one, too; [`crate::model::recording::recorder`] is for conversations
//! without a journal.

pub mod answer_cache;
pub mod budget;
pub mod concurrency;
pub mod estimated_usage;
pub mod retry;
pub mod spend_account;
pub mod stack;
pub mod text_calls;
pub mod timer;
pub mod waits;
