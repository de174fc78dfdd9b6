//! An estimate of a run's cost before it begins.
//!
//! Turns of the design and execute stages, and the tokens of a turn, lie between
//! the 10th and the 90th percentile of the released runs of ReplicatorBench
//! (`results/**/metadata.json`, 28 to 31 runs a stage). These have no search or
//! interpret stage with turns; for them the turns are assumed and the tokens are
//! those of the design stage.

use crate::domain::stage::Stage;
use crate::domain::usage::Usage;

/// The share of prompt tokens that a provider's cache serves at best.
pub const CACHED_AT_BEST: f64 = 0.9;

/// Tokens at least and at most, as far as experience goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Few turns, most of the prompts cached.
    pub low: Usage,
    /// Many turns, nothing cached.
    pub high: Usage,
}

/// The assumptions of one end of the range for a stage.
struct Assumed {
    turns: u64,
    /// Prompt tokens of a turn, the paper apart.
    prompt: u64,
    /// Completion tokens of a turn.
    output: u64,
}

/// What a run through `stages` may come to, for a paper of so many tokens. Only
/// the extract stage has the whole paper in its prompts. `None` with any stage that is
/// not replication's: nothing is known of it.
pub fn estimate(stages: impl IntoIterator<Item = Stage>, paper: u64) -> Option<Estimate> {
    let mut estimate = Estimate {
        low: Usage::default(),
        high: Usage::default(),
    };
    for stage in stages {
        let (low, high) = assumed(stage)?;
        let paper = if stage == Stage::EXTRACT { paper } else { 0 };
        estimate.low += usage(&low, paper);
        estimate.high += usage(&high, paper);
    }
    estimate.low.cached = (estimate.low.input as f64 * CACHED_AT_BEST) as u64;
    Some(estimate)
}

fn assumed(stage: Stage) -> Option<(Assumed, Assumed)> {
    let range = |turns: (u64, u64), prompt: (u64, u64), output: (u64, u64)| {
        let end = |turns, prompt, output| Assumed {
            turns,
            prompt,
            output,
        };
        (end(turns.0, prompt.0, output.0), end(turns.1, prompt.1, output.1))
    };
    const DESIGN: ((u64, u64), (u64, u64)) = ((5749, 11_341), (240, 1233));
    let range = match stage {
        Stage::EXTRACT => range((1, 4), (2678, 14_026), (719, 5760)),
        Stage::SEARCH => range((3, 15), DESIGN.0, DESIGN.1),
        Stage::DESIGN => range((8, 19), DESIGN.0, DESIGN.1),
        Stage::EXECUTE => range((17, 50), (6748, 19_769), (115, 1028)),
        Stage::INTERPRET => range((2, 8), DESIGN.0, DESIGN.1),
        _ => return None,
    };
    Some(range)
}

fn usage(assumed: &Assumed, paper: u64) -> Usage {
    Usage {
        input: assumed.turns * assumed.prompt.saturating_add(paper),
        output: assumed.turns * assumed.output,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::replication;

    #[test]
    fn a_longer_paper_and_more_stages_come_to_more() {
        let extract = [Stage::EXTRACT];
        let short = estimate(extract, 1_000).unwrap();
        assert_eq!((short.low.input, short.low.output), (3_678, 719));
        assert_eq!(short.low.cached, 3_310);
        assert_eq!((short.high.input, short.high.cached), (60_104, 0));
        let long = estimate(extract, 2_000).unwrap();
        assert_eq!(long.high.input - short.high.input, 4_000);
        let all = estimate(replication::STAGES, 1_000).unwrap();
        assert!(all.low.total() > short.low.total() && all.low.total() < all.high.total());
    }
}
