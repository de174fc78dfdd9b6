//! The guard's own process.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use bollard::query_parameters::KillContainerOptions;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::order::GuardOrder;
use crate::sandbox::docker::daemon::{Daemon, status};

/// The first argument of a guard.
pub const ARGUMENT: &str = "__container-guard";

/// How long after its time a container is left to the engine.
const GRACE: Duration = Duration::from_secs(60);
/// The longest time that a container can be given.
const LONGEST: Duration = Duration::from_secs(400 * 24 * 3600);
/// How often a daemon that does not answer is asked, and the pause between.
const ATTEMPTS: u32 = 60;
const PAUSE: Duration = Duration::from_secs(5);

/// Guards the containers that standard input names, until it ends.
pub fn main() -> ExitCode {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let (sender, orders) = unbounded_channel();
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if let Ok(order) = line.parse() {
                let _ = sender.send(order);
            }
        }
    });
    runtime.block_on(guard(orders, &std::env::vars().collect()));
    ExitCode::SUCCESS
}

async fn guard(mut orders: UnboundedReceiver<GuardOrder>, operator: &BTreeMap<String, String>) {
    let mut held: BTreeMap<String, Instant> = BTreeMap::new();
    loop {
        let next = held.values().min().copied();
        let late = async {
            match next {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            order = orders.recv() => match order {
                Some(GuardOrder::Hold { name, seconds }) => {
                    let time = Duration::from_secs(seconds).min(LONGEST);
                    held.insert(name, Instant::now() + time + GRACE);
                }
                Some(GuardOrder::Release { name }) => {
                    held.remove(&name);
                }
                None => break,
            },
            () = late => {
                let now = Instant::now();
                let over: Vec<String> = held.iter().filter(|(_, at)| **at <= now).map(|(name, _)| name.clone()).collect();
                for name in over {
                    kill(&name, operator).await;
                    held.remove(&name);
                }
            }
        }
    }
    for name in held.keys() {
        kill(name, operator).await;
    }
}

/// Kills a container; one that is not there, or has ended, is as it should be.
async fn kill(name: &str, operator: &BTreeMap<String, String>) {
    for _ in 0..ATTEMPTS {
        if let Ok(daemon) = Daemon::connect(operator).await {
            let options = KillContainerOptions {
                signal: "SIGKILL".to_owned(),
            };
            let killed = daemon.client.kill_container(name, Some(options));
            match daemon.within(killed).await {
                Ok(()) => return,
                // Made and not started: it may start yet.
                Err(error) if status(&error) == Some(409) && !runs_later(&daemon, name).await => return,
                Err(error) if status(&error) == Some(404) => return,
                Err(_) => {}
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Whether a container that does not run was made and has not run.
async fn runs_later(daemon: &Daemon, name: &str) -> bool {
    let asked = daemon
        .client
        .inspect_container(name, None::<bollard::query_parameters::InspectContainerOptions>);
    let found = daemon.within(asked).await.ok().and_then(|found| found.state);
    found
        .and_then(|state| state.status)
        .is_some_and(|status| status == bollard::models::ContainerStateStatusEnum::CREATED)
}
