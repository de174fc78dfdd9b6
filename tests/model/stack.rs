//! The layers together: what a run's model is wrapped in.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reprise::domain::stage::Stage;
use reprise::domain::usage::Usage;
use reprise::model::attempt::AttemptFault;
use reprise::model::chat::ModelError;
use reprise::model::layers::budget::bytes;
use reprise::model::layers::concurrency::Gate;
use reprise::model::layers::retry::{RetryPolicy, Wait};
use reprise::model::layers::spend_account::{SharedBudget, SpendAccount};
use reprise::model::layers::stack::Stack;
use reprise::policy::limits::{Budget, Caps};
use reprise::policy::scope::Scope;

use crate::openai;
use crate::support::faulty::{Faulty, answer, failed};
use crate::support::requests::ask;
use crate::support::server::{Reply, Server, reply};

fn stack(budget: Budget, pool: Arc<SharedBudget>) -> (Stack, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = told.clone();
    let stack = Stack {
        account: SpendAccount::new(budget, None, pool),
        gate: Gate::new(4),
        retry: RetryPolicy {
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(2),
            ..RetryPolicy::default()
        },
        waits: Arc::default(),
        on_wait: Arc::new(move |wait: &Wait| log.lock().unwrap().push(wait.reason.clone())),
        on_tick: Arc::new(|_| {}),
    };
    (stack, told)
}

#[tokio::test]
async fn a_call_is_paid_for_once_however_many_attempts_it_takes() {
    let mut used = answer("yes");
    used.usage = Usage {
        input: 30,
        output: 5,
        ..Usage::default()
    };
    let mut budget = Budget::default();
    budget.at(Scope::Run).turns = Some(1);
    let (stack, told) = stack(budget, Arc::default());
    let busy = || Err(failed(AttemptFault::Status(429), None));
    let provider = Faulty::new([busy(), busy(), Ok(used)]);
    let model = stack.around(provider.clone());
    assert_eq!(model.chat(&ask(0, "x")).await.unwrap().text, "yes");
    assert_eq!((provider.asked(), told.lock().unwrap().len()), (3, 2));
    // Two rate limits in turn: from 4 calls at once to 1, and a part back.
    assert_eq!(stack.gate.allowed(), 2);
    let waited = stack.waits.take();
    assert_eq!(waited.retries, 2);
    assert!(stack.waits.take().is_none(), "taken once");
    let refused = model.chat(&ask(1, "x")).await.unwrap_err();
    assert!(matches!(refused, ModelError::Spent(reached) if reached.scope == Scope::Run));
    assert_eq!(provider.asked(), 3, "nothing was asked beyond the cap");
}

/// Such as after Ctrl-C: the provider works on, and charges it.
#[tokio::test]
async fn an_attempt_that_nobody_waits_for_any_more_is_charged_and_noted() {
    let server = Server::start(vec![Reply::Silent]).await;
    let mut budget = Budget::default();
    budget.at(Scope::Run).tokens = Some(1_000_000);
    let (stack, _) = stack(budget, Arc::default());
    let client = openai::model(&server).reporting(Some(stack.charging("openai/m".to_owned())));
    let model = stack.around(Arc::new(client));
    let request = ask(0, &"text ".repeat(1_000));
    {
        let mut asked = server.silent.subscribe();
        let call = model.chat(&request);
        tokio::select! {
            answer = call => panic!("{answer:?}"),
            _ = asked.wait_for(|is_silent| *is_silent) => {}
        }
    }
    let lost = stack.waits.take().lost;
    assert!(lost.input >= 1_000 && lost.output == 0, "{lost:?}");
    assert_eq!(lost.estimated, lost.input);
    let used = stack.account.used();
    assert_eq!((used.turns, used.tokens), (0, lost.input));
}

