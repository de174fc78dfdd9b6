//! A run over standard input and output, for the client that started this program.

use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio_util::sync::CancellationToken;

use super::http::LARGEST;
use super::server::RunServer;

/// The error of a client that cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    #[error("the client on standard input shakes no hands that are known here: {0}")]
    Handshake(String),
    #[error("the client on standard input cannot be served any longer: {0}")]
    Serving(String),
}

/// Serves until the client closes its end, or until it is stopped.
///
/// # Errors
/// A client that does not speak the protocol.
pub async fn serve(server: RunServer, stop: CancellationToken) -> Result<(), StdioError> {
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::new(input, output).with_max_line_length(LARGEST);
    let served = match server.serve_with_ct(transport, stop.clone()).await {
        Ok(served) => served,
        // Nobody has said anything.
        Err(_) if stop.is_cancelled() => return Ok(()),
        Err(error) => return Err(StdioError::Handshake(error.to_string())),
    };
    let ended = served.waiting().await;
    ended
        .map(|_| ())
        .map_err(|error| StdioError::Serving(error.to_string()))
}
