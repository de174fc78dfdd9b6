//! Names of models as Inspect knows them.

/// Providers whose names Inspect knows and that need no further part in the name.
const KNOWN: [&str; 12] = [
    "anthropic",
    "azureai",
    "bedrock",
    "google",
    "grok",
    "groq",
    "mistral",
    "ollama",
    "openai",
    "openrouter",
    "together",
    "vllm",
];

/// The name of a model in a log. A name that Inspect does not know keeps `inspect score` from
/// reading the log, so that others are told as its stand-in for models, `mockllm`.
pub fn model_name(own: &str) -> String {
    match own.split_once('/') {
        Some((provider, _)) if KNOWN.contains(&provider) => own.to_owned(),
        Some(("gemini", model)) => format!("google/{model}"),
        _ => {
            let plain = |letter: char| match letter {
                letter if letter.is_ascii_alphanumeric() || "-._".contains(letter) => letter,
                _ => '-',
            };
            format!("mockllm/{}", own.chars().map(plain).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_inspect_does_not_know_is_its_stand_in() {
        assert_eq!(model_name("openai/gpt-5"), "openai/gpt-5");
        assert_eq!(model_name("gemini/pro"), "google/pro");
        assert_eq!(model_name("recorded:by hand"), "mockllm/recorded-by-hand");
        assert_eq!(model_name("lmstudio/x/y"), "mockllm/lmstudio-x-y");
    }
}
