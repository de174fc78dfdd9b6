//! A review asked of a judge, as often as wanted.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::answer::{ReadReview, ReviewMeasure};
use super::settled::{OpenField, Settled};
use super::shown::ShownConversation;
use super::trace_review::GivenReview;
use crate::catalog::rubrics::trace_load::EXPLANATION;
use crate::catalog::rubrics::trace_rubric::{AskedField, TraceMaterial, TraceRubric};
use crate::catalog::stages::definition::Rendered;
use crate::catalog::stages::fault::CatalogError;
use crate::domain::conversation::Finish;
use crate::domain::digest::Digest;
use crate::domain::stage::Stage;
use crate::grading::judge::order::Order;
use crate::grading::judge::question::{JudgeBounds, JudgeLine, without_name};
use crate::model::chat::{Message, ToolSpec};
use crate::model::response_schema::ResponseSchema;

/// The name under which a judge's calls for a review are counted.
pub const REVIEW: Stage = match Stage::named("review") {
    Some(stage) => stage,
    // The name is one, which a test says.
    None => Stage::EXECUTE,
};
/// Faults that one message to a judge names.
const MOST_FAULTS: usize = 12;

/// A review that is asked of a judge.
pub struct ReviewQuestion<'a> {
    pub rubric: &'a TraceRubric,
    pub settled: &'a Settled<'a>,
    pub shown: &'a ShownConversation,
    /// The task, as it is named.
    pub task: &'a str,
    pub repeats: u32,
    /// Changes the orders of the repeats.
    pub seed: u64,
    pub bounds: JudgeBounds,
}

impl ReviewQuestion<'_> {
    /// Asks for every repeat. A judge's fault is no error: it leaves fields without a value.
    ///
    /// # Errors
    /// A rubric that cannot be rendered.
    pub async fn ask(&self, line: &mut JudgeLine<'_>) -> Result<Vec<GivenReview>, CatalogError> {
        let open = self.settled.open();
        let mut given = Vec::new();
        if open.is_empty() {
            return Ok(given);
        }
        for repeat in 0..self.repeats {
            let order = Order::new(&self.shown.text, repeat, self.seed).seed;
            let asked: Vec<AskedField<'_>> = open.iter().map(|open| arranged(open, order)).collect();
            let material = TraceMaterial {
                task: self.task,
                trace: &self.shown.text,
                settled: &self.settled.words(),
            };
            let rendered = self.rubric.render(&asked, &material)?;
            given.push(self.once(line, &open, &asked, rendered).await.given(order));
        }
        Ok(given)
    }

    /// Asks until every field can be used, or the bounds are reached.
    async fn once(
        &self,
        line: &mut JudgeLine<'_>,
        open: &[OpenField<'_>],
        asked: &[AskedField<'_>],
        rendered: Rendered,
    ) -> AskedReview {
        let measure = ReviewMeasure {
            rubric: self.rubric,
            settled: self.settled,
            open,
            shown: &self.shown.blocks,
        };
        let tools: Arc<[ToolSpec]> = Arc::new([]);
        let form = form(asked);
        let mut messages = vec![
            Message::System {
                text: rendered.system.into(),
            },
            Message::User {
                text: rendered.user.into(),
            },
        ];
        let mut best = AskedReview::default();
        for _ in 0..=self.bounds.repairs {
            let answered = line
                .ask(
                    REVIEW,
                    &messages,
                    &tools,
                    self.bounds.output_tokens,
                    Some(form.clone()),
                )
                .await;
            let response = match answered {
                Ok(response) => response,
                Err(error) => {
                    return best.broken_off(format!("The judge did not answer: {}", without_name(&error)));
                }
            };
            if response.finish == Finish::Refused {
                return best.broken_off("The judge declined to answer.".to_owned());
            }
            let read = measure.read(&response.text);
            let is_whole = read.faults.is_empty();
            let again = again(&read, response.finish);
            best.take(read);
            if is_whole {
                break;
            }
            messages.push(Message::Assistant {
                text: response.text.into(),
                calls: Vec::new(),
                thoughts: response.thoughts.filter(|_| response.calls.is_empty()),
            });
            messages.push(Message::User { text: again.into() });
        }
        best
    }
}

/// The best of a judge's answers to one repeat, and why no more came.
#[derive(Debug, Default)]
struct AskedReview {
    read: Option<ReadReview>,
    broken_off: Option<String>,
}

impl AskedReview {
    /// Takes an answer that has more than the one before. Answers are not mixed: values of two of them
    /// need not fit.
    fn take(&mut self, read: ReadReview) {
        let worth = |read: &ReadReview| (read.values.len(), usize::from(read.explanation.is_some()));
        if self.read.as_ref().is_none_or(|best| worth(&read) >= worth(best)) {
            self.read = Some(read);
        }
    }

    fn broken_off(mut self, why: String) -> Self {
        self.broken_off = Some(why);
        self
    }

    fn given(self, order: Option<u32>) -> GivenReview {
        let read = self.read.unwrap_or_default();
        let faults = read.faults.iter().map(|fault| fault.words());
        GivenReview {
            order,
            values: read.values,
            explanation: read.explanation,
            citations: read.citations,
            faults: faults.chain(self.broken_off).collect(),
        }
    }
}

/// A field with its values in an order of their own: by digest, which no version of a generator
/// changes; in the rubric's without a seed.
fn arranged<'a>(open: &OpenField<'a>, seed: Option<u32>) -> AskedField<'a> {
    let mut values: Vec<_> = (open.field.values.iter())
        .filter(|value| open.values.contains(value.name.as_str()))
        .collect();
    if let Some(seed) = seed {
        values.sort_by_cached_key(|value| Digest::compute_json(&(seed, &open.field.name, &value.name)));
    }
    AskedField {
        field: open.field,
        values,
    }
}

