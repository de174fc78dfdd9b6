//! The holder of a run or of a cell, as it notes itself for others, those on other machines too.

use std::fs;

use serde::{Deserialize, Serialize};

/// Seconds for which a holder on another machine is taken for alive without a sign of life.
pub const LEASE_SECONDS: u64 = 120;
/// The longest note of a holder that is read, in bytes.
const LONGEST: usize = 4096;

/// A process that holds something, and the machine that it runs on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    /// The boot of its machine: as long as this is the same, locks of the system tell who lives.
    pub boot: String,
    /// The job of a cluster that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Seconds for which it is alive after its last sign of life.
    pub lease_seconds: u64,
}

impl Holder {
    /// This process.
    pub fn here(job: Option<String>) -> Self {
        let kernel = |name: &str| {
            let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
            text.trim().to_owned()
        };
        Self {
            pid: std::process::id(),
            host: kernel("hostname"),
            boot: kernel("random/boot_id"),
            job,
            lease_seconds: LEASE_SECONDS,
        }
    }

    /// Reads a note; `None` of a text that is none. A bare number is the process of a version that
    /// noted nothing else, which is taken for one of this machine.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > LONGEST {
            return None;
        }
        match text.parse() {
            Ok(pid) => Some(Self {
                pid,
                ..Self::here(None)
            }),
            Err(_) => serde_json::from_str(text).ok(),
        }
    }

    /// Whether it runs, or ran, on this machine since it was started.
    pub fn is_here(&self) -> bool {
        let here = Self::here(None);
        // Where nothing tells one boot from another, names have to.
        self.boot == here.boot && (!here.boot.is_empty() || self.host == here.host)
    }

    /// The holder in words: its process here, its machine and its job elsewhere.
    pub fn words(&self) -> String {
        let job = self.job.iter().map(|job| format!("job {job}"));
        let place = match self.is_here() {
            true => None,
            false => Some(format!("host {}", self.host)),
        };
        let parts: Vec<String> = std::iter::once(format!("pid {}", self.pid))
            .chain(place)
            .chain(job)
            .collect();
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_told_apart_from_one_of_another_boot() {
        let here = Holder::here(None);
        let text = serde_json::to_string(&here).unwrap();
        assert_eq!(Holder::parse(&text).as_ref(), Some(&here));
        assert!(here.is_here() && !here.boot.is_empty());
        let away = Holder {
            host: "node7".to_owned(),
            boot: "other".to_owned(),
            job: Some("12_3".to_owned()),
            pid: 9,
            ..here
        };
        assert!(!away.is_here());
        assert_eq!(away.words(), "pid 9, host node7, job 12_3");
        assert_eq!(
            Holder::parse("77").map(|holder| (holder.pid, holder.is_here())),
            Some((77, true))
        );
        assert_eq!(Holder::parse("{"), None);
        assert_eq!(Holder::parse(&"9".repeat(5000)), None);
    }
}
