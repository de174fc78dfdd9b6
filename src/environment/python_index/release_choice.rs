//! The release of Python for which the most packages have wheels on a day.
//!
//! The first choice stands where each package has a wheel for it, or has none for any release. Else
//! the others are tried in their order, those alone for which something that it lacks is there.

use super::platform::TargetPlatform;
use super::resolution::{Resolution, ResolvedEnvironment};
use crate::environment::release_wheels::ReleaseWheels;

/// The releases that are tried.
#[derive(Debug, Clone)]
pub struct CandidateReleases {
    /// The first choice, then those that may stand in its place in the order in which they are tried.
    pub order: Vec<TargetPlatform>,
    /// Those that may not, to tell what there is for them.
    pub others: Vec<TargetPlatform>,
}

/// The versions for the release that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenRelease {
    pub release: String,
    pub resolved: ResolvedEnvironment,
    /// The releases that were tried, the first choice first.
    pub wheels: Vec<ReleaseWheels>,
}

/// A choice that goes on.
#[derive(Debug)]
pub struct ReleaseChoice {
    candidates: CandidateReleases,
    tried: Vec<TriedRelease>,
}

#[derive(Debug)]
struct TriedRelease {
    wheels: ReleaseWheels,
    resolved: ResolvedEnvironment,
}

impl ReleaseChoice {
    /// A choice that begins.
    pub fn new(candidates: CandidateReleases) -> Self {
        Self {
            candidates,
            tried: Vec::new(),
        }
    }

    /// The release that is to be tried next; `None` at the end.
    pub fn next_release(&self) -> Option<&TargetPlatform> {
        let Some(last) = self.tried.last() else {
            return self.candidates.order.first();
        };
        if last.wheels.lacking.is_empty() {
            return None;
        }
        let lacking = self.tried.iter().take(1).flat_map(|first| &first.wheels.lacking);
        let mends = |release: &str| {
            let mut all = lacking.clone();
            all.any(|one| one.had_for.iter().any(|had| had == release))
        };
        self.candidates.order.iter().find(|target| {
            let release = target.python();
            mends(&release) && self.tried.iter().all(|one| one.wheels.release != release)
        })
    }

    /// Takes the end of a release's resolution in.
    pub fn take(&mut self, resolution: &Resolution) {
        let all: Vec<&TargetPlatform> = (self.candidates.order.iter())
            .chain(&self.candidates.others)
            .collect();
        self.tried.push(TriedRelease {
            wheels: ReleaseWheels {
                release: resolution.target().python(),
                lacking: resolution.lacking_wheels(&all),
            },
            resolved: resolution.finish(),
        });
    }

    /// The release with the fewest packages that lack a wheel, the first of several; `None` where none was tried.
    pub fn finish(self) -> Option<ChosenRelease> {
        let wheels: Vec<ReleaseWheels> = self.tried.iter().map(|one| one.wheels.clone()).collect();
        let best = self
            .tried
            .into_iter()
            .min_by_key(|one| one.wheels.lacking.len())?;
        Some(ChosenRelease {
            release: best.wheels.release,
            resolved: best.resolved,
            wheels,
        })
    }
}

#[cfg(test)]
#[path = "release_choice_tests.rs"]
mod tests;
