//! What a provider is reached with.

use reqwest::Url;

use crate::model::http::AttemptBudget;
use crate::model::key::Key;
use crate::model::providers::provider::Provider;

/// What a provider is reached with.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub provider: &'static Provider,
    /// Its address, without what a dialect adds.
    pub base: Url,
    pub key: Option<Key>,
    pub budget: AttemptBudget,
}
