//! The bounds of a download.

use std::time::Duration;

/// The bounds of the download of one file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DownloadBounds {
    /// How often the file is asked for before its failure is told.
    pub attempts: u32,
    /// The pause before the second attempt; each further one is twice as long.
    pub pause: Duration,
    /// Most bytes of the file.
    pub bytes: u64,
    /// The longest that a connection may take to stand.
    pub connect: Duration,
    /// The longest that nothing may arrive.
    pub idle: Duration,
}

impl Default for DownloadBounds {
    /// Attempts and pauses as CORE-Bench's harness makes them: five, behind 1, 2, 4 and 8 s.
    fn default() -> Self {
        Self {
            attempts: 5,
            pause: Duration::from_secs(1),
            bytes: 32 << 30,
            connect: Duration::from_secs(30),
            idle: Duration::from_secs(60),
        }
    }
}

impl DownloadBounds {
    /// The pause behind an attempt, counted from 1.
    pub fn pause_after(&self, attempt: u32) -> Duration {
        self.pause
            .saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double() {
        let bounds = DownloadBounds::default();
        let pauses: Vec<_> = (1..5)
            .map(|attempt| bounds.pause_after(attempt).as_secs())
            .collect();
        assert_eq!(pauses, [1, 2, 4, 8]);
    }
}
