//! A bench file with the folder of its results.

use std::path::{Path, PathBuf};

use clap::Args;

use super::file::{BenchFile, BenchFileError};
use crate::cli::bench_folder::{BenchFolder, default_out};
use crate::cli::exit::Failure;

/// The folder of locks of days, below the bench's.
pub const LOCKS: &str = "locks";

/// A bench by its file.
#[derive(Debug, Args)]
pub struct BenchFileArgs {
    /// The bench file, or a folder with `bench.toml` and the results in `bench`
    #[arg(value_name = "FILE")]
    pub bench: PathBuf,
    /// The folder of the bench [default: the file's name without its ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A bench file, and the folder of its results if one is named.
struct BenchPlace {
    file: PathBuf,
    out: Option<PathBuf>,
}

impl BenchPlace {
    /// A file as it is named; of a folder, its `bench.toml`, with the results next to it.
    fn new(named: &Path, out: Option<&Path>) -> Self {
        let out = out.map(Path::to_owned);
        match named.is_dir() {
            true => Self {
                file: named.join("bench.toml"),
                out: out.or_else(|| Some(named.join("bench"))),
            },
            false => Self {
                file: named.to_owned(),
                out,
            },
        }
    }
}

/// A bench file that was read, and where its results lie.
pub struct OpenedBench {
    pub file: BenchFile,
    /// The file, as an absolute path.
    pub path: PathBuf,
    /// The folder of its results, as it was named.
    pub out: PathBuf,
}

impl OpenedBench {
    /// Reads a bench file, and refuses a folder that another bench stands in.
    ///
    /// # Errors
    /// A file or a folder that cannot be used.
    pub fn open(named: &Path, out: Option<&Path>) -> Result<Self, Failure> {
        let place = BenchPlace::new(named, out);
        let file = BenchFile::open(&place.file).map_err(|error| Failure::usage(error.to_string()))?;
        Self::of_file(file, &place)
    }

    /// The same, of a file with faults too, where the rest of it can be read: what else is wrong of it can be told
    /// beside them.
    ///
    /// # Errors
    /// A file or a folder that cannot be used at all.
    pub fn open_with_faults(named: &Path, out: Option<&Path>) -> Result<(Self, Option<Failure>), Failure> {
        let place = BenchPlace::new(named, out);
        match BenchFile::open(&place.file) {
            Ok(file) => Ok((Self::of_file(file, &place)?, None)),
            Err(error) => {
                let fault = Failure::usage(error.to_string());
                match error {
                    BenchFileError::Wrong { read: Some(file), .. } => match Self::of_file(*file, &place) {
                        Ok(bench) => Ok((bench, Some(fault))),
                        Err(_) => Err(fault),
                    },
                    _ => Err(fault),
                }
            }
        }
    }

    fn of_file(file: BenchFile, place: &BenchPlace) -> Result<Self, Failure> {
        let usage = |error: &dyn std::fmt::Display| Failure::usage(error.to_string());
        let path = std::path::absolute(&place.file).map_err(|error| usage(&error))?;
        let out = place.out.clone().unwrap_or_else(|| default_out(&path));
        let opened = Self { file, path, out };
        opened.folder().claim(&opened.file.name)?;
        Ok(opened)
    }

    /// The folder of the bench file.
    pub fn root(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }

    /// The folder of the locks that its cells have in common.
    pub fn locks(&self) -> PathBuf {
        self.out.join(LOCKS)
    }

    /// The folder of its results.
    pub fn folder(&self) -> BenchFolder<'_> {
        BenchFolder(&self.out)
    }
}
