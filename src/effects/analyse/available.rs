//! Availability of the programs that scripts are run with.

use std::collections::BTreeMap;

use crate::domain::execution::Tier;
use crate::domain::plan::{ExecutionPlan, Interpreter};

/// The programs that the operator and the sandbox offer.
#[derive(Clone, Copy)]
pub struct AvailablePrograms<'a> {
    pub tier: Tier,
    /// Images that the operator named for programs that no made image has.
    pub images: &'a BTreeMap<Interpreter, String>,
    /// Whether a program is installed on this machine.
    pub installed: &'a dyn Fn(&str) -> bool,
}

/// Why a script cannot be run here, in a sentence or two with the way out.
pub fn missing(interpreter: Interpreter, script: &str, offer: AvailablePrograms<'_>) -> Option<String> {
    let setting = interpreter.image_setting()?;
    let program = interpreter.program();
    let free = match interpreter {
        Interpreter::Spss => " or one with GNU PSPP",
        Interpreter::Matlab => " or one with GNU Octave",
        _ => "",
    };
    match offer.tier {
        Tier::Docker if offer.images.contains_key(&interpreter) => None,
        Tier::Docker => Some(format!(
            "`{script}` needs {interpreter}, which is not available here: no image that reprise makes has \
             `{program}`. The operator can name an image that has it, one that they license{free}, in {setting}."
        )),
        Tier::Namespaces | Tier::Landlock if (offer.installed)(program) => None,
        Tier::Namespaces | Tier::Landlock => Some(format!(
            "`{script}` needs {interpreter}, which is not available here: `{program}` is not installed on this \
             machine. The operator can name an image that has it, one that they license{free}, in {setting}, \
             and choose `--sandbox docker`."
        )),
    }
}

/// Entry points that need programs of different images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "The entry points need programs that lie in different images of the operator's: run scripts of one such program."
)]
pub struct SeveralImages;

/// The operator's image that a plan has to run in, where it needs one.
///
/// # Errors
/// Entry points that need programs of different images.
pub fn image(plan: &ExecutionPlan, offer: AvailablePrograms<'_>) -> Result<Option<String>, SeveralImages> {
    if offer.tier != Tier::Docker {
        return Ok(None);
    }
    let mut images: Vec<&String> = plan
        .0
        .iter()
        .filter_map(|entry| offer.images.get(&entry.interpreter))
        .collect();
    images.dedup();
    match images.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        _ => Err(SeveralImages),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_the_setting_that_mends_it() {
        let none = BTreeMap::new();
        let images = BTreeMap::from([(Interpreter::Stata, "ours/stata:18".to_owned())]);
        let told = |interpreter, tier, images, here: bool| {
            missing(
                interpreter,
                "work/a",
                AvailablePrograms {
                    tier,
                    images,
                    installed: &|_| here,
                },
            )
        };
        for (interpreter, setting) in [
            (Interpreter::Stata, "REPRISE_STATA_IMAGE"),
            (Interpreter::Spss, "REPRISE_SPSS_IMAGE"),
            (Interpreter::Matlab, "REPRISE_MATLAB_IMAGE"),
        ] {
            for tier in [Tier::Docker, Tier::Namespaces, Tier::Landlock] {
                let sentence = told(interpreter, tier, &none, false).unwrap();
                assert!(
                    sentence.contains("not available here") && sentence.contains(setting),
                    "{sentence}"
                );
            }
        }
        assert_eq!(told(Interpreter::Stata, Tier::Docker, &images, false), None);
        assert!(told(Interpreter::Stata, Tier::Namespaces, &images, false).is_some());
        assert!(told(Interpreter::Spss, Tier::Docker, &images, false).is_some());
        assert_eq!(told(Interpreter::Spss, Tier::Namespaces, &none, true), None);
        assert_eq!(told(Interpreter::R, Tier::Docker, &none, false), None);
    }
}
