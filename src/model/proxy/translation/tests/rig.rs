//! One request and what becomes of it, for the tables.

use serde_json::Value;

use crate::domain::call_translation::CallTranslation;
use crate::domain::conversation::Position;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::domain::sampling::Effort;
use crate::domain::stage::Stage;
use crate::model::connection::{Connection, on_loopback};
use crate::model::providers::anthropic::ANTHROPIC;
use crate::model::providers::vllm::VLLM;
use crate::model::proxy::translation::loss::NotTranslated;
use crate::model::proxy::translation::request_body::{BodyTerms, TranslatedBody};
use crate::model::proxy::translation::translate::TranslationRules;

pub const POSITION: Position = Position {
    stage: Stage::EXECUTE,
    turn: 0,
};

/// A request in the dialect that it was carried into.
#[derive(Debug)]
pub struct Carried {
    pub body: Value,
    pub removed: Vec<String>,
}

pub fn connected(into: ProxyDialect) -> Connection {
    let mut connection = on_loopback(match into {
        ProxyDialect::Messages => &ANTHROPIC,
        _ => &VLLM,
    });
    connection.capabilities.responses = Some(into == ProxyDialect::Responses);
    connection.capabilities.schema = None;
    connection
}

pub fn rules(into: ProxyDialect) -> TranslationRules {
    TranslationRules {
        dialects: CallTranslation {
            from: None,
            into,
            spoken: vec![into],
        },
        efforts: Some([Effort::Low].into_iter().collect()),
    }
}

/// Carries a request over, or says why not.
pub fn carry(from: ProxyDialect, into: ProxyDialect, request: &str) -> Result<Carried, NotTranslated> {
    let translated = rules(into).translate(from, request)?;
    let terms = BodyTerms {
        position: POSITION,
        streamed: false,
        output: Some(50),
    };
    let body = TranslatedBody::new(&translated.call, &connected(into), terms).unwrap();
    Ok(Carried {
        body: serde_json::from_str(&body.body).unwrap(),
        removed: translated.removed,
    })
}

/// The outcome of one change of a request.
#[derive(Debug)]
pub enum Fate {
    /// The body holds this value at this place.
    At(&'static str, Value),
    /// It is named among what was taken out, and the body is as without it.
    Dropped(&'static str),
    /// The body is as without it, and nothing is said.
    LeftBehind,
    /// The refusal names this place.
    Refused(&'static str),
}

/// A table of changes of one request, each with what becomes of it.
pub struct FateTable {
    pub from: ProxyDialect,
    pub into: ProxyDialect,
    pub request: Value,
}

impl FateTable {
    /// Sets what stands at a pointer, and holds what comes of it to the expectation.
    pub fn check(&self, pointer: &str, value: Value, fate: &Fate) {
        let bare = carry(self.from, self.into, &self.request.to_string()).unwrap();
        assert_eq!(bare.removed, Vec::<String>::new(), "{:?}", self.from);
        let mut request = self.request.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match request.pointer_mut(parent).unwrap() {
            Value::Array(items) if key == "-" => items.push(value.clone()),
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
            holder => holder[key] = value.clone(),
        }
        let carried = carry(self.from, self.into, &request.to_string());
        let told = format!("{:?} {pointer} = {value}: {carried:?}", self.from);
        match (fate, carried) {
            (Fate::At(place, expected), Ok(carried)) => {
                assert_eq!(carried.body.pointer(place), Some(expected), "{told}");
                assert_eq!(carried.removed, Vec::<String>::new(), "{told}");
            }
            (Fate::Dropped(name), Ok(carried)) => {
                assert_eq!(carried.removed, [*name], "{told}");
                assert_eq!(carried.body, bare.body, "{told}");
            }
            (Fate::LeftBehind, Ok(carried)) => {
                assert_eq!(carried.removed, Vec::<String>::new(), "{told}");
                assert_eq!(carried.body, bare.body, "{told}");
            }
            (Fate::Refused(place), Err(why)) => {
                assert!(why.to_string().contains(&format!("`{place}`")), "{told}");
            }
            (fate, _) => panic!("{fate:?} was expected of {told}"),
        }
    }
}