/// The form of the answer, for providers that can hold a judge to one; the prose comes first, so that
/// the fields follow from it.
fn form(asked: &[AskedField<'_>]) -> Arc<ResponseSchema> {
    let mut properties = Map::new();
    properties.insert(EXPLANATION.to_owned(), json!({ "type": "string" }));
    for one in asked {
        let values: Vec<&str> = one.values.iter().map(|value| value.name.as_str()).collect();
        properties.insert(one.field.name.clone(), json!({ "enum": values }));
    }
    let required: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
    Arc::new(ResponseSchema {
        name: "review".to_owned(),
        schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    })
}

fn again(read: &ReadReview, finish: Finish) -> String {
    let cut = match finish {
        Finish::Length => "Your answer was cut off by the output limit; write a shorter explanation. ",
        _ => "",
    };
    let mut faults: Vec<String> = read
        .faults
        .iter()
        .take(MOST_FAULTS)
        .map(|fault| fault.words())
        .collect();
    if read.faults.len() > MOST_FAULTS {
        faults.push(format!("and {} more", read.faults.len() - MOST_FAULTS));
    }
    format!(
        "{cut}The form cannot be used as it is: {}. Send the whole form again, as one JSON object in the shape that the \
         task gives.",
        faults.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use async_trait::async_trait;

    use super::*;
    use crate::domain::conversation::ChatResponse;
    use crate::domain::usage::Usage;
    use crate::grading::review::conversation::{Block, BlockKind, Conversation, ConversationPart};
    use crate::grading::review::settled::CodeFacts;
    use crate::model::chat::{ChatModel, ChatRequest, ModelError};

    /// A judge that says what was written down for it, and keeps what it was asked.
    struct Scripted {
        answers: Mutex<VecDeque<String>>,
        asked: Mutex<Vec<ChatRequest>>,
    }

    #[async_trait]
    impl ChatModel for Scripted {
        fn name(&self) -> &str {
            "scripted"
        }

        async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
            self.asked.lock().unwrap().push(request.clone());
            let answer = self.answers.lock().unwrap().pop_front();
            let text = answer.ok_or_else(|| ModelError::Misconfigured("nothing is left".to_owned()))?;
            Ok(ChatResponse {
                text,
                calls: Vec::new(),
                finish: Finish::Stop,
                usage: Usage::default(),
                thoughts: None,
            })
        }
    }

    fn answer(resolution: &str, cited: &str) -> String {
        json!({
            "explanation": format!("So it went [{cited}]."),
            "label": "success", "answer_source": "original_pipeline", "primary_obstacle": "code_bug_original",
            "obstacle_resolution": resolution, "answer_verification": "single_pass",
            "strategy_pattern": "mostly_linear_progress",
        })
        .to_string()
    }

    async fn ask(answers: &[String], repeats: u32) -> (Vec<GivenReview>, Vec<ChatRequest>) {
        let rubric = TraceRubric::load(None).unwrap();
        let facts = CodeFacts::default();
        let settled = Settled::new(&rubric, &facts);
        let conversation = Conversation {
            parts: vec![ConversationPart {
                stage: Stage::EXECUTE,
                blocks: vec![Block {
                    kind: BlockKind::Said,
                    tool: String::new(),
                    text: "I am done.".to_owned(),
                }],
            }],
        };
        let shown = ShownConversation::new(&conversation);
        let question = ReviewQuestion {
            rubric: &rubric,
            settled: &settled,
            shown: &shown,
            task: "capsule-9000001",
            repeats,
            seed: 0,
            bounds: JudgeBounds::default(),
        };
        let judge = Scripted {
            answers: Mutex::new(answers.iter().cloned().collect()),
            asked: Mutex::default(),
        };
        let given = question.ask(&mut JudgeLine::new(&judge)).await.unwrap();
        (given, judge.asked.into_inner().unwrap())
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn a_fault_is_told_and_the_form_asked_for_again() {
        let answers = [answer("direct_fix", "T0B9"), answer("direct_fix", "T0B0")];
        let (given, asked) = block_on(ask(&answers, 1));
        assert_eq!(asked.len(), 2);
        let Some(Message::User { text }) = asked[1].messages.last() else {
            panic!("{:?}", asked[1].messages)
        };
        assert!(text.contains("not shown: T0B9"), "{text}");
        assert_eq!((given[0].values.len(), given[0].faults.len()), (6, 0));
        assert_eq!(asked[0].position.stage.name(), "review");
        assert!(asked[0].form.as_ref().unwrap().is_strict());
    }

    #[test]
    fn a_fault_that_stays_leaves_what_is_right() {
        let answers = vec![answer("mended", "T0B0"); 3];
        let (given, asked) = block_on(ask(&answers, 1));
        assert_eq!((asked.len(), given[0].values.len()), (3, 5));
        assert!(given[0].faults[0].contains("`mended`"), "{:?}", given[0].faults);
    }

    #[test]
    fn repeats_show_the_values_in_other_orders_and_a_silent_judge_says_nothing() {
        let answers = [answer("direct_fix", "T0B0"), answer("gave_up", "T0B0")];
        let (given, asked) = block_on(ask(&answers, 3));
        let text = |request: &ChatRequest| match &request.messages[1] {
            Message::User { text } => text.to_string(),
            other => panic!("{other:?}"),
        };
        assert_ne!(text(&asked[0]), text(&asked[1]));
        assert_eq!((given[0].order, given[1].order.is_some()), (None, true));
        assert!(
            given[2].values.is_empty() && given[2].faults[0].contains("did not answer"),
            "{:?}",
            given[2]
        );
    }
}
