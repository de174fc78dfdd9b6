//! Packages by conda's names and pins.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::python_span;

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

/// Beginnings of names of conda's own tools.
const OWN_TOOLS: [&str; 7] = ["_", ".", "conda-", "anaconda-", "navigator-", "libmamba", "mkl"];

/// Whether a name, in small letters, is that of a library or tool which no script of Python loads.
pub fn is_no_package(name: &str) -> bool {
    NO_PACKAGES.contains(&name) || OWN_TOOLS.iter().any(|tool| name.starts_with(tool))
}

/// Reads one package: `channel::name=version=build`, `name version build`, or `name>=version`.
pub fn package(file: &str, line: usize, item: &str, found: &mut FoundEvidence) {
    // The match of a channel or a build in brackets says nothing of the version.
    let spec = item.rsplit("::").next().unwrap_or_default();
    let spec = spec.split('[').next().unwrap_or_default();
    let end = spec.find(['=', '<', '>', '!', '~', ' ']).unwrap_or(spec.len());
    let (name, rest) = spec.split_at(end);
    let name = name.to_ascii_lowercase();
    let rest = in_signs(rest.trim());
    let rest = rest.as_str();
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
            interpreter(language, file, line, rest, found);
            return;
        }
        name if is_no_package(name) => return,
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

/// What stands behind a name with spaces, as `=version=build`; what begins with a sign stays.
fn in_signs(rest: &str) -> String {
    if !rest.starts_with(|letter: char| letter.is_ascii_digit()) {
        return rest.to_owned();
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    match words.as_slice() {
        [version] if version.contains(['*', ',', '|']) => format!("={version}"),
        [version] => format!("=={version}"),
        _ => format!("={}", words.join("=")),
    }
}

/// The interpreter that an environment is for: a version, or bounds.
fn interpreter(language: Language, file: &str, line: usize, rest: &str, found: &mut FoundEvidence) {
    let evidence = |version: &str| {
        let says = format!("The environment is for {language} {version}.");
        Evidence::new(EvidenceKind::LockFile, file, says).at(line)
    };
    if rest.is_empty() || rest == "=" || rest.starts_with('*') {
        return;
    }
    let is_version = rest.starts_with('=') && !rest.contains([',', '|', '<', '>', '!']);
    if is_version {
        let version = rest
            .trim_start_matches('=')
            .split(['=', ' '])
            .next()
            .unwrap_or_default();
        let version = version.trim_end_matches(['*', '.']);
        if !version.is_empty() {
            found
                .evidence
                .push(evidence(version).of_the_time_of(language, version));
        }
        return;
    }
    let bounds = rest.replace(' ', "").replace('|', "||").replace("||||", "||");
    match language {
        Language::Python => python_span::read(evidence(rest), &bounds, found),
        _ => found.evidence.push(evidence(rest).naming(language, &bounds)),
    }
}

fn is_whole_of_r(version: &str) -> bool {
    let is_plain = !version.contains('*');
    is_plain && (version.contains('_') || version.split('.').count() > 2)
}
