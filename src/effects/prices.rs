//! The prices at which a run's calls are paid, as its journal keeps them.

use crate::domain::price::Prices;
use crate::model::name::is_recording;

use super::ports::Ports;

/// What is known of the prices of the run's models; recordings cost nothing and have none.
pub fn in_force(ports: &Ports) -> Prices {
    let own = (ports.model.name(), &ports.account);
    let others = ports
        .accounts
        .iter()
        .map(|(name, account)| (name.as_str(), account));
    std::iter::once(own)
        .chain(others)
        .filter(|(name, _)| !is_recording(name))
        .filter_map(|(name, account)| Some((name.to_owned(), account.price()?)))
        .collect()
}
