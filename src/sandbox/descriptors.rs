//! Open files of this process: how many there may be, and what it says when there are no more.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// How the system says that a process, or the machine, has no file left to open.
const EXHAUSTED: &[&str] = &["Too many open files", "EMFILE", "ENFILE"];

/// Raises this process's limit as far as it may. Programs that are run confined have a limit
/// of their own, whatever this one is.
pub fn raise() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        // Where the system refuses, the lower limit stands, and is named when it is reached.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// The number of files that this process may have open at once.
pub fn limit() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft)
}

/// The cause and the way out, where a message tells that no file could be opened any more.
pub fn exhausted(message: &str) -> Option<String> {
    EXHAUSTED.iter().any(|sign| message.contains(sign)).then(|| {
        format!(
            "this process may have {} files open at once (RLIMIT_NOFILE), and all are in use: let fewer runs go at \
             once (`--parallel`), or raise the limit with `ulimit -Hn` and `ulimit -n`",
            limit()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_named_where_it_is_the_cause() {
        let said = exhausted("cannot make a socket: Too many open files (os error 24)").unwrap();
        assert!(
            said.contains(&limit().to_string()) && said.contains("--parallel"),
            "{said}"
        );
        assert!(exhausted("cannot start the helper: EMFILE: Too many open files").is_some());
        assert_eq!(exhausted("No such file or directory (os error 2)"), None);
    }
}
