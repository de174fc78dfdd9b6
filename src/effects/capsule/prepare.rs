//! Making the environment of a session: as it was published, or in named steps as near to it
//! as can be had.

use std::collections::{BTreeMap, BTreeSet};

use tokio_util::sync::CancellationToken;

use super::environment::{WantedEnvironment, plain};
use crate::capsule::dockerfile::published::CodeLanguage;
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment, EnvironmentSpec, Tier};
use crate::domain::failure::FailureCause;
use crate::sandbox::contract::{Lines, Sandbox};

/// Steps from what was published before there is nothing but the language.
const STEPS: usize = 6;

/// An environment that was made.
#[derive(Debug)]
pub struct PreparedEnvironment {
    pub digest: Digest,
    pub environment: Environment,
    /// How it differs from the published one, a sentence each.
    pub notes: Vec<String>,
}

/// Makes the environment. Packages that cannot be had lose their versions, then their place; an
/// index or a machine that fails is a failure.
///
/// # Errors
/// A machine, an index or a daemon that fails, or a plain environment that cannot be made.
pub async fn prepare(
    sandbox: &dyn Sandbox,
    wanted: WantedEnvironment,
    cancel: &CancellationToken,
    progress: Lines<'_>,
) -> Result<PreparedEnvironment, BuildFailure> {
    let plain = plain(wanted.language);
    let WantedEnvironment {
        mut spec, mut notes, ..
    } = wanted;
    let mut steps = 0;
    loop {
        let failure = match sandbox.resolve(&spec).await {
            Ok(digest) => match sandbox.prepare(&spec, cancel, progress).await {
                Ok(environment) => {
                    notes.extend(other_versions(&wanted.versions, &environment));
                    return Ok(PreparedEnvironment {
                        digest,
                        environment,
                        notes,
                    });
                }
                Err(failure) => failure,
            },
            // A local sandbox resolves without a network: what fails is a language that is not here.
            Err(failure)
                if failure.cause == FailureCause::Infrastructure && sandbox.tier() != Tier::Docker =>
            {
                let Some(alone) = own_language(&spec, wanted.language) else {
                    return Err(failure);
                };
                notes.push(format!(
                    "{} Packages of that language are left out.",
                    failure.summary
                ));
                spec = alone;
                continue;
            }
            Err(failure) => failure,
        };
        if failure.cause != FailureCause::Setup || spec == plain || cancel.is_cancelled() {
            return Err(failure);
        }
        let nearer = (steps < STEPS).then(|| looser(&spec, &failure)).flatten();
        let (next, how) = nearer.map_or_else(
            || {
                (
                    plain.clone(),
                    format!("nothing but {} is there", wanted.language.word()),
                )
            },
            |step| (step.spec, step.how),
        );
        let note = format!(
            "The published environment could not be made: {} In its place, {how}.",
            failure.summary
        );
        progress(&note);
        notes.push(note);
        spec = next;
        steps += 1;
    }
}

/// The specification without the languages that are not the capsule's own.
fn own_language(spec: &EnvironmentSpec, language: CodeLanguage) -> Option<EnvironmentSpec> {
    let mut alone = spec.clone();
    match language {
        CodeLanguage::Python => alone.r = None,
        CodeLanguage::R => alone.python = None,
    }
    (alone != *spec).then_some(alone)
}

/// A specification that asks for less, and what of it is asked for less strictly.
#[derive(Debug, PartialEq, Eq)]
struct LooserStep {
    spec: EnvironmentSpec,
    how: String,
}

/// The specification without the versions of the packages that failed, and without those that
/// failed without one; `None` where the failure is about none of its packages.
fn looser(spec: &EnvironmentSpec, failure: &BuildFailure) -> Option<LooserStep> {
    let failed: BTreeSet<String> = failure.packages.iter().map(|name| spelled(name)).collect();
    let named = step(
        spec,
        &|name| failed.contains(&spelled(name)),
        Unversioned::LeftOut,
    );
    // Where another package brought along what failed, any version may be what keeps it from being had.
    named.or_else(|| step(spec, &|_| true, Unversioned::Kept))
}

/// The outcome for packages that failed and have no version to lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unversioned {
    LeftOut,
    Kept,
}

fn step(
    spec: &EnvironmentSpec,
    has_failed: &dyn Fn(&str) -> bool,
    unversioned: Unversioned,
) -> Option<LooserStep> {
    let keeps = unversioned == Unversioned::Kept;
    let (mut any, mut gone) = (Vec::new(), Vec::new());
    let mut next = spec.clone();
    if !keeps && spec.base_image.as_ref().is_some_and(|image| has_failed(image)) {
        gone.extend(next.base_image.take());
    }
    if let Some(python) = &mut next.python {
        python.retain_mut(|requirement| {
            let name = name_of(requirement);
            if !has_failed(name) {
                return true;
            }
            let name = name.to_owned();
            let is_pinned = requirement.contains(['=', '<', '>', '!', '~']);
            if !is_pinned && keeps {
                return true;
            }
            let told = std::mem::replace(requirement, name);
            if is_pinned {
                any.push(told)
            } else {
                gone.push(told)
            }
            is_pinned
        });
    }
    if let Some(r) = &mut next.r {
        r.retain(|name, version| {
            if !has_failed(name) {
                return true;
            }
            match version.take() {
                Some(version) => {
                    any.push(format!("{name} {version}"));
                    true
                }
                None if keeps => true,
                None => {
                    gone.push(name.clone());
                    false
                }
            }
        });
    }
    next.system.retain(|name| {
        let has_failed = !keeps && has_failed(name);
        if has_failed {
            gone.push(name.clone());
        }
        !has_failed
    });
    let mut how = Vec::new();
    if !any.is_empty() {
        how.push(format!("any version is taken of {}", quoted(&any)));
    }
    if !gone.is_empty() {
        how.push(format!("{} is left out", quoted(&gone)));
    }
    (!how.is_empty()).then(|| LooserStep {
        spec: next,
        how: how.join(", and "),
    })
}

fn quoted(names: &[String]) -> String {
    format!("`{}`", names.join("`, `"))
}

/// The name at the front of a requirement.
fn name_of(requirement: &str) -> &str {
    let end = requirement.find(['=', '<', '>', '!', '~', '[', ' ']);
    requirement
        .get(..end.unwrap_or(requirement.len()))
        .unwrap_or_default()
}

/// A name of a package in one spelling.
fn spelled(name: &str) -> String {
    name_of(name).to_ascii_lowercase().replace(['_', '.'], "-")
}

/// The languages whose versions are others than the published ones.
fn other_versions(published: &BTreeMap<&'static str, String>, made: &Environment) -> Vec<String> {
    let series = |version: &str| version.split('.').take(2).collect::<Vec<_>>().join(".");
    let others = published.iter().filter_map(|(name, version)| {
        let here = made.versions.get(*name)?;
        (series(here) != series(version)).then(|| {
            let name = if *name == "python" { "Python" } else { name };
            format!("{name} {here} stands in for the published {version}.")
        })
    });
    others.collect()
}

#[cfg(test)]
#[path = "prepare_tests.rs"]
mod tests;
