//! The token of a server, as a person may keep it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rand::distr::{Alphanumeric, SampleString as _};

use super::exit::Failure;

/// The length of a token.
const LENGTH: usize = 32;

/// The token of a file, which is made where it is not there; without a file, a fresh one.
///
/// # Errors
/// A file that cannot be read or made, or whose token is none that a header can hold, or too short.
pub fn token(file: Option<&Path>) -> Result<String, Failure> {
    let Some(path) = file else {
        return Ok(fresh());
    };
    let refuse = |why: String| Failure::usage(format!("--token-file {}: {why}", path.display()));
    match fs::read_to_string(path) {
        Ok(text) => kept(text.trim()).map_err(refuse),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let token = fresh();
            let made = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path);
            let written = made.and_then(|mut file| file.write_all(format!("{token}\n").as_bytes()));
            written.map(|()| token).map_err(|error| refuse(error.to_string()))
        }
        Err(error) => Err(refuse(error.to_string())),
    }
}

fn kept(token: &str) -> Result<String, String> {
    if token.len() < LENGTH / 2 || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!(
            "it has to hold one word of at least {} characters that print; remove it, and it is made",
            LENGTH / 2
        ));
    }
    Ok(token.to_owned())
}

fn fresh() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), LENGTH)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_token_is_kept_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let made = token(Some(&path)).unwrap();
        assert_eq!(made.len(), LENGTH);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(token(Some(&path)).unwrap(), made);
        for bad in ["", "short", "two words of sixteen"] {
            fs::write(&path, bad).unwrap();
            assert!(token(Some(&path)).is_err(), "{bad}");
        }
        assert_ne!(token(None).unwrap(), token(None).unwrap());
    }
}
