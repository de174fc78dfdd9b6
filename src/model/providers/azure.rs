//! Azure, where every customer has an address of their own.

use reqwest::Url;
use reqwest::header::HeaderName;

use crate::model::chat::ModelError;
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::quirks::{PLAIN, Quirks};
use crate::model::openai_interfaces;
use crate::model::providers::provider::Provider;

const QUIRKS: Quirks = Quirks {
    output_limit: "max_completion_tokens",
    ..PLAIN
};

pub static AZURE: Provider = Provider {
    prefix: "azure",
    base: None,
    base_variable: Some("AZURE_OPENAI_ENDPOINT"),
    base_path: None,
    // The second is the one that Azure's own tools read.
    version_variables: &["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"],
    key_variable: "AZURE_OPENAI_API_KEY",
    needs_key: true,
    max_temperature: None,
};

/// The version of the interface that is asked for by deployment.
const VERSION: &str = "2024-10-21";

/// A deployment. The address is the resource's, to which the deployment is added, or one
/// that ends in `/openai/v1`, which is asked as OpenAI is.
///
/// # Errors
/// An absent key, an address that cannot be asked, and Responses at an address by
/// deployment, which knows chat completions alone.
pub fn connect(connection: Connection) -> Result<Box<dyn Dialect>, ModelError> {
    let base = &connection.endpoint.base;
    let dated = !is_undated(base);
    if dated && connection.capabilities.responses == Some(true) {
        return Err(ModelError::Misconfigured(format!(
            "`{}` cannot be asked through the Responses interface at {base}. Give an address that ends in /openai/v1, or take `responses` out of the table of models for it.",
            connection.name
        )));
    }
    let at = if dated {
        deployment(base, &connection.model)?
    } else {
        base.clone()
    };
    let key = HeaderName::from_static("api-key");
    let endpoint = OpenAiEndpoint::new(&connection.endpoint, &at, &key, "")?;
    let version = connection.api_version.as_deref().unwrap_or(VERSION);
    let endpoint = match dated {
        true => endpoint.with_query("api-version", version),
        false => endpoint,
    };
    openai_interfaces::at(endpoint, connection, QUIRKS)
}

/// Whether an address is that of the interface without versions by date.
fn is_undated(base: &Url) -> bool {
    base.path().trim_end_matches('/').ends_with("/openai/v1")
}

fn deployment(base: &Url, deployment: &str) -> Result<Url, ModelError> {
    let mut url = base.clone();
    url.path_segments_mut()
        .map_err(|()| ModelError::Misconfigured(format!("The address `{base}` takes no path.")))?
        .pop_if_empty()
        .extend(["openai", "deployments", deployment]);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::connection::on_loopback;

    fn connection(base: &str) -> Connection {
        let mut connection = on_loopback(&AZURE);
        connection.model = "my model".into();
        connection.endpoint.base = base.parse().unwrap();
        connection
    }

    fn address(connection: Connection) -> String {
        connect(connection).unwrap().contact().address.to_string()
    }

    #[test]
    fn a_deployment_is_asked_by_date_or_as_openai_is() {
        let mut azure = connection("https://mine.openai.azure.com/");
        let dialect = connect(azure.clone()).unwrap();
        assert_eq!(
            dialect.contact().address.as_str(),
            "https://mine.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21"
        );
        assert!(dialect.contact().headers["api-key"].is_sensitive());
        azure.api_version = Some("2025-04-01-preview".into());
        assert!(address(azure.clone()).ends_with("?api-version=2025-04-01-preview"));
        azure.capabilities.responses = Some(true);
        let error = connect(azure.clone()).err().unwrap().to_string();
        assert!(
            error.contains("/openai/v1") && error.contains("azure/m"),
            "{error}"
        );
        azure.endpoint.base = "https://mine.openai.azure.com/openai/v1/".parse().unwrap();
        assert_eq!(
            address(azure),
            "https://mine.openai.azure.com/openai/v1/responses"
        );
    }
}
