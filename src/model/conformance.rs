//! Conformance of a model to its row in the table of models: one small call for each thing, made to
//! the real provider.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::conversation::{ChatResponse, Finish, Position};
use crate::domain::excerpt;
use crate::domain::picture::{MediaType, Picture};
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::model::capabilities::Capabilities;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError, ToolSpec};
use crate::model::http::excerpt;
use crate::model::response_schema::ResponseSchema;

/// Most tokens of each answer: room for a model that thinks first.
const OUTPUT: u32 = 1_000;
/// Tokens of all prompts together, the picture included, at a generous guess.
const INPUT: u64 = 4_000;
/// Width and height of the picture in pixels.
const SIDE: u32 = 64;

/// The feature that a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    Text,
    Tools,
    ParallelTools,
    Schema,
    Image,
    /// Counts of tokens, in the answer to the first call.
    Usage,
}

/// The features that are asked for with a call of their own, in order.
const CALLS: [Feature; 5] = [
    Feature::Text,
    Feature::Tools,
    Feature::ParallelTools,
    Feature::Schema,
    Feature::Image,
];

impl Feature {
    /// The name, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Tools => "tools",
            Self::ParallelTools => "parallel tools",
            Self::Schema => "schema",
            Self::Image => "image",
            Self::Usage => "usage",
        }
    }

    /// What the table says; every model is to answer in text.
    fn claimed(self, known: &Capabilities) -> Option<bool> {
        match self {
            Self::Text => Some(true),
            Self::Tools => known.tools,
            Self::ParallelTools => known.parallel_tools,
            Self::Schema => known.schema,
            Self::Image => known.vision,
            Self::Usage => None,
        }
    }
}

/// The outcome of the check of one feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub feature: Feature,
    /// `None` where the provider did not let it be found out.
    pub works: Option<bool>,
    /// What the table of models says; `None` where it says nothing.
    pub claimed: Option<bool>,
    /// What was seen, or why it does not work: one line.
    pub found: String,
}

impl Check {
    /// Whether the table promises what was seen not to work.
    pub fn disappoints(&self) -> bool {
        self.works == Some(false) && self.claimed == Some(true)
    }
}

/// Everything that was found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conformance {
    pub checks: Vec<Check>,
    pub calls: u64,
    pub usage: Usage,
}

/// The most that all calls together are expected to take.
pub fn estimate() -> Usage {
    Usage {
        input: INPUT,
        output: CALLS.len() as u64 * u64::from(OUTPUT),
        ..Usage::default()
    }
}

/// How many calls there are.
pub fn calls() -> usize {
    CALLS.len()
}

/// Makes the calls, one after the other. `known` is what the table says; the
/// model itself has to offer tools, forms and pictures whatever it says.
///
/// # Errors
/// Where the first call finds nobody who answers, since no other one would:
/// a wrong key, no such model, no connection.
pub async fn conform(model: &dyn ChatModel, known: &Capabilities) -> Result<Conformance, ModelError> {
    let mut found = Conformance {
        checks: Vec::new(),
        calls: 0,
        usage: Usage::default(),
    };
    for (turn, feature) in (0..).zip(CALLS) {
        let answer = model.chat(&request(turn, feature)?).await;
        let (works, seen) = match answer {
            Ok(response) => {
                found.calls += 1;
                found.usage += response.usage;
                match judge(feature, &response) {
                    Ok(seen) => (Some(true), seen),
                    Err(why) => (Some(false), why),
                }
            }
            Err(error) if feature == Feature::Text => return Err(error),
            Err(ModelError::Rejected { status, message, .. }) => (
                Some(false),
                format!("the provider refused the request ({status}): {message}"),
            ),
            Err(error @ (ModelError::Unavailable { .. } | ModelError::Attempt(_))) => {
                (None, error.to_string())
            }
            Err(error) => return Err(error),
        };
        found.checks.push(Check {
            feature,
            works,
            claimed: feature.claimed(known),
            found: seen,
        });
    }
    found.checks.push(counts(found.usage, known));
    Ok(found)
}

fn counts(usage: Usage, known: &Capabilities) -> Check {
    let counted = usage.input > 0 && usage.output > 0 && usage.estimated == 0;
    Check {
        feature: Feature::Usage,
        works: Some(counted),
        claimed: Feature::Usage.claimed(known),
        found: if counted {
            format!(
                "{} in ({} of them cached), {} out ({} of them reasoning)",
                usage.input, usage.cached, usage.output, usage.reasoning
            )
        } else {
            "the provider counts no tokens, so that budgets hold by estimates".to_owned()
        },
    }
}

