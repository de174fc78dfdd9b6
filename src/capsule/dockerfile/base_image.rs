//! Versions of languages in the name of an image.

use crate::domain::lazy_regex::LazyRegex;

static PYTHON: LazyRegex =
    LazyRegex::new(r"(?:^|[/:._-])(?:python|py)[-:]?v?([23](?:\.[0-9]{1,3}){0,2})(?:[^0-9.]|$)");
static R: LazyRegex = LazyRegex::new(
    r"(?:^|[/:._-])(?:[rR]|r-base:|r-ver:|tidyverse:|verse:|rstudio:)-?([2345]\.[0-9]{1,2}(?:\.[0-9]{1,2})?)(?:[^0-9.]|$)",
);

/// The version of Python that an image's name tells, such as `3.8.12`.
pub fn python_version(image: &str) -> Option<String> {
    version(&PYTHON, image)
}

/// The version of R that an image's name tells, such as `4.1.0`.
pub fn r_version(image: &str) -> Option<String> {
    version(&R, image)
}

fn version(expression: &LazyRegex, image: &str) -> Option<String> {
    let found = expression.captures(image)?;
    found.get(1).map(|version| version.as_str().to_owned())
}
