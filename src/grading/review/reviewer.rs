//! The review of one run: the conversation read, the judge asked out of its account, the file written.

use super::ask::ReviewQuestion;
use super::conversation::Conversation;
use super::settled::{CodeFacts, Settled};
use super::shown::ShownConversation;
use super::trace_review::{ReviewParts, ReviewedRun, TraceReview};
use crate::catalog::rubrics::trace_rubric::TraceRubric;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::grading::judge::question::JudgeBounds;
use crate::grading::scorecard::card::Cost;
use crate::grading::scorecard::files;
use crate::grading::scored_run::judge_grading::Judge;

/// The file of a review, in the judge's folder.
const FILE: &str = "review.json";
/// The name of a review without a judge.
const CODE: &str = "code";

/// The manner in which runs are reviewed.
#[derive(Debug, Clone, Copy)]
pub struct Reviewing<'a> {
    pub rubric: &'a TraceRubric,
    pub repeats: u32,
    /// Changes the orders of the repeats.
    pub seed: u64,
}

impl Reviewing<'_> {
    /// Reviews a run by what code knows and by a judge, where there is one, and writes the review
    /// into the run's folder.
    ///
    /// # Errors
    /// A run that cannot be read, kept answers that cannot be used, or a file that cannot be written.
    pub async fn review(
        &self,
        run: &RunReader,
        of: ReviewedRun,
        facts: &CodeFacts,
        judge: Option<Judge>,
    ) -> Result<TraceReview, EngineError> {
        let settled = Settled::new(self.rubric, facts);
        let conversation = Conversation::read(run)?;
        let shown = ShownConversation::new(&conversation);
        let name = judge.as_ref().map_or(CODE, |judge| judge.name()).to_owned();
        let own = files::make_folder(&run.folder, &files::review_folder(&name))?;
        // Nobody can say anything of a conversation in which nothing was said.
        let (given, cost) = match judge.filter(|_| !conversation.is_empty()) {
            Some(judge) => {
                let question = ReviewQuestion {
                    rubric: self.rubric,
                    settled: &settled,
                    shown: &shown,
                    task: &of.task,
                    repeats: self.repeats,
                    seed: self.seed,
                    bounds: JudgeBounds::default(),
                };
                let (given, asked) = judge
                    .asked(&own, async |line| Ok(question.ask(line).await?))
                    .await?;
                (given, asked.cost)
            }
            None => (Vec::new(), Cost::default()),
        };
        let parts = ReviewParts {
            rubric: self.rubric,
            settled: &settled,
            shown: &shown,
            judge: &name,
            given,
            cost,
        };
        let review = TraceReview::new(of, parts);
        let text = serde_json::to_vec_pretty(&review)
            .map_err(|error| EngineError::Unusable(format!("{}: {error}", own.display())))?;
        atomic_file::replace(&own.join(FILE), &text, &own)?;
        Ok(review)
    }
}
