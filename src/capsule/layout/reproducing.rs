//! Facts that a capsule's `REPRODUCING.md` tells.

use super::level::Layout;

/// Whether a task is run where a GPU is: CORE-Bench looks for `gpu` in `REPRODUCING.md`,
/// inspect-evals does so in any case, HAL and v1.1 go by the key `gpu` of the task (`key`).
pub fn needs_gpu(layout: Layout, reproducing: &str, key: bool) -> bool {
    match layout {
        Layout::Original => reproducing.contains("gpu"),
        Layout::Inspect => reproducing.to_lowercase().contains("gpu"),
        Layout::Hal | Layout::V1_1 => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_found_as_each_runner_finds_it() {
        use Layout::{Hal, Inspect, Original, V1_1};
        for (text, key, expected) in [
            ("run with --gpus all", false, vec![Original, Inspect]),
            ("needs a GPU", false, vec![Inspect]),
            ("needs nothing", true, vec![Hal, V1_1]),
            ("", false, vec![]),
        ] {
            let found = Layout::ALL.into_iter();
            let found: Vec<Layout> = found.filter(|layout| needs_gpu(*layout, text, key)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
