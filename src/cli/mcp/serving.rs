//! Serving a run.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::json;
use tokio::net::TcpListener;

use super::args::McpArgs;
use super::prepared::{self, PreparedRun};
use crate::app::mcp::client_run::{ClientRun, ServedRun};
use crate::app::mcp::http::{self, PATH};
use crate::app::mcp::offer::offered;
use crate::app::mcp::run_stop::RunStop;
use crate::app::mcp::server::RunServer;
use crate::app::mcp::stdio;
use crate::app::program::Program;
use crate::app::toolset::Toolset;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::signals::until_stopped;
use crate::cli::token_file;

/// Serves one run to clients, until they or a signal end it.
///
/// # Errors
/// A task or a folder that cannot be used, or an address that is taken or not of loopback.
pub async fn serve(program: &Program, printer: Printer, args: McpArgs) -> Result<Status, Failure> {
    let address = args.http.map(of_loopback).transpose()?;
    let PreparedRun {
        folder,
        request,
        questions,
    } = prepared::prepare(program, &args).await?;
    let toolset = Toolset::for_request(program, &request)?;
    let specs = offered(&toolset, request.stages).map_err(|error| Failure::usage(error.to_string()))?;
    let run = ClientRun::new(ServedRun {
        program: Arc::new(program.clone()),
        toolset,
        folder,
        request,
    });
    let server = RunServer::new(Arc::clone(&run), &specs, questions);
    run.start();
    let served = match address {
        None => over_stdio(server).await,
        Some(address) => over_http(printer, server, address, &args).await,
    };
    let stop = run.end().await;
    served?;
    Ok(match stop {
        RunStop::Submitted => Status::Done,
        RunStop::Failed { cause, .. } => Status::from_cause(cause),
        _ => Status::Interrupted,
    })
}

async fn over_stdio(server: RunServer) -> Result<(), Failure> {
    let (cancel, watcher) = until_stopped();
    let served = stdio::serve(server, cancel).await;
    watcher.abort();
    served.map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))
}

async fn over_http(
    printer: Printer,
    server: RunServer,
    address: SocketAddr,
    args: &McpArgs,
) -> Result<(), Failure> {
    let token = token_file::token(args.token_file.as_deref())?;
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| Failure::usage(format!("--http {address}: {error}")))?;
    let infrastructure = |error: std::io::Error| Failure::new(Status::Infrastructure, error.to_string());
    let address = listener.local_addr().map_err(infrastructure)?;
    let url = format!("http://{address}{PATH}");
    if args.json {
        printer.json(&json!({ "url": url, "token": token }))?;
    } else {
        printer.line(format!("{url} serves the run"));
        printer.line(format!("token {token}"));
    }
    let (cancel, watcher) = until_stopped();
    let serving = axum::serve(
        listener,
        http::router(server, address.port(), &token, cancel.clone()),
    );
    let served = tokio::select! {
        served = serving => served,
        () = cancel.cancelled() => Ok(()),
    };
    watcher.abort();
    served.map_err(infrastructure)
}

/// An address that nobody elsewhere reaches.
fn of_loopback(address: SocketAddr) -> Result<SocketAddr, Failure> {
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err(Failure::usage(format!(
            "--http {address}: others would reach it, and a client runs commands here; listen at 127.0.0.1 and lead a \
             tunnel there"
        ))),
    }
}
