//! An estimate of a run's cost, before it begins.

use crate::domain::format;
use crate::domain::price::Price;
use crate::domain::stage::Stage;
use crate::domain::usage::{MicroDollars, Usage};
use crate::policy::estimate::{CACHED_AT_BEST, estimate};
use crate::policy::limits::Budget;
use crate::policy::scope::Scope;

/// The estimate in words: a range, what it assumes, and whether the run's caps
/// are likely to end it early. `paper` is in tokens; `None` where it cannot be read.
pub fn words(stages: &[Stage], paper: Option<u64>, price: Option<Price>, budget: &Budget) -> String {
    let Some(range) = estimate(stages.iter().copied(), paper.unwrap_or_default()) else {
        return "estimate: none, since nothing is known of what this track's stages take; caps hold all the same".to_owned();
    };
    let money = price.map(|price| (price.cost(range.low), price.cost(range.high)));
    let costs = money.map_or_else(
        || "at an unknown price".to_owned(),
        |(low, high)| format!("{} to {}", dollars(low), dollars(high)),
    );
    let paper = paper.map_or_else(
        || "a paper that cannot be read".to_owned(),
        |tokens| format!("a paper of about {} tokens", format::count(rounded(tokens))),
    );
    let mut text = format!(
        "estimate: {} to {} tokens, {costs} (for {paper}, {} stages, and turns as in 80 % of the released runs of \
         ReplicatorBench; at the low end {} % of the prompts come from a cache, at the high end nothing)",
        format::count(rounded(range.low.total())),
        format::count(rounded(range.high.total())),
        stages.len(),
        (CACHED_AT_BEST * 100.0).round(),
    );
    let caps = budget.caps(Scope::Run);
    let tokens = |usage: Usage| usage.total();
    let short = caps.tokens.is_some_and(|cap| cap < tokens(range.low))
        || caps.money.zip(money).is_some_and(|(cap, (low, _))| cap < low);
    if short {
        text.push_str("; the run's budget is smaller than that, and will likely end it before its time");
    }
    match money {
        Some((_, high)) if caps.money.is_none() => {
            let whole = high.0.div_ceil(1_000_000).max(1);
            text.push_str(&format!("; `--max-cost {whole}` stops it where it costs more"));
        }
        None if caps.tokens.is_none() => {
            let most = rounded(range.high.total());
            text.push_str(&format!("; `--max-tokens {most}` stops it where it takes more"));
        }
        _ => {}
    }
    text
}

/// An estimate to two digits: more would pretend to be known.
fn rounded(tokens: u64) -> u64 {
    let unit = 10_u64.pow(tokens.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (tokens + unit / 2) / unit * unit
}

/// Money to the cent, or below a cent to two digits.
fn dollars(money: MicroDollars) -> String {
    match money.0 {
        1..5_000 => "less than a cent".to_owned(),
        micro => format::dollars(micro as f64 / 1e6),
    }
}

/// The note on a hosted search whose charges are not known.
pub fn uncounted(name: &str) -> String {
    format!(
        "what {name} charges for a search beside its tokens is not known, so neither costs nor caps count it: give \
         `search`, in dollars for one, in the table of models (~/.config/reprise/models.toml)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::replication;

    #[test]
    fn of_stages_that_nobody_has_measured_nothing_is_said() {
        let stages = ["sum".parse().unwrap()];
        let said = words(&stages, Some(9_000), None, &Budget::default());
        assert!(
            said.contains("nothing is known") && !said.contains("0 to 0"),
            "{said}"
        );
    }

    #[test]
    fn no_more_digits_are_said_than_are_known() {
        assert_eq!(rounded(1_234_567), 1_200_000);
        assert_eq!(rounded(96), 96);
        assert_eq!(rounded(0), 0);
        assert_eq!(dollars(MicroDollars(1_234_567)), "$1.23");
        assert_eq!(dollars(MicroDollars(2_000)), "less than a cent");
    }

    #[test]
    fn the_range_is_said_with_what_it_assumes() {
        let price = Price {
            input: 1.0,
            cached: 0.1,
            output: 10.0,
            written: None,
            written_long: None,
        };
        let mut budget = Budget::default();
        let said = words(&replication::STAGES, Some(9_000), Some(price), &budget);
        assert!(said.contains("a paper of about 9,000 tokens, 5 stages"), "{said}");
        assert!(said.contains('$') && !said.contains("budget"), "{said}");
        assert!(said.contains("`--max-cost 3` stops it"), "{said}");
        budget.at(Scope::Run).tokens = Some(1_000);
        let said = words(&replication::STAGES, None, None, &budget);
        assert!(
            said.contains("unknown price") && said.contains("will likely end it"),
            "{said}"
        );
    }
}
