//! A program that asks the proxy.

use reprise::model::http;
use reprise::model::proxy::admission::RunToken;
use reprise::model::timeouts::AttemptBudget;
use serde_json::Value;

use super::rig::{Rig, Side};

/// An answer as a program sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    pub status: u16,
    pub kind: String,
    pub should_retry: Option<String>,
    pub body: String,
}

impl Got {
    pub fn document(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Posts a body to the proxy with the run's token.
pub async fn post(rig: &Rig, path: &str, body: impl Into<String>) -> Got {
    try_post(rig, path, &rig.token, &[], body).await.unwrap()
}

/// Asks in a dialect.
pub async fn ask(rig: &Rig, side: Side, text: &str, streamed: bool) -> Got {
    let path = if streamed { side.streamed_path } else { side.path };
    post(rig, path, side.request(text, streamed).to_string()).await
}

pub async fn try_post(
    rig: &Rig,
    path: &str,
    token: &RunToken,
    headers: &[(&str, &str)],
    body: impl Into<String>,
) -> Result<Got, reqwest::Error> {
    let url = format!("http://{}{path}", rig.address());
    let client = http::client(&url.parse().unwrap(), &AttemptBudget::default()).unwrap();
    let mut request = client.post(url).bearer_auth(token.expose()).body(body.into());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await?;
    let header = |name: &str| Some(response.headers().get(name)?.to_str().unwrap().to_owned());
    let (status, kind) = (
        response.status().as_u16(),
        header("content-type").unwrap_or_default(),
    );
    let should_retry = header("x-should-retry");
    Ok(Got {
        status,
        kind,
        should_retry,
        body: response.text().await?,
    })
}
