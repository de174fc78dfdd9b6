//! Every crate that is linked in has a licence that `deny.toml` allows.
//!
//! `cargo deny check` reads the same file and checks more; it is not on every
//! machine, and this is.

use std::process::Command;

use serde_json::Value;

fn allowed() -> Vec<String> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml")).unwrap();
    let file: toml::Value = toml::from_str(&text).unwrap();
    let list = file["licenses"]["allow"].as_array().unwrap();
    list.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// Whether one alternative of an SPDX expression is allowed in all its parts.
fn fits(expression: &str, allowed: &[String]) -> bool {
    let plain = expression.replace(['(', ')'], " ").replace('/', " OR ");
    plain.split(" OR ").any(|alternative| {
        alternative.split(" AND ").all(|part| {
            let part = part.trim();
            let bare = part.split(" WITH ").next().unwrap_or(part).trim();
            allowed.iter().any(|one| one == part || one == bare)
        })
    })
}

#[test]
fn no_crate_has_another_licence() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let allowed = allowed();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(
        packages.len() > 100,
        "only {} packages were looked at",
        packages.len()
    );
    let wrong: Vec<String> = packages
        .iter()
        .filter(|package| package["source"].is_string())
        .filter(|package| {
            !package["license"]
                .as_str()
                .is_some_and(|licence| fits(licence, &allowed))
        })
        .map(|package| {
            format!(
                "{} {} ({})",
                package["name"], package["version"], package["license"]
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!fits("GPL-3.0-only", &allowed) && !fits("MIT AND AGPL-3.0", &allowed));
}
