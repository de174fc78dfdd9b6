//! An engine at its address.

use async_trait::async_trait;

use super::contract::{Query, SearchDialect, SearchEngine, SearchHits};
use super::endpoint::SearchEndpoint;
use super::fault::SearchFault;

/// An engine that is asked in its dialect over the common transport.
pub struct Engine<D> {
    pub endpoint: SearchEndpoint,
    pub dialect: D,
}

#[async_trait]
impl<D: SearchDialect> SearchEngine for Engine<D> {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn host(&self) -> &str {
        self.endpoint.base.host_str().unwrap_or_default()
    }

    async fn search(&self, query: &Query) -> Result<SearchHits, SearchFault> {
        let request = || self.dialect.request(&self.endpoint, query);
        let mut found = self.dialect.read(&self.endpoint.send(request).await?);
        found.hits.truncate(query.limit as usize);
        Ok(found)
    }
}
