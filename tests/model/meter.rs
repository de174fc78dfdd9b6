//! The meter: answered calls alone are counted, by stage.

use reprise::domain::conversation::ChatResponse;
use reprise::domain::stage::Stage;
use reprise::domain::usage::{MicroDollars, Usage};
use reprise::model::attempt::AttemptFault;
use reprise::model::capabilities::Price;
use reprise::model::chat::ChatModel;
use reprise::model::layers::meter::Meter;

use crate::support::faulty::{Faulty, answer, failed};
use crate::support::requests::ask;

fn used() -> ChatResponse {
    ChatResponse {
        usage: Usage {
            input: 1000,
            cached: 400,
            output: 50,
            reasoning: 20,
        },
        ..answer("yes")
    }
}

#[tokio::test]
async fn answered_calls_are_counted_and_priced() {
    let price = Price {
        input: 2.0,
        cached: 0.5,
        output: 10.0,
    };
    let outcomes = [Ok(used()), Err(failed(AttemptFault::Empty, None)), Ok(used())];
    let meter = Meter::new(Faulty::new(outcomes), Some(price));
    let mut elsewhere = ask(0, "x");
    elsewhere.position.stage = Stage::Extract;
    meter.chat(&ask(0, "x")).await.unwrap();
    meter.chat(&ask(1, "x")).await.unwrap_err();
    meter.chat(&elsewhere).await.unwrap();

    let design = meter.stage(Stage::Design);
    assert_eq!((design.calls, design.usage), (1, used().usage));
    assert_eq!(design.cost, Some(MicroDollars(600 * 2 + 200 + 500)));
    assert_eq!(meter.stage(Stage::Search).calls, 0);
    let total = meter.total();
    assert_eq!((total.calls, total.usage.total()), (2, 2100));
    assert_eq!(total.cost, Some(MicroDollars(3800)));
}

#[tokio::test]
async fn an_answer_without_counts_is_not_passed_off_as_free() {
    let meter = Meter::new(Faulty::new([Ok(used()), Ok(answer("yes"))]), None);
    meter.chat(&ask(0, "x")).await.unwrap();
    assert_eq!(meter.total().uncounted, 0);
    meter.chat(&ask(1, "x")).await.unwrap();
    assert_eq!((meter.total().calls, meter.total().uncounted), (2, 1));
}

#[tokio::test]
async fn without_a_price_there_is_no_cost() {
    let meter = Meter::new(Faulty::new([Ok(used())]), None);
    meter.chat(&ask(0, "x")).await.unwrap();
    assert_eq!(meter.total().cost, None);
}
