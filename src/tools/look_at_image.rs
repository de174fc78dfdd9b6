//! `look_at_image`: a question about a picture, for a model that sees.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Request, Tool, ToolOutcome};
use super::look::Look;
use super::workspace::Workspace;
use crate::documents::limits::ReadError;
use crate::domain::picture::Picture;
use crate::model::chat::ToolSpec;

/// The name that a model calls it by.
pub const NAME: &str = "look_at_image";
/// Most bytes of a file.
const LARGEST: u64 = 64 << 20;
/// Most characters of a question.
const LONGEST: usize = 2_000;

/// A picture of a file.
#[derive(Debug, Clone)]
pub struct NotedPicture {
    pub picture: Picture,
    /// What differs from the original, in sentences.
    pub notes: Vec<String>,
}

/// Something that makes pictures of files.
pub trait PictureReader: Send + Sync {
    /// The page of a PDF, from 1, or an image file, within the limits that
    /// providers set.
    ///
    /// # Errors
    /// What is no picture and no page of a PDF, or cannot be drawn.
    fn picture(&self, bytes: &[u8], page: u32) -> Result<NotedPicture, ReadError>;
}

/// Shows a picture of the workspace to a model that sees.
pub struct LookAtImage {
    reader: Arc<dyn PictureReader>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The image file or PDF, relative to the workspace: PNG, JPEG, GIF, SVG or PDF.
    path: String,
    /// For a PDF: the page to look at, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    page: Option<u32>,
    /// What to find out, such as the numbers in a figure or the rows of a scanned table.
    question: String,
}

impl LookAtImage {
    /// The tool over something that makes pictures.
    pub fn new(reader: Arc<dyn PictureReader>) -> Self {
        Self { reader }
    }

    fn look(&self, given: &Value, workspace: &Workspace) -> Result<Look, Observation> {
        let asked: Arguments = arguments::read(NAME, given)?;
        let path = arguments::path(&asked.path)?;
        let question = asked.question.trim();
        if question.is_empty() || question.chars().count() > LONGEST {
            return Err(Observation::bad(format!(
                "`{NAME}` was not run: argument `question` says in 1 to {LONGEST} characters what to find out."
            )));
        }
        let content = workspace
            .read(&path, LARGEST + 1)
            .map_err(|problem| Observation::bad(problem.to_string()))?;
        if content.bytes.len() as u64 > LARGEST {
            return Err(Observation::bad(format!(
                "`{path}` has {} bytes, and files of up to {LARGEST} can be looked at.",
                content.size
            )));
        }
        let NotedPicture { picture, notes } = self
            .reader
            .picture(&content.bytes, asked.page.unwrap_or(1))
            .map_err(|why| Observation::bad(format!("`{path}` cannot be looked at: {why}")))?;
        Ok(Look {
            path,
            page: asked.page,
            question: question.to_owned(),
            picture,
            notes,
        })
    }
}

impl Tool for LookAtImage {
    fn name(&self) -> &'static str {
        NAME
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            NAME,
            "Shows an image file, or one page of a PDF, to a model that sees, and returns its answer to your \
             question. Figures, scans and formulas cannot be read otherwise; check numbers against the text.",
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> ToolOutcome {
        match self.look(given, workspace) {
            Ok(look) => ToolOutcome::Wanted(Request::LookAtImage(Box::new(look))),
            Err(observation) => ToolOutcome::Observed(observation),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::Fixture;
    use super::*;
    use crate::domain::picture::MediaType;

    /// Makes a picture of anything but an empty file and a second page.
    struct OnePage;

    impl PictureReader for OnePage {
        fn picture(&self, bytes: &[u8], page: u32) -> Result<NotedPicture, ReadError> {
            if bytes.is_empty() || page > 1 {
                return Err(ReadError::Unsupported("it has no such page".to_owned()));
            }
            let picture = Picture::new(MediaType::Png, 1, 1, bytes.to_vec());
            Ok(NotedPicture {
                picture,
                notes: vec!["Shown smaller.".to_owned()],
            })
        }
    }

    #[test]
    fn a_picture_and_its_question_are_handed_to_whoever_sees() {
        let fixture = Fixture::new(&[("work/figure.png", b"bytes")]);
        let tool = LookAtImage::new(Arc::new(OnePage));
        let asked = json!({"path": "work/figure.png", "question": " How many bars? "});
        match tool.call(&asked, &fixture.workspace) {
            ToolOutcome::Wanted(Request::LookAtImage(look)) => {
                assert_eq!(look.picture.bytes(), b"bytes");
                assert_eq!(
                    look.arguments(),
                    json!({"path": "work/figure.png", "question": "How many bars?"})
                );
                let kept = serde_json::to_string(&look).unwrap();
                assert!(!kept.contains("bytes") && kept.contains(&look.picture.digest.to_string()));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_cannot_be_looked_at_is_an_observation() {
        let fixture = Fixture::new(&[("work/figure.png", b"bytes")]).with_traps();
        let tool = LookAtImage::new(Arc::new(OnePage));
        for (arguments, part) in [
            (
                json!({"path": "work/figure.png", "page": 2, "question": "x"}),
                "no such page",
            ),
            (
                json!({"path": "work/figure.png", "page": 0, "question": "x"}),
                "`page`",
            ),
            (json!({"path": "work/figure.png", "question": " "}), "`question`"),
            (json!({"path": "work/figure.png"}), "question"),
            (json!({"path": "work/none.png", "question": "x"}), "work/none.png"),
        ] {
            let text = fixture.bad(&tool, arguments);
            assert!(text.contains(part), "{text}");
        }
        for trap in Fixture::TRAPS {
            fixture.bad(&tool, json!({"path": trap, "question": "x"}));
        }
    }
}
