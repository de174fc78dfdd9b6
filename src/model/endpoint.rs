//! The endpoint of a provider: base address, key and time-outs.

use reqwest::Url;

use crate::model::key::Key;
use crate::model::providers::provider::Provider;
use crate::model::timeouts::AttemptBudget;

/// The endpoint of a provider.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub provider: &'static Provider,
    /// Its address, without what a dialect adds.
    pub base: Url,
    pub key: Option<Key>,
    pub budget: AttemptBudget,
}
