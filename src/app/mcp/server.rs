//! The server of a run: what it answers to a client, over whichever transport.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::client_run::{ClientRun, NoReply};
use super::tool_list::{self, TASK};
use crate::app::episodes::client_model::ClientCall;
use crate::domain::excerpt;
use crate::model::chat::ToolSpec;

/// The pause between two signs of life of a long call.
const PROGRESS: Duration = Duration::from_secs(3);

const INSTRUCTIONS: &str = "One run of reprise: a task that is answered out of the results of code that is run. Call `task` \
    first. Calls are made one after the other, code runs in a sandbox; hand the answers in with `submit`. The \
    state belongs to the run: another connection goes on where this one ends.";

/// Serves one run to every connection.
#[derive(Clone)]
pub struct RunServer {
    run: Arc<ClientRun>,
    questions: Arc<Vec<String>>,
    tools: Arc<Vec<Tool>>,
}

impl RunServer {
    /// A server of a run with the tools of its stage, and the questions that its answers are to.
    pub fn new(run: Arc<ClientRun>, specs: &[ToolSpec], questions: Vec<String>) -> Self {
        Self {
            run,
            questions: Arc::new(questions),
            tools: Arc::new(tool_list::tools(specs)),
        }
    }

    async fn called(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, NoReply> {
        let name = request.name.as_ref();
        if name == TASK {
            let standing = self.run.begun(&context.ct).await?;
            return Ok(tool_list::told(&standing, &self.questions));
        }
        let call = ClientCall {
            tool: name.to_owned(),
            arguments: Value::Object(request.arguments.unwrap_or_default()),
        };
        let reply = self.run.call(call, &context.ct).await?;
        Ok(tool_list::result(name, &reply))
    }

    /// Tells how long a call takes, until it is dropped.
    async fn tell_progress(&self, peer: &Peer<RoleServer>, token: ProgressToken) {
        let begun = Instant::now();
        loop {
            tokio::time::sleep(PROGRESS).await;
            let seconds = begun.elapsed().as_secs();
            let what = self.run.under_way().unwrap_or_else(|| "under way".to_owned());
            let told = ProgressNotificationParam::new(token.clone(), begun.elapsed().as_secs_f64())
                .with_message(format!("{what}, {seconds} s"));
            // A client that is gone needs no sign of life.
            let _ = peer.notify_progress(told).await;
        }
    }
}

impl ServerHandler for RunServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("reprise", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.as_ref().clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if self.get_tool(&name).is_none() {
            let shown = excerpt::shortened(&name, 80);
            let known: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_ref()).collect();
            let why = format!("there is no tool `{shown}`; the tools are {}", known.join(", "));
            return Err(ErrorData::invalid_params(why, None));
        }
        let called = self.called(request, &context);
        let called = match context.meta.get_progress_token() {
            None => called.await,
            Some(token) => tokio::select! {
                called = called => called,
                () = self.tell_progress(&context.peer, token) => Err(NoReply::Cancelled),
            },
        };
        let result = match called {
            Ok(result) => result,
            Err(NoReply::Stopped(stop)) => tool_list::not_made(&name, stop.words()),
            Err(NoReply::Cancelled) => tool_list::not_made(&name, "The call was cancelled.".to_owned()),
        };
        Ok(result.into())
    }
}
