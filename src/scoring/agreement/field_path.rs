//! One spelling of the paths of fields.

use crate::scoring::aggregate::items::ROOTS;
use crate::scoring::checkpoints::checkpoint::Checkpoint;

/// A field's path without root, list positions in one spelling: judges write
/// `a[0].b`, `a.0.b` and `a.[0].b`.
pub fn settled(field: &str) -> String {
    let root = ROOTS
        .iter()
        .find_map(|root| field.strip_prefix(root)?.strip_prefix('.'));
    let mut settled = String::new();
    for part in root.unwrap_or(field).split('.') {
        let position = part.trim_start_matches('[').trim_end_matches(']');
        let follows = !settled.is_empty();
        let is_position = !position.is_empty() && position.bytes().all(|byte| byte.is_ascii_digit());
        // The parts of a checkpoint's key are numbers too, and no positions.
        if follows && is_position && !is_checkpoint(field) {
            settled.push_str(&format!("[{position}]"));
        } else {
            settled.push_str(if follows { "." } else { "" });
            settled.push_str(part);
        }
    }
    settled
}

/// True if a path ends in the key of a checkpoint, such as `1.3.2`.
fn is_checkpoint(field: &str) -> bool {
    Checkpoint::all().any(|checkpoint| field.ends_with(checkpoint.key()))
}
