//! Calls of clients in a dialect that the run's model does not speak, carried into one that it does, where
//! the user asks for it.
//!
//! A request is read key by key, each by the table of its object ([`key_table`]): it is carried over, left
//! behind as the bookkeeping of its provider, taken out and named where it is advice to the provider, and
//! refused with a sentence where something would be lost, as a key is that no table has. Between the
//! dialects stands the conversation that our own client sends ([`translated_request`]); the answer is
//! written as the client's dialect has it, whole or as its stream of events ([`answer_writing`]).

pub mod answer_events;
pub mod answer_writing;
pub mod chat_answer;
pub mod contents;
pub mod conversation;
pub mod dropped;
pub mod fitting;
pub mod from_chat;
pub mod from_generate_content;
pub mod from_messages;
pub mod from_responses;
pub mod generate_content_answer;
pub mod key_table;
pub mod loss;
pub mod messages_answer;
pub mod open_api_schema;
pub mod open_calls;
pub mod pictures;
pub mod request_body;
pub mod responses_answer;
pub mod served_answer;
pub mod settings_reading;
pub mod translate;
pub mod translated_request;

#[cfg(test)]
mod tests;
