//! An engine at its address.

use async_trait::async_trait;

use super::contract::{Query, SearchDialect, SearchEngine, SearchHits};
use super::endpoint::SearchEndpoint;
use super::fault::SearchFault;
use crate::model::counted_usage::completed;
use crate::policy::density::Density;

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
        let answer = self.endpoint.send(request).await?;
        let mut found = self.dialect.read(&answer);
        if self.dialect.takes_tokens() {
            // What the model read of the web is at most in its answer, so that all of it counts
            // on both sides.
            let said = Density::default().text(answer.to_string().len() as u64);
            let asked = Density::default().text(query.text.len() as u64);
            let input = said.saturating_add(asked);
            found.usage = Some(completed(found.usage.unwrap_or_default(), input, said));
        }
        found.hits.truncate(query.limit as usize);
        Ok(found)
    }
}
