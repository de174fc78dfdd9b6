//! Kept answers, and the account that pays for them.

use std::sync::Arc;

use reprise::domain::usage::Usage;
use reprise::model::attempt::AttemptFault;
use reprise::model::chat::{ChatModel as _, ChatRequest, ModelError};
use reprise::model::layers::answer_cache::AnswerCache;
use reprise::model::layers::spend_account::{SharedBudget, SpendAccount};
use reprise::policy::limits::{Budget, Caps};
use reprise::policy::scope::Scope;

use crate::support::faulty::{Faulty, answer, failed};
use crate::support::requests::ask;

/// An account with a cap on tokens, and a call of at most as many again.
fn account(tokens: u64, pool: &Arc<SharedBudget>) -> Arc<SpendAccount> {
    let mut budget = Budget::default();
    budget.at(Scope::Run).tokens = Some(tokens);
    SpendAccount::new(budget, None, pool.clone())
}

fn small(turn: u32) -> ChatRequest {
    ChatRequest {
        max_output_tokens: Some(200),
        ..ask(turn, "x")
    }
}

#[tokio::test]
async fn a_call_that_fails_gives_back_what_was_set_aside_and_one_that_does_not_pays_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    let pool = SharedBudget::new(Caps::default());
    let mut paid = answer("yes");
    paid.usage = Usage {
        input: 30,
        output: 5,
        ..Usage::default()
    };
    let gone = || Err(failed(AttemptFault::Status(404), None));
    let provider = Faulty::new([gone(), gone(), Ok(paid)]);
    let path = folder.path().join("calls.jsonl");
    // Room for one such call, which is of some 400 tokens at most, and no second one.
    let kept = AnswerCache::open(provider.clone(), &path, account(600, &pool)).unwrap();
    for _ in 0..2 {
        kept.chat(&small(0)).await.unwrap_err();
    }
    assert_eq!((kept.tally().refused, pool.used().tokens), (0, 0));
    assert_eq!(kept.chat(&small(0)).await.unwrap().text, "yes");
    assert_eq!((provider.asked(), pool.used().tokens), (3, 35));
}

#[tokio::test]
async fn an_answer_is_asked_for_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let pool = SharedBudget::new(Caps::default());
    let provider = Faulty::new([Ok(answer("never"))]);
    let kept = AnswerCache::open(
        provider.clone(),
        &folder.path().join("calls.jsonl"),
        account(1_000, &pool),
    )
    .unwrap();
    let long = ChatRequest {
        max_output_tokens: Some(2_000),
        ..ask(0, "x")
    };
    let refused = kept.chat(&long).await.unwrap_err();
    assert!(matches!(refused, ModelError::Unavailable { .. }), "{refused}");
    assert_eq!(
        (provider.asked(), kept.tally().refused, pool.used().tokens),
        (0, 1, 0)
    );
    // A run's call is made with fewer completion tokens instead.
    let run = account(1_000, &pool).reserve(long.position.stage, 100, 2_000);
    assert_eq!(run.unwrap().output, 900);
}
