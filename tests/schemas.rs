//! The schema files are the ones that the types generate. With
//! `REPRISE_UPDATE=1` they are written instead of compared.

use std::path::Path;

use reprise::catalog::schemas;

#[test]
fn schema_files_are_generated_from_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let update = std::env::var_os("REPRISE_UPDATE").is_some_and(|value| value == "1");
    let mut expected = Vec::new();
    for (name, schema) in schemas::all() {
        jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        let file = format!("{name}.schema.json");
        let text = format!("{}\n", serde_json::to_string_pretty(schema).unwrap());
        let path = folder.join(&file);
        if update {
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "schemas/{file} differs from the types; run the test with REPRISE_UPDATE=1"
        );
        expected.push(file);
    }
    expected.sort();
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, expected, "schemas/ holds a file that no type generates");
}
