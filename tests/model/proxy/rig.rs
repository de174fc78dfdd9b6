//! A provider, a proxy before it, and what a program is told of it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::domain::price::Price;
use reprise::domain::proxy_dialect::ProxyDialect;
use reprise::domain::stage::Stage;
use reprise::model::connection::Connection;
use reprise::model::layers::concurrency::Gate;
use reprise::model::layers::retry::RetryPolicy;
use reprise::model::layers::spend_account::{SharedBudget, SpendAccount};
use reprise::model::layers::timer::RealTime;
use reprise::model::providers::anthropic::ANTHROPIC;
use reprise::model::providers::gemini::GEMINI;
use reprise::model::providers::openai::OPENAI;
use reprise::model::proxy::admission::RunToken;
use reprise::model::proxy::call_budget::CallBudget;
use reprise::model::proxy::client_request::RequestRules;
use reprise::model::proxy::server::{ProxyParts, ProxyServer};
use reprise::model::proxy::serving::Patience;
use reprise::model::proxy::upstream::{Upstream, UpstreamBounds};
use reprise::policy::limits::{Budget, Caps};
use reprise::policy::scope::Scope;
use serde_json::{Value, json};

use super::engine::Keeper;
use crate::support::dialects::{Dialect, PATIENT, connection};

/// A dollar for each million tokens read, ten for each written.
pub const PRICE: Price = Price {
    input: 1.0,
    cached: 0.1,
    output: 10.0,
    written: None,
    written_long: None,
};

pub const STAGE: Stage = Stage::EXECUTE;

/// A program's side of one dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    pub wire: ProxyDialect,
    pub path: &'static str,
    pub streamed_path: &'static str,
}

pub const CHAT: Side = Side {
    wire: ProxyDialect::ChatCompletions,
    path: "/v1/chat/completions",
    streamed_path: "/v1/chat/completions",
};
pub const RESPONSES: Side = Side {
    wire: ProxyDialect::Responses,
    path: "/v1/responses",
    streamed_path: "/v1/responses",
};
pub const MESSAGES: Side = Side {
    wire: ProxyDialect::Messages,
    path: "/v1/messages?beta=true",
    streamed_path: "/v1/messages?beta=true",
};
pub const GEMINI_SIDE: Side = Side {
    wire: ProxyDialect::GenerateContent,
    path: "/v1beta/models/alias:generateContent",
    streamed_path: "/v1beta/models/alias:streamGenerateContent?alt=sse",
};
pub const SIDES: [Side; 4] = [CHAT, RESPONSES, MESSAGES, GEMINI_SIDE];
/// Those that the scripted answers are written in.
pub const SCRIPTED: [(Side, Dialect); 3] = [
    (CHAT, Dialect::Chat),
    (RESPONSES, Dialect::Responses),
    (MESSAGES, Dialect::Messages),
];

impl Side {
    /// A request of this dialect, as short as it can be.
    pub fn request(self, text: &str, streamed: bool) -> Value {
        let message = json!([{"role": "user", "content": text}]);
        match self.wire {
            ProxyDialect::ChatCompletions => {
                json!({"model": "alias", "messages": message, "max_tokens": 100, "stream": streamed})
            }
            ProxyDialect::Responses => {
                json!({"model": "alias", "input": message, "max_output_tokens": 100, "stream": streamed})
            }
            ProxyDialect::Messages => {
                json!({"model": "alias", "messages": message, "max_tokens": 100, "stream": streamed})
            }
            ProxyDialect::GenerateContent => json!({
                "contents": [{"role": "user", "parts": [{"text": text}]}],
                "generationConfig": {"maxOutputTokens": 100},
            }),
        }
    }

    fn connection(self, provider: SocketAddr) -> Connection {
        let base = format!("http://{provider}/v1");
        match self.wire {
            ProxyDialect::Messages => connection(&ANTHROPIC, &base, PATIENT),
            ProxyDialect::GenerateContent => {
                connection(&GEMINI, &format!("http://{provider}/v1beta/openai"), PATIENT)
            }
            _ => connection(&OPENAI, &base, PATIENT),
        }
    }
}

/// The settings of a proxy.
#[derive(Clone)]
pub struct Settings {
    pub caps: Caps,
    pub hosted_tools: bool,
    pub patience: Patience,
    pub full: bool,
    pub token: RunToken,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            caps: Caps::default(),
            hosted_tools: false,
            patience: Patience {
                silent: Duration::from_secs(600),
                sign: Duration::from_millis(20),
                head: Duration::from_secs(600),
            },
            full: false,
            token: RunToken::new(b"the run's"),
        }
    }
}

/// A proxy that listens.
pub struct Rig {
    pub proxy: ProxyServer,
    pub keeper: Arc<Keeper>,
    /// What all calls have used.
    pub pool: Arc<SharedBudget>,
    pub token: RunToken,
    pub waits: Arc<Mutex<Vec<String>>>,
}

impl Rig {
    pub async fn new(side: Side, provider: SocketAddr) -> Self {
        Self::with(side, provider, Settings::default()).await
    }

    pub async fn with(side: Side, provider: SocketAddr, settings: Settings) -> Self {
        let Parts {
            parts,
            keeper,
            pool,
            waits,
        } = parts(side, provider, &settings);
        Self {
            proxy: ProxyServer::on_loopback(parts).await.unwrap(),
            keeper,
            pool,
            token: settings.token,
            waits,
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.proxy.address.unwrap()
    }
}

/// The parts of a proxy, and what is looked at behind it.
pub struct Parts {
    pub parts: ProxyParts,
    pub keeper: Arc<Keeper>,
    pub pool: Arc<SharedBudget>,
    pub waits: Arc<Mutex<Vec<String>>>,
}

pub fn parts(side: Side, provider: SocketAddr, settings: &Settings) -> Parts {
    let pool = Arc::<SharedBudget>::default();
    let mut budget = Budget::default();
    *budget.at(Scope::Run) = settings.caps;
    let account = SpendAccount::new(budget, Some(PRICE), pool.clone());
    let budget = CallBudget::new(account, "p/m", STAGE);
    let keeper = Arc::new(Keeper {
        budget: budget.clone(),
        recorded: Mutex::default(),
        resends: Mutex::default(),
        turned_away: Mutex::default(),
        full: settings.full,
    });
    let waits = Arc::<Mutex<Vec<String>>>::default();
    let told = waits.clone();
    let bounds = UpstreamBounds {
        stage: STAGE,
        gate: Gate::new(64),
        retry: RetryPolicy {
            attempts: 4,
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(2),
            ..RetryPolicy::default()
        },
        timer: Arc::new(RealTime::default()),
        on_wait: Arc::new(move |wait| told.lock().unwrap().push(wait.reason.clone())),
    };
    let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
    let connection = side.connection(provider);
    let upstream = Upstream::new(&connection, clock, bounds).unwrap();
    let parts = ProxyParts {
        upstream: Some(Arc::new(upstream)),
        engine: keeper.clone(),
        budget,
        rules: RequestRules {
            names: vec!["alias".into(), "p/m".into()],
            model: "m".into(),
            hosted_tools: settings.hosted_tools,
            chat_limit: "max_completion_tokens",
            planned: 4096,
        },
        token: settings.token.clone(),
        patience: settings.patience,
    };
    Parts {
        parts,
        keeper,
        pool,
        waits,
    }
}
