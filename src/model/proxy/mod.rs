//! A server for agents that are programs of their own: they ask a model through it, and it asks the
//! provider.
//!
//! It speaks the dialects of the providers, and sends each call on in the dialect in which it came: the
//! same bytes but for the key, the address, the model's name, the limit on the answer and what reaches
//! the network from the provider's side ([`client_request`]). A dialect that the run's model does not speak is
//! refused: a gateway before the model, such as LiteLLM, speaks them all.
//!
//! The proxy writes nothing. Each call goes through a [`CallEngine`](call_engine::CallEngine): what it
//! could cost is set aside, the provider is asked with our own retries, the answer is read whole and
//! recorded, and only then served. A call that the client sends again gets the same answer.
//!
//! Clients are not trusted: they are told apart by a token that is good for one run, and nothing that
//! they send says where a request goes, who pays for it or which model answers.

pub mod address_removal;
pub mod admission;
pub mod answer_reading;
pub mod asked_command;
pub mod call_budget;
pub mod call_engine;
pub mod call_failure;
pub mod call_table;
pub mod client_request;
pub mod fault_reply;
pub mod generate_content;
pub mod hosted_tools;
pub mod known_fields;
pub mod object_text;
pub mod proxied_call;
pub mod proxy_dialect;
pub mod server;
pub mod serving;
pub mod upstream;
