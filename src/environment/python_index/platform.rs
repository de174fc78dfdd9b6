//! The interpreter and the machine that files have to fit.

use pep508_rs::{MarkerEnvironment, MarkerEnvironmentBuilder};

use super::file_name::WheelTags;

/// A number that no patch release of a series reaches.
const LATE: u32 = 99;

/// A Python on Linux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPlatform {
    /// Major and minor number, such as 3 and 8.
    pub major: u32,
    pub minor: u32,
    /// The number of the patch release; `None` where nothing tells it.
    pub patch: Option<u32>,
    /// `x86_64` or `aarch64`.
    pub machine: String,
}

impl TargetPlatform {
    /// The platform of a version such as `3.8` or `3.8.12`; `None` of one that is none.
    pub fn new(python: &str, machine: &str) -> Option<Self> {
        let mut parts = python.split('.').map(str::parse);
        Some(Self {
            major: parts.next()?.ok()?,
            minor: parts.next()?.ok()?,
            patch: parts.next().and_then(Result::ok),
            machine: machine.to_owned(),
        })
    }

    /// The version, such as `3.8`.
    pub fn python(&self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    /// How well a wheel fits: the smaller the better; `None` of one that does not.
    pub fn rank(&self, tags: &WheelTags) -> Option<u32> {
        let platform = tags
            .platform
            .iter()
            .filter_map(|tag| self.platform_rank(tag))
            .min()?;
        let pairs = tags
            .python
            .iter()
            .flat_map(|python| tags.abi.iter().map(move |abi| (python, abi)));
        let python = pairs
            .filter_map(|(python, abi)| self.python_rank(python, abi))
            .min()?;
        Some(python * 1000 + platform)
    }

    fn platform_rank(&self, tag: &str) -> Option<u32> {
        if tag == "any" {
            return Some(999);
        }
        let rest = tag.strip_suffix(self.machine.as_str())?.strip_suffix('_')?;
        let glibc = match rest {
            "manylinux1" => 5,
            "manylinux2010" => 12,
            "manylinux2014" => 17,
            "linux" => return Some(998),
            rest => rest.strip_prefix("manylinux_2_")?.parse().ok()?,
        };
        // Debian 12 has glibc 2.36, and later ones run what it runs.
        (glibc <= 36).then(|| 100 - glibc)
    }

    fn python_rank(&self, python: &str, abi: &str) -> Option<u32> {
        let own = format!("cp{}{}", self.major, self.minor);
        if python == own {
            let is_own = abi == own || abi == format!("{own}m") || abi == format!("{own}mu");
            return match abi {
                _ if is_own => Some(0),
                "abi3" => Some(1),
                "none" => Some(2),
                _ => None,
            };
        }
        let minor_of = |prefix: &str| -> Option<u32> {
            let rest = python.strip_prefix(prefix)?;
            match rest {
                "" => Some(0),
                rest => rest.parse().ok(),
            }
        };
        if abi == "abi3" && self.major == 3 {
            return minor_of("cp3")
                .filter(|minor| *minor <= self.minor)
                .map(|minor| 40 - minor.min(30));
        }
        if abi == "none" {
            let minor = minor_of(&format!("py{}", self.major))
                .or_else(|| minor_of(&format!("cp{}", self.major)).filter(|minor| *minor == 0))?;
            return (minor <= self.minor).then_some(50);
        }
        None
    }

    /// The environment that markers are held against: of the patch release, else of a late one of its series.
    pub fn markers(&self) -> Option<MarkerEnvironment> {
        self.markers_of(&format!("{}.{}", self.python(), self.patch.unwrap_or(LATE)))
    }

    /// The environment of the first patch release, where nothing tells which one it is.
    pub fn first_markers(&self) -> Option<MarkerEnvironment> {
        let is_unknown = self.patch.is_none();
        is_unknown.then(|| self.markers_of(&format!("{}.0", self.python())))?
    }

    /// The numbers that the patch release may have.
    pub fn patches(&self) -> std::ops::Range<u32> {
        match self.patch {
            Some(patch) => patch..patch.saturating_add(1),
            None => 0..LATE,
        }
    }

    /// The same for a patch release, such as `3.8.12`.
    fn markers_of(&self, full: &str) -> Option<MarkerEnvironment> {
        let python = self.python();
        let platform = match self.major {
            2 => "linux2",
            _ => "linux",
        };
        let builder = MarkerEnvironmentBuilder {
            implementation_name: "cpython",
            implementation_version: full,
            os_name: "posix",
            platform_machine: &self.machine,
            platform_python_implementation: "CPython",
            platform_release: "",
            platform_system: "Linux",
            platform_version: "",
            python_full_version: full,
            python_version: &python,
            sys_platform: platform,
        };
        MarkerEnvironment::try_from(builder).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::file_name::{FileKind, parse};
    use super::*;

    fn rank(python: &str, file: &str) -> Option<u32> {
        let FileKind::Wheel(tags) = parse(file, "x").unwrap().kind else {
            panic!("{file} is no wheel");
        };
        TargetPlatform::new(python, "x86_64").unwrap().rank(&tags)
    }

    #[test]
    fn wheels_fit_or_do_not() {
        for (python, file) in [
            ("3.7", "x-1-cp37-cp37m-manylinux1_x86_64.whl"),
            (
                "3.8",
                "x-1-cp38-cp38-manylinux_2_12_x86_64.manylinux2010_x86_64.whl",
            ),
            ("3.11", "x-1-cp36-abi3-manylinux2014_x86_64.whl"),
            ("2.7", "x-1-py2.py3-none-any.whl"),
            ("3.9", "x-1-py2.py3-none-any.whl"),
            ("2.7", "x-1-cp27-cp27mu-manylinux1_x86_64.whl"),
            ("3.8", "x-1-py37-none-any.whl"),
        ] {
            assert!(rank(python, file).is_some(), "{python} {file}");
        }
        for (python, file) in [
            ("3.8", "x-1-cp37-cp37m-manylinux1_x86_64.whl"),
            ("3.8", "x-1-cp38-cp38-win_amd64.whl"),
            ("3.8", "x-1-cp38-cp38-manylinux2014_aarch64.whl"),
            ("3.8", "x-1-cp38-cp38-macosx_10_9_x86_64.whl"),
            ("3.8", "x-1-cp39-abi3-manylinux2014_x86_64.whl"),
            ("3.8", "x-1-py2-none-any.whl"),
            ("3.8", "x-1-cp38-cp38-musllinux_1_1_x86_64.whl"),
            ("3.8", "x-1-pp38-pypy38_pp73-manylinux2014_x86_64.whl"),
            ("3.8", "x-1-cp38-cp38-manylinux_2_39_x86_64.whl"),
        ] {
            assert_eq!(rank(python, file), None, "{python} {file}");
        }
        assert!(rank("3.8", "x-1-cp38-cp38-manylinux2014_x86_64.whl") < rank("3.8", "x-1-py3-none-any.whl"));
        assert!(
            TargetPlatform::new("3", "x86_64").is_none() && TargetPlatform::new("a.b", "x86_64").is_none()
        );
    }
}
