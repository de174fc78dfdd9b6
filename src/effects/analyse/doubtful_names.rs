//! Declared packages whose names are worth a second look before they are installed.

use crate::domain::execution::EnvironmentSpec;
use crate::environment::tables::{python_names, r_packages};

/// A line for each declared package whose name is likely a slip, that of another one's module, or one that stands for
/// another; by the judgement of `reprise env`.
pub fn warnings(environment: &EnvironmentSpec) -> String {
    let requirements = environment.python.iter().flatten();
    let python = requirements.filter_map(|requirement| {
        let requirement = requirement.trim_start();
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let end = requirement.find(|letter| !is_of_name(letter));
        of_python(&requirement[..end.unwrap_or(requirement.len())])
    });
    let r = environment.r.iter().flat_map(|packages| packages.keys());
    let r = r.filter_map(|name| Some(slip(name, r_packages::slip_of(name)?)));
    python.chain(r).collect()
}

fn of_python(name: &str) -> Option<String> {
    if let Some(other) = python_names::stood_for(name, None) {
        return Some(format!(
            "warning   {name} holds nothing and stands in the index for {other}\n"
        ));
    }
    if let Some(other) = python_names::held_by_other(name, None) {
        return Some(format!(
            "warning   {name} is a module of {other}, and in the index another project or none\n"
        ));
    }
    Some(slip(name, python_names::declared_slip_of(name)?))
}

fn slip(name: &str, known: &str) -> String {
    let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
    format!("warning   {name} is nearly {known}: such names are also taken by packages that do harm\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(python: &[&str], r: &[&str]) -> Vec<String> {
        let environment = EnvironmentSpec {
            python: Some(python.iter().map(|&name| name.to_owned()).collect()),
            r: Some(r.iter().map(|&name| (name.to_owned(), None)).collect()),
            ..EnvironmentSpec::default()
        };
        let lines = warnings(&environment);
        let name = |line: &str| line.split_whitespace().nth(1).unwrap_or_default().to_owned();
        lines.lines().map(name).collect()
    }

    #[test]
    fn names_are_judged_as_in_the_survey_of_a_folder() {
        assert_eq!(
            warned(
                &[
                    "numpi>=1",
                    "tenserflaw (>=1)",
                    "sklearn",
                    "docx",
                    "panadas [x]",
                    "pandas;python_version>'3'"
                ],
                &["dyplr", "lme4"]
            ),
            ["numpi", "tenserflaw", "sklearn", "docx", "panadas", "dyplr"]
        );
        // Real packages that lie near others, and short names.
        assert_eq!(
            warned(
                &["dash", "boto", "cycler", "scikit_learn==1.0", "ijson~=3.0"],
                &["vroom", "dtplyr"]
            ),
            Vec::<String>::new()
        );
    }
}
