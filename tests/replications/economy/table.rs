//! Sums, and how they are printed.

use std::iter::Sum;

use reprise::domain::stage::Stage;

use crate::economy::trajectory::Trajectory;

/// What a cached token costs beside one that is not.
const CACHED: f64 = 0.1;

/// The sums of some requests.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Row {
    pub requests: u64,
    pub tokens: u64,
    /// Those of them that the request before ended with or went beyond.
    pub cacheable: u64,
    /// Tools and system text of first requests that an earlier stage of another
    /// run with the same model began with: cacheable where runs follow soon.
    pub shared: u64,
    /// Those of them that are tools, system text and task.
    pub opening: u64,
    /// Those of them that the model said itself.
    pub said: u64,
    pub shrinkings: u64,
}

impl Row {
    /// What the runs reported. Each prompt extends the one before it, so that
    /// all of that one could have been cached.
    pub fn theirs(run: &Trajectory) -> Self {
        Self {
            requests: run.prompts.len() as u64,
            tokens: run.prompts.iter().sum(),
            cacheable: run.prompts[..run.prompts.len() - 1].iter().sum(),
            ..Self::default()
        }
    }

    pub fn ratio(&self, theirs: &Self) -> f64 {
        self.tokens as f64 / theirs.tokens as f64
    }

    pub fn prefix_share(&self) -> f64 {
        self.cacheable as f64 / self.tokens as f64
    }

    /// With what the runs have in common, too.
    pub fn prefix_share_of_batch(&self) -> f64 {
        (self.cacheable + self.shared) as f64 / self.tokens as f64
    }

    /// Tokens in the price of uncached ones.
    fn priced(&self) -> f64 {
        (self.tokens - self.cacheable) as f64 + CACHED * self.cacheable as f64
    }
}

impl Sum for Row {
    fn sum<I: Iterator<Item = Self>>(rows: I) -> Self {
        rows.fold(Self::default(), |sum, row| Self {
            requests: sum.requests + row.requests,
            tokens: sum.tokens + row.tokens,
            cacheable: sum.cacheable + row.cacheable,
            shared: sum.shared + row.shared,
            opening: sum.opening + row.opening,
            said: sum.said + row.said,
            shrinkings: sum.shrinkings + row.shrinkings,
        })
    }
}

pub fn head(stage: Option<Stage>, theirs: &Row) {
    let stage = stage.map_or_else(|| "all of these".to_owned(), |stage| stage.to_string());
    println!("\n{stage}");
    println!(
        "{:<40} {:>8} {:>11} {:>7} {:>10} {:>9} {:>8} {:>7} {:>8} {:>6}",
        "", "requests", "tokens", "ratio", "cacheable", "in batch", "shrunk", "price", "opening", "said"
    );
    line("as reported", theirs, theirs);
}

pub fn line(name: &str, row: &Row, theirs: &Row) {
    println!(
        "{name:<40} {:>8} {:>11} {:>7.3} {:>9.1}% {:>8.1}% {:>8} {:>7.3} {:>7.1}% {:>5.1}%",
        row.requests,
        row.tokens,
        row.ratio(theirs),
        100.0 * row.prefix_share(),
        100.0 * row.prefix_share_of_batch(),
        row.shrinkings,
        // Beside what their tokens cost without a cache, which is how they were counted.
        row.priced() / theirs.tokens as f64,
        100.0 * row.opening as f64 / row.tokens as f64,
        100.0 * row.said as f64 / row.tokens as f64,
    );
}

/// How well the texts of the logs explain the reported counts.
pub fn print_fit(runs: &[Trajectory]) {
    let logged = runs.iter().filter(|run| run.logged).count();
    let (mut errors, mut rebuilt, mut reported) = (Vec::new(), 0, 0);
    for run in runs {
        let Some(counts) = &run.rebuilt else { continue };
        for (ours, theirs) in counts.iter().zip(&run.prompts).skip(1) {
            errors.push((*ours as f64 - *theirs as f64).abs() / *theirs as f64);
            rebuilt += ours;
            reported += theirs;
        }
    }
    errors.sort_by(f64::total_cmp);
    println!(
        "{} stages, {logged} with the turns of their logs; of {} prompts rebuilt from whole texts the sum is {:.3} of \
         the reported one, the median error {:.2} %, the largest {:.2} %",
        runs.len(),
        errors.len(),
        rebuilt as f64 / reported as f64,
        100.0 * errors.get(errors.len() / 2).copied().unwrap_or_default(),
        100.0 * errors.last().copied().unwrap_or_default(),
    );
}
