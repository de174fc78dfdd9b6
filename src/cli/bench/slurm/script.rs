//! The script of an array of jobs.

use std::fmt::Write as _;

use super::shape::SlurmShape;

/// An array of jobs, each task of which works on one cell.
#[derive(Debug, Clone)]
pub struct ArrayScript<'a> {
    /// The name of the jobs.
    pub name: &'a str,
    pub shape: &'a SlurmShape,
    /// Seconds before the time limit at which Slurm says so.
    pub warning: u32,
    pub submission: u32,
    /// Ids of the cells, which are hexadecimal digits.
    pub cells: &'a [String],
    /// This program.
    pub program: &'a str,
    /// The bench file and the folder of its results, as absolute paths.
    pub bench: &'a str,
    pub out: &'a str,
    /// Options of `reprise bench work` besides.
    pub options: &'a [String],
    /// What the script was submitted with.
    pub submitted: &'a [String],
}

impl ArrayScript<'_> {
    /// The script, for bash.
    pub fn text(&self) -> String {
        let mut text = "#!/bin/bash\n\
            # Cells of a bench, written by `reprise bench submit`: each task of the array works on one of them, and goes\n\
            # on where an earlier one stopped. Submitted with:\n"
            .to_owned();
        let _infallible = writeln!(text, "#   {}", one_line(self.submitted));
        let mut options = vec![format!("--job-name={}", self.name)];
        options.extend(
            ["--open-mode=append", "--requeue", "--nodes=1", "--ntasks=1"]
                .iter()
                .map(|&option| option.to_owned()),
        );
        options.push(format!("--signal=B:USR1@{}", self.warning));
        options.extend(self.shape.options());
        for option in options {
            let _infallible = writeln!(text, "#SBATCH {option}");
        }
        text.push_str("cells=(\n");
        for cell in self.cells {
            let _infallible = writeln!(text, "    {}", quoted(cell));
        }
        text.push_str(")\n");
        let mut call = vec![
            self.program.to_owned(),
            "bench".to_owned(),
            "work".to_owned(),
            self.bench.to_owned(),
            format!("--out={}", self.out),
            format!("--submission={}", self.submission),
        ];
        call.extend_from_slice(self.options);
        let _infallible = writeln!(
            text,
            "work=(\n    {}\n)",
            call.iter()
                .map(|word| quoted(word))
                .collect::<Vec<_>>()
                .join("\n    ")
        );
        text.push_str(BODY);
        text
    }
}

const BODY: &str = r#"cell=${cells[$SLURM_ARRAY_TASK_ID]}
child=
stopped=
again=
stop() {
    stopped=yes
    [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
# Slurm's warning before the time limit: stop in order, and back into the queue.
trap 'again=yes; stop' USR1
# scancel, preemption, requeue: stop in order, and let Slurm decide.
trap stop TERM INT
echo "cell $cell, job ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID, restart ${SLURM_RESTART_COUNT:-0}, node $(hostname)"
"${work[@]}" "--cell=$cell" &
child=$!
[ -z "$stopped" ] || kill -TERM "$child" 2>/dev/null
# `wait` comes back at each signal that is trapped.
while kill -0 "$child" 2>/dev/null; do
    wait "$child"
done
wait "$child"
code=$?
echo "cell $cell ended with $code"
if [ -n "$again" ] && [ "$code" -eq 130 ]; then
    # Slurm ends this script once the task is back in the queue. `SLURM_JOB_ID` of one task is that of the whole array.
    trap 'exit "$code"' TERM
    if scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"; then
        for _ in {1..60}; do sleep 1; done
    fi
fi
exit "$code"
"#;

/// A word as bash reads it, whatever is in it.
pub fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-=%,:@+".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.chars().any(char::is_control) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut text = "$'".to_owned();
    for character in word.chars() {
        match character {
            '\'' | '\\' => text.extend(['\\', character]),
            '\n' => text.push_str("\\n"),
            character if character.is_control() => {
                for byte in character.to_string().bytes() {
                    let _infallible = write!(text, "\\x{byte:02x}");
                }
            }
            character => text.push(character),
        }
    }
    text.push('\'');
    text
}

/// A command on one line.
fn one_line(words: &[String]) -> String {
    words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const HOSTILE: [&str; 8] = [
        "plain/path.toml",
        "it's $(touch pwned) `id` \"x\"",
        "two\nlines\n#SBATCH --uid=0",
        "back\\slash\\n and 'quote'\n",
        "",
        "-x; exit 3",
        "ünïcode \u{85} \u{7f} \t!",
        "%a %A ~ * ? [a] {b,c}",
    ];

    #[test]
    fn bash_reads_each_word_as_it_is() {
        for word in HOSTILE {
            let script = format!("printf %s {}", quoted(word));
            let output = Command::new("bash")
                .args(["-c", &script])
                .env("LC_ALL", "C.UTF-8")
                .output();
            assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), word);
            assert!(!quoted(word).contains('\n'), "{word}");
        }
    }

    /// The script is run with a program in reprise's place that prints what it is called with.
    #[test]
    fn the_script_calls_for_its_cell_whatever_the_paths_hold() {
        let folder = tempfile::tempdir().unwrap();
        let cells = ["0a1b2c".to_owned(), "'; touch pwned; '".to_owned()];
        for path in HOSTILE {
            let script = ArrayScript {
                name: "reprise-1",
                shape: &SlurmShape::default(),
                warning: 120,
                submission: 3,
                cells: &cells,
                program: "echo",
                bench: path,
                out: path,
                options: &["--quiet".to_owned()],
                submitted: &["sbatch".to_owned(), path.to_owned()],
            };
            let text = script.text();
            let output = Command::new("bash")
                .args(["-c", &text])
                .current_dir(folder.path())
                .env("LC_ALL", "C.UTF-8")
                .env("SLURM_ARRAY_TASK_ID", "1")
                .env("SLURM_ARRAY_JOB_ID", "7")
                .output()
                .unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let called = format!(
                "bench work {path} --out={path} --submission=3 --quiet --cell={}\n",
                cells[1]
            );
            assert!(printed.contains(&called), "{printed}");
            assert!(output.status.success(), "{printed}");
            assert!(fs_is_empty(folder.path()));
            // Nothing but our own lines is one of Slurm's, and none comes behind a command.
            let head = text.split("cells=(").next().unwrap();
            assert_eq!(
                text.matches("\n#SBATCH").count(),
                head.matches("\n#SBATCH").count(),
                "{text}"
            );
            assert!(!text.contains("uid=0\n"), "{text}");
        }
    }

    fn fs_is_empty(folder: &std::path::Path) -> bool {
        std::fs::read_dir(folder).unwrap().next().is_none()
    }
}
