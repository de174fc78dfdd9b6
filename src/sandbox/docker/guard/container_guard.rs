//! The engine's side of the guard.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::entry::ARGUMENT;
use super::order::GuardOrder;

/// Variables of the operator's that lead to the daemon.
const LEADING: [&str; 6] = [
    "DOCKER_HOST",
    "DOCKER_TLS_VERIFY",
    "XDG_RUNTIME_DIR",
    "HOME",
    "PATH",
    "TMPDIR",
];

/// A guard that runs.
#[derive(Debug)]
pub struct ContainerGuard {
    orders: Mutex<ChildStdin>,
    child: Mutex<Child>,
}

impl ContainerGuard {
    /// Starts one: a binary that calls [`super::entry::main`] when its first argument is
    /// [`ARGUMENT`].
    ///
    /// # Errors
    /// A program that cannot be started.
    pub fn start(program: &Path, operator: &BTreeMap<String, String>) -> io::Result<Self> {
        let mut child = Command::new(program)
            .arg(ARGUMENT)
            .env_clear()
            .envs(
                operator
                    .iter()
                    .filter(|(name, _)| LEADING.contains(&name.as_str())),
            )
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What a terminal sends to the engine's group is not for it.
            .process_group(0)
            .spawn()?;
        let orders = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self {
            orders: Mutex::new(orders),
            child: Mutex::new(child),
        })
    }

    /// Has a container watched.
    ///
    /// # Errors
    /// A guard that is gone.
    pub fn hold(&self, name: &str, seconds: u64) -> io::Result<()> {
        self.say(&GuardOrder::Hold {
            name: name.to_owned(),
            seconds,
        })
    }

    /// Lets go of a container that has ended.
    ///
    /// # Errors
    /// A guard that is gone.
    pub fn release(&self, name: &str) -> io::Result<()> {
        self.say(&GuardOrder::Release {
            name: name.to_owned(),
        })
    }

    fn say(&self, order: &GuardOrder) -> io::Result<()> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.write_all(format!("{order}\n").as_bytes())
    }
}

impl Drop for ContainerGuard {
    fn drop(&mut self) {
        // The pipe closes with the fields; one that holds nothing ends at once, and one that
        // still ends containers must not be waited for.
        if let Ok(mut child) = self.child.lock() {
            let _ = child.try_wait();
        }
    }
}
