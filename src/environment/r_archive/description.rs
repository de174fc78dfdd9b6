//! The `DESCRIPTION` of a package: what it needs.

use super::version::is_r_version;

/// A package that another one needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NeededRPackage {
    pub name: String,
    /// Such as `>= 1.1`.
    pub bound: Option<String>,
}

/// The parts of a `DESCRIPTION` that matter for an environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Description {
    pub needs: Vec<NeededRPackage>,
    /// The bound on R itself.
    pub r: Option<String>,
    /// The entries of `Remotes`, which say that a package comes from elsewhere.
    pub remotes: Vec<String>,
}

/// Reads a `DESCRIPTION`: its needs are those of `Depends`, `Imports` and `LinkingTo`.
pub fn parse(text: &str) -> Description {
    let mut description = Description::default();
    for (field, value) in fields(text) {
        match field.as_str() {
            "Depends" | "Imports" | "LinkingTo" => {
                for need in value.split(',').filter_map(need) {
                    match need.name.as_str() {
                        "R" => description.r = need.bound.or(description.r.take()),
                        _ => description.needs.push(need),
                    }
                }
            }
            "Remotes" => description
                .remotes
                .extend(value.split(',').map(|one| one.trim().to_owned())),
            _ => {}
        }
    }
    description.needs.sort();
    // A package may have a least and a latest version.
    description.needs.dedup();
    let bounded: Vec<String> = (description.needs.iter())
        .filter(|need| need.bound.is_some())
        .map(|need| need.name.clone())
        .collect();
    description
        .needs
        .retain(|need| need.bound.is_some() || !bounded.contains(&need.name));
    description
}

/// Fields with their values; lines that begin with a space go on.
fn fields(text: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((field, value)) = line.split_once(':') {
            fields.push((field.trim().to_owned(), value.trim().to_owned()));
        }
    }
    fields
}

fn need(text: &str) -> Option<NeededRPackage> {
    let text = text.trim();
    let (name, bound) = match text.split_once('(') {
        Some((name, bound)) => (name.trim(), Some(bound.trim_end_matches(')').trim().to_owned())),
        None => (text, None),
    };
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '.');
    is_name.then(|| NeededRPackage {
        name: name.to_owned(),
        bound: bound.filter(|bound| is_r_version(bound.trim_start_matches(['>', '<', '=', ' ']))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_read_over_lines() {
        let text = "Package: beta\nVersion: 1.0\nDepends: R (>= 3.5.0), methods\nImports: alpha (>= 1.1),\n    gamma\nLinkingTo: Rcpp\nSuggests: testthat\nSystemRequirements: GDAL\n";
        let read = parse(text);
        let names: Vec<&str> = read.needs.iter().map(|need| need.name.as_str()).collect();
        assert_eq!(names, ["Rcpp", "alpha", "gamma", "methods"]);
        assert_eq!(read.needs[1].bound.as_deref(), Some(">= 1.1"));
        assert_eq!(read.r.as_deref(), Some(">= 3.5.0"));
    }
}
