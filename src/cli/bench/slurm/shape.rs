//! The shape of a job: what Slurm is asked to give a cell.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest value that is passed on.
const LONGEST: usize = 200;
const WORDS: &str = "give letters, digits and . _ - + , : = & | @ /";

/// The shape of a job, by options of `sbatch`; Slurm's own defaults where nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Args, JsonSchema)]
#[serde(default)]
pub struct SlurmShape {
    /// The partition of the cluster.
    #[arg(long, value_name = "NAME", value_parser = words, help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// The account that the time is charged to.
    #[arg(long, value_name = "NAME", value_parser = words, help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The quality of service.
    #[arg(long, value_name = "NAME", value_parser = words, help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qos: Option<String>,
    /// Features that a node must have.
    #[arg(long, value_name = "FEATURES", value_parser = words, help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<String>,
    /// Time of one job, as Slurm writes it, such as 90, 4:00:00 or 1-12; a cell that needs more goes on in a later
    /// one.
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Processors of each cell.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=65536), help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Memory of each cell, such as 8G.
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Graphics processors of each cell, such as 1 or a100:2.
    #[arg(long, value_name = "GPUS", value_parser = words, help_heading = "Slurm")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<String>,
}

/// A value of a shape that cannot be passed on.
#[derive(Debug, thiserror::Error)]
#[error("`{name} = {value}`: {why}")]
pub struct WrongShape {
    name: &'static str,
    value: String,
    why: String,
}

impl SlurmShape {
    /// This shape with another laid over it.
    pub fn overlaid(self, over: &Self) -> Self {
        let text = |over: &Option<String>, under: Option<String>| over.clone().or(under);
        Self {
            partition: text(&over.partition, self.partition),
            account: text(&over.account, self.account),
            qos: text(&over.qos, self.qos),
            constraint: text(&over.constraint, self.constraint),
            time: text(&over.time, self.time),
            cpus: over.cpus.or(self.cpus),
            memory: text(&over.memory, self.memory),
            gpus: text(&over.gpus, self.gpus),
        }
    }

    /// The first value that cannot be passed on, of a shape out of a file.
    ///
    /// # Errors
    /// The value's name, the value and why.
    pub fn check(&self) -> Result<(), WrongShape> {
        type Check = fn(&str) -> Result<String, String>;
        let values: [(&'static str, &Option<String>, Check); 7] = [
            ("partition", &self.partition, words),
            ("account", &self.account, words),
            ("qos", &self.qos, words),
            ("constraint", &self.constraint, words),
            ("time", &self.time, time),
            ("memory", &self.memory, memory),
            ("gpus", &self.gpus, words),
        ];
        for (name, value, check) in values {
            if let Some(value) = value {
                check(value).map_err(|why| WrongShape {
                    name,
                    value: format!("{value:?}"),
                    why,
                })?;
            }
        }
        match self.cpus {
            Some(0) => Err(WrongShape {
                name: "cpus",
                value: "0".to_owned(),
                why: "give 1 or more".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// The options of `sbatch` that ask for it.
    pub fn options(&self) -> Vec<String> {
        let cpus = self.cpus.map(|cpus| cpus.to_string());
        let gpus = self.gpus.as_ref().map(|gpus| format!("gpu:{gpus}"));
        let values = [
            ("partition", self.partition.clone()),
            ("account", self.account.clone()),
            ("qos", self.qos.clone()),
            ("constraint", self.constraint.clone()),
            ("time", self.time.clone()),
            ("cpus-per-task", cpus),
            ("mem", self.memory.clone()),
            ("gres", gpus),
        ];
        let given = values
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        given.map(|(name, value)| format!("--{name}={value}")).collect()
    }

    /// The shape in words.
    pub fn words(&self) -> String {
        match self.options().as_slice() {
            [] => "the cluster's defaults".to_owned(),
            options => options.join(" "),
        }
    }
}

/// Words that stand for themselves in a script and on a command line.
fn words(text: &str) -> Result<String, String> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "._-+,:=&|@/".contains(character);
    // Slurm's lines of options are split at spaces, and end at `#`.
    if text.is_empty() || text.len() > LONGEST || !text.chars().all(is_plain) || text.starts_with('-') {
        return Err(WORDS.to_owned());
    }
    Ok(text.to_owned())
}

fn time(text: &str) -> Result<String, String> {
    let is_time = text.len() <= 30
        && text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .chars()
            .all(|character| character.is_ascii_digit() || ":-".contains(character));
    match is_time {
        true => Ok(text.to_owned()),
        false => {
            Err("give minutes, hours:minutes:seconds or days-hours, such as 90, 4:00:00 or 1-12".to_owned())
        }
    }
}

fn memory(text: &str) -> Result<String, String> {
    let digits = text.strip_suffix(['K', 'M', 'G', 'T']).unwrap_or(text);
    let is_size = !digits.is_empty() && digits.len() <= 12 && digits.chars().all(|one| one.is_ascii_digit());
    match is_size {
        true => Ok(text.to_owned()),
        false => Err("give a size such as 800M or 8G".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_laid_over_another_and_asked_for() {
        let file: SlurmShape = toml::from_str("time = '4:00:00'\nmemory = '8G'\ncpus = 2").unwrap();
        let over = SlurmShape {
            cpus: Some(4),
            gpus: Some("a100:2".to_owned()),
            ..SlurmShape::default()
        };
        let both = file.overlaid(&over);
        assert_eq!(
            both.options(),
            [
                "--time=4:00:00",
                "--cpus-per-task=4",
                "--mem=8G",
                "--gres=gpu:a100:2"
            ]
        );
        assert!(both.check().is_ok());
        assert_eq!(SlurmShape::default().words(), "the cluster's defaults");
    }

    #[test]
    fn what_would_be_more_than_a_value_is_refused() {
        for text in [
            "",
            "a b",
            "x\n#SBATCH --uid=0",
            "$(id)",
            "-x",
            "a;b",
            "a'b",
            &"a".repeat(300),
        ] {
            assert!(words(text).is_err(), "{text}");
            let shape = SlurmShape {
                partition: Some(text.to_owned()),
                ..SlurmShape::default()
            };
            let error = shape.check().unwrap_err().to_string();
            assert!(error.starts_with("`partition = "), "{error}");
        }
        for text in ["dawn", "", "1 2", "-5"] {
            assert!(time(text).is_err(), "{text}");
        }
        for text in ["8 G", "G", "8GB", "-1"] {
            assert!(memory(text).is_err(), "{text}");
        }
        assert!(words("gpu|long").is_ok() && time("1-12:30").is_ok() && memory("800M").is_ok());
    }
}
