//! Signs of life of an execution that takes long.

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::engine::watch::Watch;
use crate::sandbox::contract::Execution;

/// Time between two signs of life.
pub const BEAT: Duration = Duration::from_secs(2);

/// Waits for an execution, and tells the watcher every so often that it goes on.
pub async fn beside<T>(
    watch: Arc<dyn Watch>,
    execution: &Execution,
    every: Duration,
    running: impl Future<Output = T>,
) -> T {
    let mut running = pin!(running);
    let mut beat = interval_at(Instant::now() + every, every);
    beat.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            biased;
            done = &mut running => return done,
            _ = beat.tick() => {
                let printed = size(&execution.stdout) + size(&execution.stderr);
                watch.alive(&format!("{} of output", amount(printed)));
            }
        }
    }
}

/// Bytes in a file; none where it cannot be looked at.
fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |found| found.len())
}

fn amount(bytes: u64) -> String {
    match bytes {
        0 => "nothing".to_owned(),
        1..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use tokio::sync::Notify;

    use super::*;
    use crate::domain::digest::Digest;
    use crate::domain::execution::Environment;
    use crate::domain::ids::RunId;
    use crate::run::event::Record;
    use crate::run::state::State;

    #[derive(Default)]
    struct Heard {
        said: Mutex<Vec<String>>,
        third: Notify,
    }

    impl Watch for Heard {
        fn recorded(&self, _: &Record, _: &State) {}

        fn line(&self, _: &str) {}

        fn alive(&self, text: &str) {
            let mut said = self.said.lock().unwrap();
            said.push(text.to_owned());
            if said.len() == 3 {
                self.third.notify_one();
            }
        }
    }

    #[tokio::test]
    async fn a_silent_command_shows_life_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let work: crate::domain::workspace_path::WorkspacePath = "work".parse().unwrap();
        let environment = Environment {
            id: Digest::compute("e"),
            versions: BTreeMap::new(),
            location: String::new(),
            built: false,
        };
        let execution = Execution::alone(
            RunId::new("r"),
            environment,
            &[],
            folder.path(),
            work,
            folder.path(),
        );
        std::fs::write(&execution.stdout, vec![b'x'; 5000]).unwrap();
        let heard = Arc::new(Heard::default());
        let until_third = async {
            heard.third.notified().await;
            7
        };
        let ended = beside(heard.clone(), &execution, Duration::from_millis(1), until_third).await;
        assert_eq!(ended, 7);
        let said = heard.said.lock().unwrap();
        assert!(
            said.len() >= 3 && said.iter().all(|text| text == "4 KiB of output"),
            "{said:?}"
        );
    }
}
