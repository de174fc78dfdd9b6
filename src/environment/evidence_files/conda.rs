//! `environment.yml`: the names, the channels' pins and the part of pip, line by line.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::requirements;

/// Packages of conda that the index has under another name, or that are no packages of Python.
const RENAMED: [(&str, &str); 11] = [
    ("pytorch", "torch"),
    ("pytorch-cpu", "torch"),
    ("pytorch-gpu", "torch"),
    ("tensorflow-base", "tensorflow"),
    ("seaborn-base", "seaborn"),
    ("python-graphviz", "graphviz"),
    ("msgpack-python", "msgpack"),
    ("matplotlib-base", "matplotlib"),
    ("pytables", "tables"),
    ("opencv", "opencv-python-headless"),
    ("tensorflow-gpu", "tensorflow"),
];
const NO_PACKAGES: [&str; 68] = [
    "pip",
    "setuptools",
    "wheel",
    "mkl",
    "mkl-service",
    "mkl_fft",
    "mkl_random",
    "blas",
    "openblas",
    "openssl",
    "gcc",
    "git",
    "git-lfs",
    "nodejs",
    "sqlite",
    "zlib",
    "cudatoolkit",
    "cudnn",
    "ca-certificates",
    "bzip2",
    "xz",
    "zstd",
    "lz4-c",
    "ncurses",
    "readline",
    "tk",
    "icu",
    "vc",
    "vs2015_runtime",
    "vs2013_runtime",
    "ucrt",
    "intel-openmp",
    "expat",
    "freetype",
    "fontconfig",
    "glib",
    "gettext",
    "graphviz",
    "igraph",
    "yaml",
    "snappy",
    "jpeg",
    "krb5",
    "pcre",
    "pango",
    "cairo",
    "pixman",
    "harfbuzz",
    "gmp",
    "mpfr",
    "mpc",
    "tbb",
    "qt",
    "hdf5",
    "netcdf4-c",
    "proj",
    "geos",
    "geotiff",
    "curl",
    "cmake",
    "make",
    "pandoc",
    "conda",
    "conda-build",
    "menuinst",
    "r-essentials",
    "r-recommended",
    "r-irkernel",
];

/// Reads the `dependencies` of a text.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut is_inside = false;
    let mut pip_indent = None;
    for (at, raw) in text.lines().enumerate() {
        let line = raw.split(" #").next().unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if indent == 0 && !trimmed.starts_with('-') {
            is_inside = trimmed.starts_with("dependencies:");
            pip_indent = None;
            continue;
        }
        let Some(item) = trimmed.strip_prefix('-').map(str::trim).filter(|_| is_inside) else {
            continue;
        };
        let item = unquoted(item);
        if item == "pip:" {
            pip_indent = Some(indent);
            continue;
        }
        match pip_indent {
            Some(outer) if indent > outer => requirements::line(file, at + 1, item, found),
            _ => {
                pip_indent = None;
                package(file, at + 1, item, found);
            }
        }
    }
}

/// A text of YAML without the marks around it; a marker inside may end in one of its own.
fn unquoted(item: &str) -> &str {
    let inside = |mark| item.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    inside('"').or_else(|| inside('\'')).unwrap_or(item)
}

/// Reads one package: `channel::name=version=build`.
pub fn package(file: &str, line: usize, item: &str, found: &mut FoundEvidence) {
    let spec = item.rsplit("::").next().unwrap_or_default();
    let end = spec.find(['=', '<', '>', '!', '~', ' ']).unwrap_or(spec.len());
    let (name, rest) = spec.split_at(end);
    let name = name.to_ascii_lowercase();
    let rest = rest.trim();
    let version = rest
        .trim_start_matches('=')
        .split('=')
        .next()
        .unwrap_or_default()
        .trim();
    let is_fuzzy = !rest.starts_with("==") && rest.matches('=').count() < 2;
    let version = Some(version).filter(|version| rest.starts_with('=') && !version.is_empty());
    let kind = EvidenceKind::LockFile;
    let language = match name.as_str() {
        "python" | "r-base" => {
            let language = if name == "python" {
                Language::Python
            } else {
                Language::R
            };
            if let Some(version) = version {
                let says = format!("The environment is for {language} {version}.");
                let evidence = Evidence::new(kind, file, says).at(line);
                found.evidence.push(evidence.of_the_time_of(language, version));
            }
            return;
        }
        name if NO_PACKAGES.contains(&name) || name.starts_with(['_', '.']) => {
            return;
        }
        name if name.starts_with("r-") => Language::R,
        _ => Language::Python,
    };
    let renamed = RENAMED
        .iter()
        .find(|(conda, _)| *conda == name)
        .map(|(_, index)| *index);
    let bare = match language {
        Language::R => name.trim_start_matches("r-"),
        _ => renamed.unwrap_or(&name),
    };
    // Conda writes R's `1.1-26` with a line below: that is a whole version, as is one of three numbers.
    let is_whole = language == Language::R && version.is_some_and(is_whole_of_r);
    let is_fuzzy = is_fuzzy && !is_whole;
    let of_r = version.map(|version| version.replace('_', "-"));
    let version = match language {
        Language::R => of_r.as_deref(),
        _ => version,
    };
    let series = version
        .filter(|_| is_fuzzy)
        .map(|version| format!("=={}.*", version.trim_end_matches(".*")));
    let is_bounded = rest.starts_with(['<', '>', '!', '~']);
    let pin = Pin::new(language, bare, kind, file, line);
    let pin = match renamed {
        Some(_) => pin,
        None => pin.with_source(PinSource::Conda),
    };
    found.pins.push(Pin {
        bounds: series.or_else(|| is_bounded.then(|| rest.replace(' ', ""))),
        ..pin.with_version(version.filter(|_| !is_fuzzy).map(str::to_owned))
    });
}

fn is_whole_of_r(version: &str) -> bool {
    let is_plain = !version.contains('*');
    is_plain && (version.contains('_') || version.split('.').count() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn names_pins_and_the_part_of_pip() {
        let text = "name: x\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.7.6=h0\n  - pandas=1.0.1=py37_0\n  - numpy=1.18\n  - conda-forge::pytorch>=1.4\n  - r-lme4=1.1_21\n  - r-dplyr=1.0\n  - r-rstan=2.21.2=r40_0\n  - vc=14\n  - readline=8.0\n  - pip:\n    - textblob==0.15.3\n    - lxml\n    - pywin32; sys_platform==\"win32\"\n    - \"six==1.14.0\"\nprefix: /x\n";
        let mut found = FoundEvidence::default();
        read("environment.yml", text, &mut found);
        assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, "3.7.6");
        let shown = shown_pins(&found);
        let marked = found.pins.iter().find_map(|pin| pin.marker.as_deref());
        assert_eq!(marked, Some("sys_platform==\"win32\""));
        assert_eq!(
            shown,
            [
                "pandas|1.0.1|",
                "numpy||==1.18.*",
                "torch||>=1.4",
                "lme4|1.1-21|",
                "dplyr||==1.0.*",
                "rstan|2.21.2|",
                "textblob|0.15.3|",
                "lxml||",
                "pywin32||",
                "six|1.14.0|"
            ]
        );
    }
}
