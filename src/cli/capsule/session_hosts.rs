//! The hosts that a session may reach where nobody says otherwise.

/// Package indexes of Python and of R. The publisher of the capsules is none of them.
pub const INDEXES: [&str; 4] = [
    "pypi.org",
    "files.pythonhosted.org",
    "cloud.r-project.org",
    "cran.r-project.org",
];
