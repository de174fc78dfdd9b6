//! Names of models and judges as a table can hold them.

/// A name without the folders of a recording's path, of which the file's own
/// name says enough.
pub fn short_name(name: &str) -> &str {
    match name.split_once(':') {
        Some(("recorded" | "scripted", path)) => path.rsplit('/').next().unwrap_or(path),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_recordings_path_is_cut() {
        assert_eq!(short_name("recorded:studies/x/by-hand.json"), "by-hand.json");
        assert_eq!(short_name("recorded:python"), "python");
        assert_eq!(short_name("openrouter/openai/gpt-5"), "openrouter/openai/gpt-5");
        assert_eq!(short_name("ollama/llama3:8b/x"), "ollama/llama3:8b/x");
    }
}
