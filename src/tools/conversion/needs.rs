//! The programs that a conversion needs, by the kind of the file.

use std::collections::BTreeMap;

use crate::documents::kind::Kind;
use crate::domain::execution::EnvironmentSpec;

/// The needs of a conversion of one kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// What the script calls the kind.
    pub kind: &'static str,
    /// Python packages; none where R converts.
    pub packages: &'static [&'static str],
}

impl Needs {
    /// What converts files of a kind; `None` where nothing does.
    pub fn for_kind(kind: &Kind) -> Option<Self> {
        let pandas = |kind, packages| Some(Self { kind, packages });
        match kind {
            Kind::Parquet => pandas("parquet", &["pandas", "pyarrow"]),
            Kind::Arrow | Kind::Feather => pandas("feather", &["pandas", "pyarrow"]),
            Kind::Sas7bdat => pandas("sas7bdat", &["pandas", "pyreadstat"]),
            Kind::Xport => pandas("xport", &["pandas", "pyreadstat"]),
            Kind::Dta(_) => pandas("dta", &["pandas", "pyreadstat"]),
            Kind::Sav | Kind::Zsav => pandas("sav", &["pandas", "pyreadstat"]),
            Kind::Por => pandas("por", &["pandas", "pyreadstat"]),
            Kind::Mat => pandas("mat", &["pandas", "scipy"]),
            Kind::Xlsx | Kind::Xls | Kind::Ods => pandas("sheets", &["pandas", "openpyxl", "xlrd", "odfpy"]),
            Kind::Rds => pandas("rds", &[]),
            Kind::RData => pandas("rdata", &[]),
            _ => None,
        }
    }

    /// Whether R converts, and not pandas.
    pub fn r(&self) -> bool {
        self.packages.is_empty()
    }

    /// The program by name, for people.
    pub fn program(&self) -> String {
        match self.packages {
            [] => "R".to_owned(),
            packages => format!("Python with {}", packages.join(", ")),
        }
    }

    /// What the conversion takes from the machine and from the network, for whoever allows it.
    pub fn takes(&self) -> String {
        match self.packages {
            [] => "the sandbox's R reads it and nothing is installed".to_owned(),
            packages => format!(
                "the sandbox's Python reads it, and what of {} the cache does not hold yet is installed into it \
                 from the Python package index",
                packages.join(", ")
            ),
        }
    }

    /// The environment in which the conversion runs.
    pub fn environment(&self) -> EnvironmentSpec {
        if self.r() {
            return EnvironmentSpec {
                r: Some(BTreeMap::new()),
                ..EnvironmentSpec::default()
            };
        }
        EnvironmentSpec {
            python: Some(self.packages.iter().map(|&name| name.to_owned()).collect()),
            ..EnvironmentSpec::default()
        }
    }
}
