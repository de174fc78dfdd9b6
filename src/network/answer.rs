//! Answers of the web to the requests of tools.

use super::web::Web;
use super::{check, fetch};
use crate::model::chat::ModelError;
use crate::tools::contract::{Observation, Request};

impl Web {
    /// Answers a request. Every answer is an observation that holds, whatever it
    /// says: a page that is not there is a fact about the web.
    ///
    /// # Errors
    /// A request that is none to the network, or a search engine whose settings cannot be used.
    pub async fn ask(&self, request: &Request) -> Result<Observation, ModelError> {
        Ok(Observation::good(match request {
            Request::WebSearch { query, limit } => self.search(query, *limit).await?,
            Request::FetchPage { url } => fetch::page(self, url).await,
            Request::CheckAddresses { urls, refused } => check::all(self, urls, refused).await,
            Request::RunAnalysis { .. }
            | Request::Act { .. }
            | Request::AskPerson { .. }
            | Request::LookAtImage(_) => {
                return Err(ModelError::Misconfigured(
                    "this is no request to the network".to_owned(),
                ));
            }
        }))
    }
}
