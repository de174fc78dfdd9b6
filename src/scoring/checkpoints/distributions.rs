//! Distributions of packages: the imports that each declared one provides.

use std::collections::BTreeSet;

use crate::domain::names::normalized;
use crate::environment::tables::python_names;

/// Modules with distributions that no lock would choose for them.
const ALSO: [(&str, &str); 6] = [
    ("cv2", "opencv-contrib-python"),
    ("google", "google-api-python-client"),
    ("google", "google-cloud-storage"),
    ("IPython", "jupyter"),
    ("IPython", "notebook"),
    ("jose", "python-jose"),
];

/// Distribution, and the modules that installing it brings along.
const BRINGS: &[(&str, &[&str])] = &[
    ("pandas", &["numpy", "dateutil", "pytz", "six"]),
    ("scipy", &["numpy"]),
    (
        "matplotlib",
        &[
            "mpl_toolkits",
            "numpy",
            "PIL",
            "packaging",
            "dateutil",
            "pyparsing",
            "cycler",
        ],
    ),
    ("seaborn", &["matplotlib", "numpy", "pandas"]),
    ("statsmodels", &["numpy", "scipy", "pandas", "patsy", "packaging"]),
    ("scikit-learn", &["numpy", "scipy", "joblib", "threadpoolctl"]),
    (
        "linearmodels",
        &["numpy", "pandas", "scipy", "statsmodels", "patsy", "formulaic"],
    ),
    (
        "pingouin",
        &[
            "numpy",
            "scipy",
            "pandas",
            "matplotlib",
            "seaborn",
            "statsmodels",
            "sklearn",
            "tabulate",
        ],
    ),
    ("pyreadstat", &["pandas", "numpy"]),
    ("pyreadr", &["pandas", "numpy"]),
    ("lifelines", &["numpy", "scipy", "pandas", "matplotlib"]),
    (
        "plotnine",
        &["matplotlib", "pandas", "numpy", "scipy", "statsmodels"],
    ),
    (
        "semopy",
        &["numpy", "scipy", "pandas", "sympy", "sklearn", "statsmodels"],
    ),
    ("xarray", &["numpy", "pandas"]),
    ("geopandas", &["pandas", "numpy", "shapely", "pyproj"]),
    ("requests", &["urllib3", "certifi", "idna"]),
    ("factor-analyzer", &["numpy", "scipy", "pandas", "sklearn"]),
    ("pymer4", &["numpy", "scipy", "pandas", "rpy2"]),
];

/// R package, and the packages that installing it brings along.
const R_BRINGS: &[(&str, &[&str])] = &[
    (
        "tidyverse",
        &[
            "broom",
            "cli",
            "conflicted",
            "dbplyr",
            "dplyr",
            "dtplyr",
            "forcats",
            "ggplot2",
            "googledrive",
            "googlesheets4",
            "haven",
            "hms",
            "httr",
            "jsonlite",
            "lubridate",
            "magrittr",
            "modelr",
            "pillar",
            "purrr",
            "ragg",
            "readr",
            "readxl",
            "reprex",
            "rlang",
            "rstudioapi",
            "rvest",
            "stringr",
            "tibble",
            "tidyr",
            "xml2",
        ],
    ),
    ("lmerTest", &["lme4", "ggplot2", "numDeriv"]),
    ("AER", &["car", "lmtest", "sandwich", "zoo", "Formula"]),
    ("afex", &["lme4", "lmerTest", "car", "reshape2", "pbkrtest"]),
    ("groundhog", &["remotes"]),
    ("rio", &["haven", "readxl", "data.table", "writexl"]),
    ("lmtest", &["zoo"]),
    ("plm", &["lmtest", "sandwich", "zoo", "Formula"]),
    ("car", &["carData", "pbkrtest", "lme4"]),
    ("psych", &["mnormt", "GPArotation"]),
    ("devtools", &["usethis", "remotes"]),
];

/// Base images that come with the tidyverse.
const TIDYVERSE_IMAGES: [&str; 3] = ["rocker/tidyverse", "rocker/verse", "rocker/geospatial"];

/// A module that no declared package provides, or only through another's needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    pub undeclared: Vec<String>,
    /// Undeclared, and installed along with something declared.
    pub implied: Vec<String>,
}

/// The Python modules without a declared distribution.
pub fn python_gaps(imports: &BTreeSet<String>, declared: &[String]) -> Gaps {
    let declared: BTreeSet<String> = declared.iter().map(|line| normalized(name_of(line))).collect();
    sort(
        imports,
        |module| {
            let also = ALSO.iter().filter(|(known, _)| *known == module);
            let mut providers = python_names::distributions(module).chain(also.map(|(_, name)| *name));
            declared.contains(&normalized(module))
                || providers.any(|name| declared.contains(&normalized(name)))
        },
        |module| brings(BRINGS, |name| declared.contains(name), module),
    )
}

/// The R packages that are not declared, given the base image's own.
pub fn r_gaps(imports: &BTreeSet<String>, declared: &[String], base_image: Option<&str>) -> Gaps {
    let mut declared: BTreeSet<String> = declared.iter().map(|line| name_of(line).to_owned()).collect();
    let image = base_image.unwrap_or_default();
    if TIDYVERSE_IMAGES
        .iter()
        .any(|known| image.split(':').next() == Some(*known))
    {
        declared.insert("tidyverse".to_owned());
    }
    sort(
        imports,
        |package| declared.contains(package),
        |package| brings(R_BRINGS, |name| declared.contains(name), package),
    )
}

fn sort(
    imports: &BTreeSet<String>,
    is_declared: impl Fn(&str) -> bool,
    is_implied: impl Fn(&str) -> bool,
) -> Gaps {
    let mut gaps = Gaps::default();
    for import in imports.iter().filter(|import| !is_declared(import)) {
        let list = if is_implied(import) {
            &mut gaps.implied
        } else {
            &mut gaps.undeclared
        };
        list.push(import.clone());
    }
    gaps
}

fn brings(table: &[(&str, &[&str])], is_declared: impl Fn(&str) -> bool, import: &str) -> bool {
    let declared = table.iter().filter(|(name, _)| is_declared(name));
    declared.into_iter().any(|(_, modules)| modules.contains(&import))
}

/// The name at the start of a requirement.
fn name_of(requirement: &str) -> &str {
    let requirement = requirement.trim();
    let end = requirement.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-')));
    &requirement[..end.unwrap_or(requirement.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn imports_meet_their_distributions() {
        let declared = list(&[
            "Scikit_Learn==1.4",
            "pandas >= 2",
            "opencv-python-headless",
            "PyYAML[extra]; python_version>'3'",
        ]);
        let gaps = python_gaps(
            &set(&["sklearn", "pandas", "cv2", "yaml", "numpy", "rpy2"]),
            &declared,
        );
        assert_eq!(
            (gaps.undeclared, gaps.implied),
            (list(&["rpy2"]), list(&["numpy"]))
        );
    }

    #[test]
    fn r_packages_may_come_with_the_image() {
        let imports = set(&["dplyr", "lme4", "lmtest"]);
        let gaps = r_gaps(&imports, &list(&["lmtest"]), Some("rocker/verse:4.2"));
        assert_eq!(
            (gaps.undeclared, gaps.implied),
            (list(&["lme4"]), list(&["dplyr"]))
        );
        assert_eq!(r_gaps(&imports, &[], Some("r-base")).undeclared.len(), 3);
    }
}
