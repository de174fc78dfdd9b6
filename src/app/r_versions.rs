//! The versions of R packages for a lock: this machine's R reads its archive by date, confined.

use crate::engine::error::EngineError;
use crate::environment::lock_draft::LockDraft;
use crate::environment::r_archive::resolution::{ResolvedR, arguments};
use crate::network::package_index::addresses::IndexAddress;
use crate::network::package_index::error::IndexError;
use crate::settings::Settings;

use super::sandboxes::local_sandbox;

/// Takes the versions of R packages into a draft, from the archive that is given, else that of the settings.
///
/// # Errors
/// A machine without R, or an archive that does not answer or gives no dates; nothing is kept then.
pub async fn settle(
    settings: &Settings,
    given: Option<&str>,
    mut draft: LockDraft,
) -> Result<LockDraft, EngineError> {
    let roots = draft.r_roots();
    if !roots.iter().any(|root| root.is_wanted) {
        return Ok(draft);
    }
    let address = IndexAddress::r(given, settings, &draft.day().to_string())?;
    let until = (!address.is_snapshot).then(|| draft.until());
    let asked = local_sandbox(settings, None)?;
    let printed = asked.r_versions(address.shown(), arguments(until, &roots)).await;
    let printed = printed.map_err(EngineError::Environment)?;
    let resolved = ResolvedR::parse(&printed, &roots).map_err(|fault| IndexError::Content {
        address: address.shown().to_owned(),
        reason: fault.to_string(),
    })?;
    draft.take_r(address.shown(), &resolved);
    Ok(draft)
}
