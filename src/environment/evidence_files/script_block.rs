//! The block at a script's head that says what it needs (PEP 723).

use super::super::evidence::FoundEvidence;
use super::pyproject;
use crate::domain::excerpt;

const BEGIN: &str = "# /// script";
const END: &str = "# ///";

/// Reads the block of a script, if it has one.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let Some(project) = as_project(text) else { return };
    if let Err(error) = pyproject::read(file, &project, found) {
        let problem = excerpt::first_line(error.message()).to_owned();
        found.fault(file, format!("its block `{BEGIN}` is no TOML: {problem}"));
    }
}

/// The block as the table of a project, with as many lines in front as the script has.
fn as_project(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let begin = lines.iter().position(|line| *line == BEGIN)?;
    let is_inside = |line: &&&str| **line == "#" || line.starts_with("# ");
    let inside: Vec<&str> = lines[begin + 1..].iter().take_while(is_inside).copied().collect();
    // The last end counts, since what is inside may look like one.
    let end = inside.iter().rposition(|line| *line == END)?;
    let mut project = "\n".repeat(begin);
    project.push_str("[project]\n");
    for line in &inside[..end] {
        project.push_str(line.strip_prefix("# ").unwrap_or_default());
        project.push('\n');
    }
    Some(project)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn the_block_is_read_and_nothing_that_looks_like_it() {
        let text = "#!/usr/bin/env python\n# /// script\n# requires-python = \">=3.8,<3.10\"\n# dependencies = [\n#   \"pandas<1.4\",\n#\n#   \"rich\",\n# ]\n# [tool.uv]\n# exclude-newer = \"2022-03-04T00:00:00Z\"\n# ///\nimport pandas\n";
        let mut found = FoundEvidence::default();
        read("a.py", text, &mut found);
        assert_eq!(shown_pins(&found), ["pandas||<1.4", "rich||"]);
        assert_eq!((found.pins[0].line, found.pins[1].line), (5, 7));
        assert_eq!(
            found.evidence[0].interpreter.as_ref().unwrap().version,
            ">=3.8,<3.10"
        );
        assert_eq!(found.evidence[1].date.unwrap().to_string(), "2022-03-04");
        for none in [
            "# /// script\n# dependencies = [\"x\"]\nimport x\n# ///\n",
            "# /// script\n# dependencies = [\"x\"]\n",
            "text = '''\n  # /// script\n# dependencies = [\"x\"]\n# ///\n'''\n",
            "# /// pyproject\n# dependencies = [\"x\"]\n# ///\n",
        ] {
            let mut found = FoundEvidence::default();
            read("a.py", none, &mut found);
            assert!(found.pins.is_empty() && found.faults.is_empty(), "{none}");
        }
        let mut damaged = FoundEvidence::default();
        read("a.py", "# /// script\n# dependencies = [\n# ///\n", &mut damaged);
        assert_eq!((damaged.pins.len(), damaged.faults.len()), (0, 1));
    }
}
