//! Package indexes: the hosts that a session may reach where nobody says otherwise.

use std::net::SocketAddr;

use async_trait::async_trait;

use crate::addresses::resolver::{Public, Resolve, System};

/// The host of Python's index.
pub const PYTHON_INDEX: &str = "pypi.org";

/// The address of Python's index where nobody names another.
pub const PYTHON_ADDRESS: &str = "https://pypi.org/simple";

/// Settings with the address of Python's index, the first that is set.
pub const PYTHON_SETTINGS: [&str; 3] = ["PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"];

/// Archives of R's packages.
pub const R_INDEXES: [&str; 2] = ["cloud.r-project.org", "cran.r-project.org"];

/// Package indexes of Python and of R. The publisher of the capsules is none of them.
pub const INDEXES: [&str; 4] = [PYTHON_INDEX, "files.pythonhosted.org", R_INDEXES[0], R_INDEXES[1]];

/// Finds the addresses of hosts for a session: of an index whatever the machine's name system
/// says, which may be a mirror in the operator's own network; of others public ones alone.
pub struct SessionResolver;

#[async_trait]
impl Resolve for SessionResolver {
    async fn addresses(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        let is_index = INDEXES
            .iter()
            .any(|index| index.eq_ignore_ascii_case(host.trim_end_matches('.')));
        match is_index {
            true => System.addresses(host, port).await,
            false => Public.addresses(host, port).await,
        }
    }
}
