//! File rules for where a new root cannot be made.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use super::fault::StepFailure;
use super::system;
use crate::sandbox::local::policy::Policy;

/// Newest rules that are asked for; older kernels enforce what they know, and
/// the call filter refuses what they do not.
const NEWEST: ABI = ABI::V6;

/// Restricts this process and its children to what the policy names.
pub fn restrict(policy: &Policy) -> Result<(), StepFailure> {
    let fault = |error: landlock::RulesetError| StepFailure::new("restrict files", error);
    let every = AccessFs::from_all(NEWEST);
    let read = AccessFs::from_read(NEWEST);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .map_err(fault)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(every)
        .map_err(fault)?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)
        .map_err(fault)?
        .create()
        .map_err(fault)?;
    let (lookup, trust) = if policy.network.is_some() {
        (system::LOOKUP, system::TRUST)
    } else {
        (&[][..], &[][..])
    };
    for part in system::PROGRAMS
        .iter()
        .chain(system::CONFIGURATION)
        .chain(lookup)
        .chain(trust)
    {
        rules = allow(rules, Path::new(part), read)?;
    }
    // The host's list of accounts is world-readable and holds no secret; without
    // it nobody has a name.
    for part in ["/etc/passwd", "/etc/group", "/etc/hosts"]
        .iter()
        .chain(system::MACHINE)
    {
        rules = allow(rules, Path::new(part), read)?;
    }
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    for name in system::DEVICES {
        rules = allow(rules, &Path::new("/dev").join(name), device)?;
    }
    for part in &policy.binds {
        rules = allow(
            rules,
            &part.from,
            if part.writable { writing(every) } else { read },
        )?;
    }
    rules = allow(rules, &policy.private, writing(every))?;
    let status = rules.restrict_self().map_err(fault)?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(StepFailure::new(
            "restrict files",
            "the kernel enforces no Landlock rule",
        ));
    }
    Ok(())
}

/// Everything but making devices.
fn writing(every: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    every & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, StepFailure> {
    let Ok(found) = path.metadata() else {
        return Ok(rules);
    };
    let access = if found.is_dir() {
        access
    } else {
        access & AccessFs::from_file(NEWEST)
    };
    let fault = |error: &dyn std::fmt::Display| StepFailure::new(format!("allow {}", path.display()), error);
    let folder = PathFd::new(path).map_err(|error| fault(&error))?;
    rules
        .add_rule(PathBeneath::new(folder, access))
        .map_err(|error| fault(&error))
}