fn request(turn: u32, feature: Feature) -> Result<ChatRequest, ModelError> {
    let user = |text: &str| Message::User { text: text.into() };
    let (message, tools, form) = match feature {
        Feature::Text | Feature::Usage => (user("Answer with the one word: ready"), vec![], None),
        Feature::Tools => (
            user("Call the tool `add` once, with a = 2 and b = 3. Say nothing."),
            vec![add()],
            None,
        ),
        Feature::ParallelTools => (
            user(
                "Call the tool `add` twice in this one answer: with a = 2 and b = 3, and with a = 4 and b = 5. Say nothing.",
            ),
            vec![add()],
            None,
        ),
        Feature::Schema => (user("Describe a ripe banana."), vec![], Some(Arc::new(fruit()))),
        Feature::Image => (
            Message::Pictured {
                text: "Which colour is the left half of this picture, and which the right half? Answer with two words."
                    .into(),
                picture: halves()?,
            },
            vec![],
            None,
        ),
    };
    Ok(ChatRequest {
        position: Position {
            stage: Stage::EXTRACT,
            turn,
        },
        messages: vec![message],
        tools: tools.into(),
        max_output_tokens: Some(OUTPUT),
        form,
    })
}

fn add() -> ToolSpec {
    ToolSpec {
        name: "add".to_owned(),
        description: "Adds two numbers.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
            "required": ["a", "b"],
            "additionalProperties": false,
        }),
    }
}

fn fruit() -> ResponseSchema {
    ResponseSchema {
        name: "fruit".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "colour": {"enum": ["red", "yellow", "green"]}},
            "required": ["name", "colour"],
            "additionalProperties": false,
        }),
    }
}

/// A picture that is red on the left and blue on the right.
fn halves() -> Result<Picture, ModelError> {
    let row: Vec<u8> = (0..SIDE)
        .flat_map(|x| {
            if x < SIDE / 2 {
                [220, 20, 20]
            } else {
                [20, 20, 220]
            }
        })
        .collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&row.repeat(SIDE as usize)))
        .map_err(|error| ModelError::Misconfigured(format!("The test picture cannot be made: {error}.")))?;
    Ok(Picture::new(MediaType::Png, SIDE, SIDE, file))
}

/// What was seen, or why that is not what was asked for.
fn judge(feature: Feature, response: &ChatResponse) -> Result<String, String> {
    match response.finish {
        Finish::Refused => return Err(format!("the model declined: {}", quoted(response))),
        Finish::Length if response.calls.is_empty() => {
            return Err(format!("the answer was not complete after {OUTPUT} tokens"));
        }
        Finish::Stop | Finish::Length => {}
    }
    match feature {
        Feature::Text | Feature::Usage => match response.text.trim() {
            "" => Err("the answer holds no text".to_owned()),
            _ => Ok(quoted(response)),
        },
        Feature::Tools => calls_of_add(response, &[(2.0, 3.0)]),
        Feature::ParallelTools => calls_of_add(response, &[(2.0, 3.0), (4.0, 5.0)]),
        Feature::Schema => {
            let answer: Value = serde_json::from_str(response.text.trim())
                .map_err(|_| format!("the answer is not JSON alone: {}", quoted(response)))?;
            if jsonschema::is_valid(&fruit().schema, &answer) {
                Ok(quoted(response))
            } else {
                Err(format!(
                    "the answer does not fit its schema: {}",
                    quoted(response)
                ))
            }
        }
        Feature::Image => {
            let text = response.text.to_lowercase();
            match (text.find("red"), text.find("blue")) {
                (Some(red), Some(blue)) if red < blue => Ok(quoted(response)),
                _ => Err(format!(
                    "the picture was red and blue, and the model saw {}",
                    quoted(response)
                )),
            }
        }
    }
}

fn calls_of_add(response: &ChatResponse, wanted: &[(f64, f64)]) -> Result<String, String> {
    let made: Vec<(f64, f64)> = response
        .calls
        .iter()
        .filter(|call| call.name == "add")
        .filter_map(|call| {
            let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
            Some((arguments["a"].as_f64()?, arguments["b"].as_f64()?))
        })
        .collect();
    if wanted.iter().all(|one| made.contains(one)) {
        let shown: Vec<String> = made.iter().map(|(a, b)| format!("add({a}, {b})")).collect();
        return Ok(shown.join(", "));
    }
    Err(match response.calls.as_slice() {
        [] => format!("nothing was called, and the answer says {}", quoted(response)),
        calls => {
            let shown: Vec<String> = calls
                .iter()
                .map(|call| format!("{}({})", call.name, call.arguments))
                .collect();
            let calls = excerpt(shown.join(", ").as_bytes());
            format!(
                "{} of {} calls were made: {calls}",
                made.len().min(wanted.len()),
                wanted.len()
            )
        }
    })
}

fn quoted(response: &ChatResponse) -> String {
    let line = excerpt(response.text.as_bytes());
    format!("\"{}\"", excerpt::shortened(&line, 80))
}
