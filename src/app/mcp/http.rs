//! A run over HTTP, for clients of this machine that know its token.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any_service;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::server::RunServer;
use crate::app::episodes::bearer::is_same;

/// The path that clients speak to.
pub const PATH: &str = "/mcp";
/// The largest message of a client, in bytes.
pub const LARGEST: usize = 1 << 20;

/// How long a session of a client may be silent; a single call may take an hour.
const SILENCE: Duration = Duration::from_secs(6 * 3600);

/// The route of a run at a port of loopback; none of it is reached without the token, by another name than
/// loopback's, or by a page of a browser.
pub fn router(server: RunServer, port: u16, token: &str, stop: CancellationToken) -> Router {
    let names = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(names)
        .enforce_origin_validation()
        .with_max_request_body_bytes(LARGEST)
        .with_cancellation_token(stop);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENCE);
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config);
    let token: Arc<str> = Arc::from(token);
    Router::new()
        .route(PATH, any_service(service))
        .route_layer(from_fn_with_state(token, admit))
}

/// Turns away whoever does not know the token.
async fn admit(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if given.is_some_and(|given| is_same(given, &token)) {
        return next.run(request).await;
    }
    let why = "give the token that `reprise agents mcp` printed, as `Authorization: Bearer TOKEN`";
    let headers = [(header::WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, headers, why).into_response()
}
