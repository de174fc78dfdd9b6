//! Calls of models, summed by what they are paid by.

use crate::domain::price::Price;
use crate::domain::usage::Usage;

use super::stage_state::PricedCall;

/// The calls of one model at one price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PricedUsage<'a> {
    /// The model's full name.
    pub model: &'a str,
    /// `None` where the journal holds no price for them.
    pub price: Option<Price>,
    pub calls: u64,
    pub usage: Usage,
}

/// The sums, in the order in which each model and price comes first.
pub fn by_price<'a>(calls: impl IntoIterator<Item = PricedCall<'a>>) -> Vec<PricedUsage<'a>> {
    let mut sums: Vec<PricedUsage<'a>> = Vec::new();
    for call in calls {
        let known = sums
            .iter_mut()
            .find(|sum| sum.model == call.model && sum.price == call.price);
        match known {
            Some(sum) => {
                sum.calls += u64::from(call.is_answered);
                sum.usage += call.usage;
            }
            None => sums.push(PricedUsage {
                model: call.model,
                price: call.price,
                calls: u64::from(call.is_answered),
                usage: call.usage,
            }),
        }
    }
    sums
}
