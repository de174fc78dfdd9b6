//! Messages between the engine and the helper: the policy and the reports.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The confinement of one command; one line of JSON on the control socket.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Policy {
    /// Namespaces when true, else Landlock.
    pub namespaces: bool,
    /// The network that the command sees.
    pub network: PolicyNetwork,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Where the command starts, as it sees it.
    pub directory: PathBuf,
    /// The whole environment of the command.
    pub variables: BTreeMap<String, String>,
    /// Host folders and files beyond the system's own, in the order to mount them.
    pub binds: Vec<Bind>,
    /// A private folder of this execution: the new root is mounted on it, or,
    /// under Landlock, it is the command's temporary folder.
    pub private: PathBuf,
    /// Bytes that the temporary file system may hold.
    pub temporary: u64,
    /// The user and group to become, when the helper runs as root.
    pub user: Option<u32>,
    /// Bytes of private memory of each process, where no cgroup limits the tree.
    pub data: Option<u64>,
    /// Processes of the user at once, where no cgroup limits the tree.
    pub processes: Option<u64>,
    /// Bytes of a single file.
    pub file: u64,
    /// Cgroup folders that the tree joins.
    pub cgroups: Vec<PathBuf>,
}

/// A network as a command sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyNetwork {
    None,
    /// A loopback of its own, from which a port leads to the proxy that listens on this socket.
    Proxy(PathBuf),
    /// A loopback of its own, from which the port of a gateway leads to this socket.
    Gateway(PathBuf),
    /// The host's: only under Landlock, and only while packages are fetched that run no code.
    Host,
}

impl PolicyNetwork {
    /// Whether there is any.
    pub fn is_some(&self) -> bool {
        *self != Self::None
    }
}

/// A part of the host that the command can see.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Bind {
    pub from: PathBuf,
    /// The same as `from` under Landlock.
    pub to: PathBuf,
    pub writable: bool,
    /// The options of an overlay with `from` as its upper folder; absent of a folder that is shown as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<String>,
}

impl Bind {
    /// A part that appears at its own place, read-only.
    pub fn same(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            from: path.clone(),
            to: path,
            writable: false,
            overlay: None,
        }
    }
}

/// A line from the helper. Exactly one but `Ready` is the last word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The inner helper is tied to the outer one and waits for its policy.
    Ready,
    Exited(i32),
    Signalled(i32),
    /// The program is nowhere on the path of the environment.
    NoProgram(String),
    /// The confinement could not be made; the command did not run.
    Failed(String),
}
