//! Parts of prompts as CORE-Bench writes them.

use super::python_text::in_code;

/// The questions of a task as published prompts name them: Python's `str(answers.keys())`, such
/// as `dict_keys(['one', "it's"])`. Agents that were written for those prompts read this form.
pub fn json_fields(questions: &[String]) -> String {
    let mut written = String::from("dict_keys([");
    for (at, question) in questions.iter().enumerate() {
        written.push_str(if at > 0 { ", " } else { "" });
        in_code(question, &mut written);
    }
    written.push_str("])");
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Python 3.11 prints them.
    #[test]
    fn questions_are_written_as_a_view_of_keys() {
        for (questions, expected) in [
            (vec![], "dict_keys([])"),
            (vec!["one."], "dict_keys(['one.'])"),
            (
                vec!["fig it's", "say \"a\"", "it's \"a\""],
                "dict_keys([\"fig it's\", 'say \"a\"', 'it\\'s \"a\"'])",
            ),
            (
                vec!["a\\b", "a\nb", "\u{200b}"],
                "dict_keys(['a\\\\b', 'a\\nb', '\\u200b'])",
            ),
            (vec!["x \u{2212} 1", "é"], "dict_keys(['x \u{2212} 1', 'é'])"),
        ] {
            let questions: Vec<String> = questions.into_iter().map(str::to_owned).collect();
            assert_eq!(json_fields(&questions), expected);
        }
    }
}
