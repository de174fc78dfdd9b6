//! Commands of Stata and SPSS, and the packages and modules that hold them.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StataTable {
    commands: Vec<String>,
    prefixes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StataPackageTable {
    package: Vec<StataPackage>,
}

/// A package of Stata's community.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StataPackage {
    pub name: String,
    /// `ssc`, `sj` or `author`.
    pub place: String,
    pub commands: Vec<String>,
    /// Packages that it does not run without.
    #[serde(default)]
    pub needs: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpssTable {
    base: Vec<String>,
    module: Vec<SpssModule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpssModule {
    name: String,
    commands: Vec<String>,
}

/// Tables with a mistake know no command; a test reads them.
static STATA: LazyLock<Result<StataTable, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("stata_commands.toml")));
static STATA_PACKAGES: LazyLock<Result<StataPackageTable, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("stata_packages.toml")));
static SPSS: LazyLock<Result<SpssTable, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("spss_commands.toml")));

/// Whether a word is a form of an entry such as `reg*ress`.
fn is_form(word: &str, entry: &str) -> bool {
    match entry.split_once('*') {
        None => word == entry,
        Some((least, rest)) => word
            .strip_prefix(least)
            .is_some_and(|more| rest.starts_with(more)),
    }
}

/// Whether Stata itself has a command.
pub fn is_stata_command(word: &str) -> bool {
    let commands = STATA.as_ref().map_or(&[][..], |table| table.commands.as_slice());
    commands.iter().any(|entry| is_form(word, entry))
}

/// Whether a word stands in front of commands.
pub fn is_stata_prefix(word: &str) -> bool {
    let prefixes = STATA.as_ref().map_or(&[][..], |table| table.prefixes.as_slice());
    prefixes.iter().any(|entry| is_form(word, entry))
}

/// Every package of Stata's community in the table.
pub fn stata_packages() -> &'static [StataPackage] {
    STATA_PACKAGES.as_ref().map_or(&[], |table| &table.package)
}

/// The package that holds a command.
pub fn stata_package_of(command: &str) -> Option<&'static StataPackage> {
    let holds = |package: &&StataPackage| package.commands.iter().any(|one| one == command);
    stata_packages().iter().find(holds)
}

/// The place of a command of SPSS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpssCommand {
    /// In its full form.
    pub name: &'static str,
    /// `None` of what every SPSS has.
    pub module: Option<&'static str>,
}

/// The command that a line of syntax begins with.
pub fn spss_command(line: &str) -> Option<SpssCommand> {
    let table = SPSS.as_ref().ok()?;
    let words: Vec<String> = line
        .split(|letter: char| letter.is_whitespace() || "=/(.".contains(letter))
        .filter(|word| !word.is_empty())
        .take(3)
        .map(str::to_ascii_uppercase)
        .collect();
    let base = table.base.iter().map(|name| SpssCommand { name, module: None });
    let modules = table.module.iter().flat_map(|module| {
        let module_name = Some(module.name.as_str());
        let commands = module.commands.iter();
        commands.map(move |name| SpssCommand {
            name,
            module: module_name,
        })
    });
    let fitting = base.chain(modules).filter(|command| fits(&words, command.name));
    fitting.max_by_key(|command| {
        (
            words.first().is_some_and(|word| word == command.name),
            command.name.len(),
        )
    })
}

/// Whether words begin with a command, each shortened to no less than three letters.
fn fits(words: &[String], command: &str) -> bool {
    let parts: Vec<&str> = command.split(' ').collect();
    words.len() >= parts.len()
        && parts
            .iter()
            .zip(words)
            .all(|(part, word)| word == part || (word.len() >= 3 && part.starts_with(word.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_commands_and_others_are_packages() {
        for word in [
            "reg",
            "regr",
            "regress",
            "su",
            "summarize",
            "gen",
            "g",
            "xtreg",
            "tab",
            "areg",
        ] {
            assert!(is_stata_command(word), "{word}");
        }
        assert!(!is_stata_command("re") && !is_stata_command("regresss") && !is_stata_command("reghdfe"));
        assert!(is_stata_prefix("qui") && is_stata_prefix("bysort") && !is_stata_prefix("reg"));
        assert_eq!(stata_package_of("esttab").unwrap().name, "estout");
        assert!(stata_package_of("regress").is_none());
        for package in stata_packages() {
            for command in &package.commands {
                assert!(!is_stata_command(command), "{command} is Stata's own");
            }
            for needed in &package.needs {
                assert!(stata_packages().iter().any(|one| one.name == *needed), "{needed}");
            }
        }
    }

    #[test]
    fn commands_of_spss_have_a_module() {
        let module = |line: &str| spss_command(line).map(|command| (command.name, command.module));
        assert_eq!(module("REGRESSION /DEPENDENT y"), Some(("REGRESSION", None)));
        assert_eq!(module("freq vars=x."), Some(("FREQUENCIES", None)));
        assert_eq!(module("GLM a b"), Some(("GLM", Some("Advanced Statistics"))));
        assert_eq!(
            module("LOGISTIC REGRESSION VARIABLES y"),
            Some(("LOGISTIC REGRESSION", Some("Regression")))
        );
        assert_eq!(module("UNIANOVA y BY x"), Some(("UNIANOVA", None)));
        assert_eq!(module("GET FILE='x.sav'"), Some(("GET", None)));
        assert_eq!(module("NONSUCH x"), None);
    }
}
