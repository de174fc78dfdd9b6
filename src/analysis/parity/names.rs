//! Names of terms, with the habits of statistical programs set aside.

use regex::Regex;

use crate::domain::lazy_regex::LazyRegex;

/// `C(gender)`, `factor(gender)`, `as.factor(gender)`, with a contrast or without.
static FACTOR: LazyRegex = LazyRegex::new(
    r"\b(?:c|factor|as\.factor|as_factor|categorical)\(([^(),]+)(?:,[^()]*(?:\([^()]*\))?[^()]*)?\)",
);
/// `[T.2]`, `[S.2]` or `[2]` behind a factor.
static LEVEL: LazyRegex = LazyRegex::new(r"\[(?:[ts]\.)?([^\]\[]*)\]");
/// Stata's `2.gender`, `2b.gender`, `i.gender` and `c.age`.
static STATA: LazyRegex = LazyRegex::new(r"^\s*(?:(\d+)b?|[ic])\.([[:alpha:]_]\w*)\s*$");
/// What joins the parts of an interaction.
static JOINT: LazyRegex = LazyRegex::new(r"[:×*]|#{1,2}|\s+x\s+");

/// The names of the constant term.
const CONSTANT: [&str; 5] = ["intercept", "const", "constant", "cons", "b0"];

/// What a name comes to when case, spaces, punctuation, the order of an
/// interaction's parts and the ways of writing a factor's level are set aside:
/// `C(gender)[T.2]` and `factor(gender)2` are one, as are `a:b` and `b x a`.
///
/// Two findings with one key are meant to be the same only where no third has it.
pub fn key(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let plain = replaced(&FACTOR, &lower, "${1} ");
    let plain = replaced(&LEVEL, &plain, " ${1}");
    let mut parts: Vec<String> = JOINT.split(&plain).map(part).collect();
    parts.retain(|part| !part.is_empty());
    parts.sort();
    if parts.is_empty() {
        return lower;
    }
    parts.join("×")
}

fn part(text: &str) -> String {
    let text = replaced(&STATA, text, "${2} ${1}");
    let letters: String = text.chars().filter(|one| one.is_alphanumeric()).collect();
    if CONSTANT.contains(&letters.as_str()) {
        CONSTANT[0].to_owned()
    } else {
        letters
    }
}

fn replaced(pattern: &Regex, text: &str, with: &str) -> String {
    pattern.replace_all(text, with).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_spell_one_term_in_many_ways() {
        for spellings in [
            &["(Intercept)", "const", "_cons", "Intercept", "Constant"][..],
            &[
                "gender[T.2]",
                "C(gender)[T.2]",
                "factor(gender)2",
                "as.factor(gender)2",
                "gender2",
                "2.gender",
                "C(gender, Treatment(reference=1))[T.2]",
                "Gender 2",
            ],
            &[
                "age:income",
                "income:age",
                "income x age",
                "Age × Income",
                "c.age#c.income",
                "age*income",
            ],
            &["log(gdp per capita)", "Log GDP per capita", "log_gdp.per-capita"],
            &[
                "factor(region)South:age",
                "C(region)[T.South]:age",
                "age x regionSouth",
            ],
        ] {
            let keys: Vec<String> = spellings.iter().map(|name| key(name)).collect();
            assert!(
                keys.windows(2).all(|pair| pair[0] == pair[1]),
                "{spellings:?}: {keys:?}"
            );
        }
    }

    #[test]
    fn other_terms_stay_apart() {
        let names = [
            "gender[T.2]",
            "gender[T.3]",
            "gender",
            "age",
            "age:income",
            "ageincome",
            "x",
            "dosé",
            "dose",
            "2",
            "…",
        ];
        for (at, one) in names.iter().enumerate() {
            for other in &names[at + 1..] {
                assert_ne!(key(one), key(other), "{one} and {other}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn case_and_outer_spaces_do_not_matter(name in "[a-z\\[\\]().:#*x2 ]{0,24}") {
            proptest::prop_assert_eq!(key(&name.to_uppercase()), key(&name));
            proptest::prop_assert_eq!(key(&format!(" {name} ")), key(&name));
        }

        #[test]
        fn any_name_has_a_key(name in "\\PC{0,24}") {
            proptest::prop_assert!(key(&name).is_empty() <= name.trim().is_empty());
        }
    }
}
