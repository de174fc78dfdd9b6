//! Families of models: a judge that grades its own may favour it.

use crate::model::name::is_recording;

/// Beginnings of model names, and the family they belong to.
const FAMILIES: [(&str, &str); 22] = [
    ("gpt", "OpenAI"),
    ("chatgpt", "OpenAI"),
    ("o1", "OpenAI"),
    ("o3", "OpenAI"),
    ("o4", "OpenAI"),
    ("codex", "OpenAI"),
    ("claude", "Anthropic"),
    ("gemini", "Google"),
    ("gemma", "Google"),
    ("llama", "Meta"),
    ("meta-llama", "Meta"),
    ("mistral", "Mistral"),
    ("mixtral", "Mistral"),
    ("magistral", "Mistral"),
    ("codestral", "Mistral"),
    ("qwen", "Qwen"),
    ("qwq", "Qwen"),
    ("deepseek", "DeepSeek"),
    ("grok", "xAI"),
    ("command", "Cohere"),
    ("phi", "Microsoft"),
    ("glm", "Zhipu"),
];

/// The family of a model by its full name; `None` of a recording and of names
/// that are not known.
pub fn family(name: &str) -> Option<&'static str> {
    if is_recording(name) {
        return None;
    }
    let own = name.to_lowercase();
    let parts: Vec<&str> = own.split('/').collect();
    let known = |part: &&str| {
        FAMILIES.iter().find(|(start, _)| {
            part.strip_prefix(start)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphabetic()))
        })
    };
    parts.iter().rev().find_map(known).map(|(_, family)| *family)
}

/// A warning where judge and agent are of one family.
pub fn kinship(judge: &str, agent: &str) -> Option<String> {
    let shared = family(judge).filter(|found| family(agent) == Some(found))?;
    Some(format!(
        "The judge {judge} is of the same family ({shared}) as the agent {agent}, and may favour it: let a judge of \
         another family grade too."
    ))
}

#[cfg(test)]
mod tests {
    use crate::grading::judge::family::*;

    #[test]
    fn kin_are_told_whoever_serves_them() {
        assert_eq!(family("openrouter/openai/gpt-5-mini"), Some("OpenAI"));
        assert_eq!(family("azure/o3-2025-04-16"), Some("OpenAI"));
        assert_eq!(family("anthropic/claude-sonnet-4-5"), Some("Anthropic"));
        assert_eq!(family("ollama/llama3.3"), Some("Meta"));
        assert_eq!((family("ollama/olmo"), family("recorded:gpt")), (None, None));
        assert!(kinship("openai/gpt-5", "openai/o3").unwrap().contains("OpenAI"));
        assert_eq!(kinship("openai/gpt-5", "anthropic/claude-opus-4"), None);
        assert_eq!(kinship("ollama/a", "ollama/b"), None);
    }
}
