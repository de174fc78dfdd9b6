//! `conda install`: its packages are asked of the Python index, where they have the same name.

use super::placed_word::PlacedWord;
use super::published::NotFollowedReason;
use super::reading::Reading;
use super::requirements;
use crate::domain::excerpt;

/// Options with a value behind them.
const WITH_VALUE: &[&str] = &[
    "-c",
    "--channel",
    "-n",
    "--name",
    "-p",
    "--prefix",
    "--solver",
    "--experimental-solver",
    "--repodata-fn",
    "--override-channels-with",
];
/// Packages that the Python index does not have, or has as something else.
const CONDA_ALONE: &[&str] = &[
    "anaconda",
    "binutils",
    "blas",
    "bzip2",
    "c-compiler",
    "conda",
    "conda-build",
    "compilers",
    "cuda",
    "cuda-toolkit",
    "cudatoolkit",
    "cudnn",
    "cxx-compiler",
    "fortran-compiler",
    "gcc",
    "gfortran",
    "git",
    "gsl",
    "gxx",
    "hdf5",
    "jdk",
    "libblas",
    "libgcc",
    "libgfortran",
    "liblapack",
    "make",
    "mamba",
    "nodejs",
    "nomkl",
    "octave",
    "openblas",
    "openjdk",
    "openssl",
    "pandoc",
    "pytorch-cuda",
    "sqlite",
    "zlib",
];
/// Packages by another name.
const RENAMED: &[Renamed] = &[
    Renamed {
        conda: "pytorch",
        python: "torch",
    },
    Renamed {
        conda: "pytorch-cpu",
        python: "torch",
    },
    Renamed {
        conda: "tensorflow-gpu",
        python: "tensorflow",
    },
    Renamed {
        conda: "matplotlib-base",
        python: "matplotlib",
    },
    Renamed {
        conda: "py-opencv",
        python: "opencv-python-headless",
    },
    Renamed {
        conda: "opencv",
        python: "opencv-python-headless",
    },
    Renamed {
        conda: "pytables",
        python: "tables",
    },
    Renamed {
        conda: "python-graphviz",
        python: "graphviz",
    },
];

struct Renamed {
    conda: &'static str,
    python: &'static str,
}

/// Reads the words behind `conda`; false where they ask for something else.
pub fn read(words: &[PlacedWord<'_>], reading: &mut Reading) -> bool {
    let mut words = words.iter();
    let verb = words.by_ref().find(|word| !word.text.starts_with('-'));
    match verb.map_or("", |word| word.text) {
        "install" | "create" => {}
        "clean" | "info" | "list" | "init" | "activate" => return true,
        _ => return false,
    }
    while let Some(word) = words.next() {
        match word.text {
            "-f" | "--file" => {
                let file = words.next().map_or("", |word| word.text);
                reading.refuse(
                    word.line,
                    &format!("{} {file}", word.text),
                    NotFollowedReason::CondaFile,
                );
            }
            option if WITH_VALUE.contains(&option) => {
                words.next();
            }
            option if option.starts_with('-') => {}
            text if word.is_dynamic => reading.refuse(word.line, text, NotFollowedReason::Dynamic),
            text => package(word.line, text, reading),
        }
    }
    true
}

fn package(line: usize, text: &str, reading: &mut Reading) {
    // `channel::name`
    let spec = text.rsplit_once("::").map_or(text, |(_, spec)| spec);
    let name_end = spec.find(['=', '<', '>', '!', '~', ' ']).unwrap_or(spec.len());
    let (name, version) = spec.split_at(name_end);
    let name = name.to_ascii_lowercase();
    let version = version.trim();
    match name.as_str() {
        "python" => return reading.python_version = first_number(version),
        "r-base" | "r" => return reading.r_version = first_number(version),
        _ => {}
    }
    let is_of_r = name.starts_with("r-") || name.starts_with("bioconductor-");
    if is_of_r || CONDA_ALONE.contains(&name.as_str()) || name.starts_with(['_', '/', '.']) {
        return reading.refuse(line, text, NotFollowedReason::CondaAlone);
    }
    reading.has_conda = true;
    let renamed = RENAMED.iter().find(|renamed| renamed.conda == name);
    let name = renamed.map_or(name.as_str(), |renamed| renamed.python);
    requirements::requirement(line, &format!("{name}{}", pip_version(version)), reading);
}

/// A version of conda's as pip writes it: `=1.16` is any of 1.16, `=1.16.4=py37_0` is 1.16.4.
fn pip_version(version: &str) -> String {
    let Some(fuzzy) = version.strip_prefix('=').filter(|rest| !rest.starts_with('=')) else {
        return version.to_owned();
    };
    let fuzzy = fuzzy.split('=').next().unwrap_or_default();
    match fuzzy.trim_end_matches(['*', '.']) {
        "" => String::new(),
        all if fuzzy.ends_with('*') || all.split('.').count() < 3 => format!("=={all}.*"),
        all => format!("=={all}"),
    }
}

/// The first number of a version, such as `3.7`.
fn first_number(version: &str) -> Option<String> {
    let from = version.find(|letter: char| letter.is_ascii_digit())?;
    let rest = version.get(from..)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let number = rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches('.');
    Some(excerpt::start(number, 20).to_owned())
}
