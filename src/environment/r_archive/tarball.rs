//! The `DESCRIPTION` at the head of a source package.

use std::io::Read as _;

use flate2::read::GzDecoder;

/// Bytes of a `DESCRIPTION`, and entries in front of it, at most.
const LARGEST: u64 = 1 << 20;
const MOST_ENTRIES: usize = 2_000;

/// The `DESCRIPTION` in the first bytes of a `.tar.gz`; `None` where it does not stand in them whole.
pub fn description(head: &[u8]) -> Option<String> {
    let mut archive = tar::Archive::new(GzDecoder::new(head).take(256 << 20));
    for entry in archive.entries().ok()?.take(MOST_ENTRIES) {
        let mut entry = entry.ok()?;
        let path = entry.path().ok()?.into_owned();
        let mut parts = path.iter();
        let is_it = parts.next().is_some()
            && parts.next().is_some_and(|name| name == "DESCRIPTION")
            && parts.next().is_none();
        if !is_it {
            continue;
        }
        let size = entry.size();
        if size > LARGEST {
            return None;
        }
        let mut bytes = Vec::new();
        entry.by_ref().take(LARGEST).read_to_end(&mut bytes).ok()?;
        return (bytes.len() as u64 == size).then(|| String::from_utf8_lossy(&bytes).into_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn package(before: usize) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut add = |path: &str, content: &[u8]| {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append_data(&mut header, path, content).unwrap();
        };
        let noise: Vec<u8> = (0..before)
            .map(|at| u8::try_from(at * 7919 % 251).unwrap())
            .collect();
        add("x/data/x.rda", &noise);
        add("x/inst/DESCRIPTION", b"Package: other");
        add("x/DESCRIPTION", b"Package: x\nImports: y\n");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&builder.into_inner().unwrap()).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn a_description_is_found_at_the_head() {
        let whole = package(10);
        assert_eq!(description(&whole).as_deref(), Some("Package: x\nImports: y\n"));
        assert_eq!(description(&whole[..40]), None);
        assert_eq!(description(b"no package"), None);
        let far = package(100_000);
        assert_eq!(description(&far[..200]), None);
        assert!(description(&far).is_some());
    }
}
