//! The template of the Dockerfile and the fixed scripts beside it.

use crate::domain::digest::Digest;

pub const TEMPLATE: &str = include_str!("layers/Dockerfile.j2");

pub const SCRIPTS: &[(&str, &str)] = &[
    ("common.sh", include_str!("layers/common.sh")),
    ("system.sh", include_str!("layers/system.sh")),
    ("r.sh", include_str!("layers/r.sh")),
    ("r.R", include_str!("layers/r.R")),
    ("venv.sh", include_str!("layers/venv.sh")),
    ("python.sh", include_str!("layers/python.sh")),
    ("python.py", include_str!("layers/python.py")),
    ("finish.sh", include_str!("layers/finish.sh")),
    ("facts.py", include_str!("layers/facts.py")),
    ("facts.R", include_str!("layers/facts.R")),
];

/// A digest of the template and the scripts.
pub fn digest() -> Digest {
    Digest::compute_json(&(TEMPLATE, SCRIPTS))
}