/// One that is refused, or reaches nobody, costs nothing.
#[tokio::test]
async fn only_attempts_that_the_provider_may_have_worked_on_are_charged() {
    let refused = reply(503, "application/json", "{\"error\": {\"message\": \"busy\"}}");
    for (script, is_charged) in [
        (refused, false),
        (Reply::Hangs, true),
        (reply(200, "text/plain", "no JSON"), true),
    ] {
        let server = Server::start(vec![script.clone()]).await;
        let (stack, _) = stack(Budget::default(), Arc::default());
        let client = openai::model(&server).reporting(Some(stack.charging("openai/m".to_owned())));
        assert!(stack.around(Arc::new(client)).chat(&ask(0, "x")).await.is_err());
        let lost = stack.waits.take().lost;
        assert_eq!(lost.total() > 0, is_charged, "{script:?}: {lost:?}");
        assert_eq!(stack.account.used().tokens, lost.total());
    }
}

#[tokio::test]
async fn runs_that_share_a_pool_and_a_gate_stop_together() {
    let pool = SharedBudget::new(Caps {
        turns: Some(3),
        ..Caps::default()
    });
    let runs: Vec<_> = (0..2)
        .map(|_| {
            stack(Budget::default(), pool.clone())
                .0
                .around(Faulty::new([Ok(answer("yes"))]))
        })
        .collect();
    let mut answered = 0;
    let mut refused = 0;
    for turn in 0..3 {
        for run in &runs {
            match run.chat(&ask(turn, "x")).await {
                Ok(_) => answered += 1,
                Err(ModelError::Spent(reached)) if reached.scope == Scope::Batch => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert_eq!((answered, refused), (3, 3));
    assert_eq!(pool.used().turns, 3);
}

#[tokio::test]
async fn what_an_abandoned_call_had_set_aside_is_given_back() {
    let pool = SharedBudget::new(Caps {
        tokens: Some(1_000_000),
        ..Caps::default()
    });
    let (stack, _) = stack(Budget::default(), pool.clone());
    let down = Faulty::new([Err(failed(AttemptFault::Status(503), None))]);
    assert!(stack.around(down).chat(&ask(0, "x")).await.is_err());
    assert_eq!(pool.used().tokens, 0);
    stack
        .account
        .open(Stage::EXTRACT, stack.account.worth(1, Usage::default()));
    assert_eq!(pool.used().turns, 1);
}

#[tokio::test]
async fn what_was_counted_tells_what_the_next_prompt_may_come_to_also_after_a_resume() {
    let capped = || {
        let mut budget = Budget::default();
        budget.at(Scope::Run).tokens = Some(40_000);
        stack(budget, Arc::default()).0
    };
    let mut counted = answer("yes");
    let first = ask(0, &"text ".repeat(4_000));
    counted.usage = Usage {
        input: bytes(&first) / 4,
        ..Usage::default()
    };
    // At a token for every two bytes it would go beyond the cap.
    let mut later = ask(0, &"text ".repeat(16_000));
    later.position.stage = Stage::EXECUTE;
    later.max_output_tokens = Some(1_000);

    let refused = capped().around(Faulty::new([Ok(answer("yes")), Ok(answer("yes"))]));
    refused.chat(&first).await.unwrap();
    let error = refused.chat(&later).await.unwrap_err();
    assert!(
        matches!(error, ModelError::Spent(_)),
        "nothing was counted: {error}"
    );

    let stack = capped();
    let model = stack.around(Faulty::new([Ok(counted.clone()), Ok(answer("yes"))]));
    model.chat(&first).await.unwrap();
    model.chat(&later).await.unwrap();

    // A process that goes on has the first call from the journal.
    let resumed = capped();
    let stage = first.position.stage;
    resumed
        .account
        .open(stage, resumed.account.worth(1, counted.usage));
    resumed
        .account
        .counted(model.name(), stage, bytes(&first), counted.usage);
    for size in [0, bytes(&first), bytes(&later)] {
        for stage in [Stage::DESIGN, Stage::EXECUTE] {
            let guess = |account: &SpendAccount| account.prompt(model.name(), stage, size);
            assert_eq!(guess(&resumed.account), guess(&stack.account));
        }
    }
    resumed
        .around(Faulty::new([Ok(answer("yes"))]))
        .chat(&later)
        .await
        .unwrap();
}
