//! JSON Schemas (2020-12) of Rust types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of `T`, with nothing referred to from elsewhere.
pub fn inline_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is wanted")]
    struct Inner {
        number: u8,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is wanted")]
    struct Outer {
        inner: Inner,
    }

    #[test]
    fn parts_stand_where_they_are_used() {
        let schema = inline_schema::<Outer>();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema["properties"]["inner"]["properties"]["number"].is_object());
        assert!(schema.get("$defs").is_none());
    }
}
