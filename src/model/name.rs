//! Names of models, as written on the command line and in settings.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

use crate::model::loopback::is_loopback;
use crate::model::providers;
use crate::model::providers::provider::Provider;

/// A model, as far as its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelName {
    /// `recorded:NAME_OR_FILE`: answers of a recording, checked request by request.
    Recorded(String),
    /// `scripted:FILE`: answers of a recording by position alone, unchecked.
    Scripted(String),
    /// `human`: a person, who fills in forms.
    Human,
    /// `PROVIDER/MODEL`.
    Served {
        provider: &'static Provider,
        /// The address in the name; only `openai-api` has one.
        base: Option<Url>,
        /// The model (or deployment) as the provider knows it.
        model: String,
        /// The whole name as it was typed, by which tables know it and people see it.
        typed: String,
    },
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` does not name a model: {reason}")]
pub struct NotAModel {
    name: String,
    reason: NameFault,
}

/// The part of a text that keeps it from naming a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum NameFault {
    #[error(
        "expected {HUMAN}, recorded:NAME, scripted:FILE, {} or {ADDRESSED}",
        providers_in_names()
    )]
    Provider,
    #[error("expected the form {0}")]
    Form(String),
    #[error("`{0}` is not a scheme: write http or https")]
    Scheme(String),
    #[error("a name is printed and kept, so it may hold no user or password; pass the key as a setting")]
    Secret,
    #[error("{0}; expected the form {ADDRESSED}")]
    Address(<Url as FromStr>::Err),
}

impl FromStr for ModelName {
    type Err = NotAModel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text.trim()).map_err(|reason| NotAModel {
            name: text.to_owned(),
            reason,
        })
    }
}

/// The form of a name with an address.
const ADDRESSED: &str = "openai-api/HOST[:PORT][/PATH]/MODEL";
const RECORDED: &str = "recorded:";
const SCRIPTED: &str = "scripted:";
/// The name of a person in the place of a model.
pub const HUMAN: &str = "human";

/// The name of a client in the place of a model: a program elsewhere, whose own calls of a model are not
/// seen here.
pub const CLIENT: &str = "client";

/// The words on a run whose model's calls are made by a client.
pub const UNMETERED: &str = "unmetered: the calls of its model are made by a client and are not seen here, so that \
    neither its tokens nor its costs are known";

/// True if a name means a recording, which asks nobody and goes on as it was written.
pub fn is_recording(name: &str) -> bool {
    recording(name).is_some()
}

/// The prefix of a recording's name, and the name or file behind it; `None` of any other model.
pub fn recording(name: &str) -> Option<(&'static str, &str)> {
    let mut prefixes = [RECORDED, SCRIPTED].into_iter();
    prefixes.find_map(|prefix| Some((prefix, name.strip_prefix(prefix)?)))
}

fn parse(text: &str) -> Result<ModelName, NameFault> {
    if text == HUMAN {
        return Ok(ModelName::Human);
    }
    if let Some(name) = text.strip_prefix(RECORDED) {
        return not_empty(name, "recorded:NAME or recorded:FILE").map(ModelName::Recorded);
    }
    if let Some(file) = text.strip_prefix(SCRIPTED) {
        return not_empty(file, "scripted:FILE").map(ModelName::Scripted);
    }
    let (prefix, rest) = text.split_once('/').ok_or(NameFault::Provider)?;
    let provider = providers::find(prefix).ok_or(NameFault::Provider)?;
    if provider.address_in_name() {
        let (base, model) = with_address(rest)?;
        return Ok(ModelName::Served {
            provider,
            base: Some(base),
            model,
            typed: text.to_owned(),
        });
    }
    Ok(ModelName::Served {
        provider,
        base: None,
        model: not_empty(rest, &format!("{prefix}/MODEL"))?,
        typed: text.to_owned(),
    })
}

fn providers_in_names() -> String {
    let providers: Vec<_> = providers::all()
        .filter(|provider| !provider.address_in_name())
        .map(|provider| format!("{}/MODEL", provider.prefix))
        .collect();
    providers.join(", ")
}

fn not_empty(rest: &str, form: &str) -> Result<String, NameFault> {
    if rest.is_empty() || rest.chars().any(char::is_control) {
        Err(NameFault::Form(form.to_owned()))
    } else {
        Ok(rest.to_owned())
    }
}

/// `[SCHEME://]HOST[:PORT][/PATH]/MODEL`. A path segment such as `v1` ends the
/// path, so that the model may hold slashes; without one the model is the last
/// segment, and the path `/v1` is assumed where there is none.
fn with_address(rest: &str) -> Result<(Url, String), NameFault> {
    let (scheme, address) = match rest.split_once("://") {
        Some((scheme @ ("http" | "https"), address)) => (Some(scheme), address),
        Some((scheme, _)) => return Err(NameFault::Scheme(scheme.to_owned())),
        None => (None, rest),
    };
    let (host, tail) = address
        .split_once('/')
        .ok_or_else(|| NameFault::Form(ADDRESSED.to_owned()))?;
    if host.contains('@') {
        return Err(NameFault::Secret);
    }
    let segments: Vec<&str> = tail.split('/').collect();
    let version = segments.iter().position(|segment| is_version(segment));
    let (path, model) = match version {
        Some(at) => segments.split_at(at + 1),
        None => segments.split_at(segments.len() - 1),
    };
    let path = if path.is_empty() {
        "v1".to_owned()
    } else {
        path.join("/")
    };
    let model = not_empty(&model.join("/"), ADDRESSED)?;
    let guess = Url::parse(&format!("http://{host}/{path}")).map_err(NameFault::Address)?;
    let scheme = scheme.unwrap_or(if is_loopback(&guess) { "http" } else { "https" });
    let base = Url::parse(&format!("{scheme}://{host}/{path}")).map_err(NameFault::Address)?;
    Ok((base, model))
}

fn is_version(segment: &str) -> bool {
    segment
        .strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded(name) => write!(formatter, "recorded:{name}"),
            Self::Human => formatter.write_str(HUMAN),
            Self::Scripted(file) => write!(formatter, "scripted:{file}"),
            Self::Served { typed, .. } => formatter.write_str(typed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base_and_model(text: &str) -> (String, String) {
        match text.parse::<ModelName>().unwrap() {
            ModelName::Served {
                base: Some(base),
                model,
                ..
            } => (base.to_string(), model),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_form_is_read_and_written_back() {
        for name in [
            "recorded:python",
            "recorded:some/file.json",
            "scripted:file.json",
            "human",
            "openai/gpt-5",
            "openrouter/meta-llama/llama-3.3-70b:free",
            "azure/my-deployment",
            "anthropic/claude-sonnet-4-5",
            "gemini/gemini-2.5-flash",
            "mistral/mistral-large-latest",
            "lmstudio/qwen/qwen3-4b",
            "vllm/Qwen/Qwen3-8B",
            "ollama/llama3.2:3b",
            "llama.cpp/SmolLM2-135M",
            "openai-api/127.0.0.1:8080/m",
            "openai-api/http://gpu:8000/openai/v1/org/m",
        ] {
            assert_eq!(name.parse::<ModelName>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn an_address_in_a_name_is_taken_apart() {
        let cases = [
            ("openai-api/127.0.0.1:8080/m", "http://127.0.0.1:8080/v1", "m"),
            (
                "openai-api/localhost:1/v1/org/m",
                "http://localhost:1/v1",
                "org/m",
            ),
            ("openai-api/[::1]:9/m", "http://[::1]:9/v1", "m"),
            (
                "openai-api/llm.example.org/api/m",
                "https://llm.example.org/api",
                "m",
            ),
            (
                "openai-api/http://gpu:8000/openai/v1/org/m",
                "http://gpu:8000/openai/v1",
                "org/m",
            ),
        ];
        for (name, base, model) in cases {
            assert_eq!(
                base_and_model(name),
                (base.to_owned(), model.to_owned()),
                "{name}"
            );
            let again = name.parse::<ModelName>().unwrap().to_string();
            assert_eq!(
                base_and_model(&again),
                (base.to_owned(), model.to_owned()),
                "{again}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("gpt-5", "openai/MODEL"),
            ("opnai/gpt-5", "openai/MODEL"),
            ("openai/", "openai/MODEL"),
            ("recorded:", "recorded:NAME"),
            ("openai-api/127.0.0.1:8080", "HOST[:PORT]"),
            ("openai-api/127.0.0.1:8080/", "HOST[:PORT]"),
            ("openai-api/host:99999/m", "invalid port"),
            ("openai-api/user:secret@host/m", "no user or password"),
            ("openai-api/ftp://host/m", "http or https"),
        ];
        for (name, part) in cases {
            let error = name.parse::<ModelName>().unwrap_err().to_string();
            assert!(error.contains(part), "{name}: {error}");
        }
    }
}
