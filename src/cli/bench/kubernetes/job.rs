//! The manifest of an indexed Job.

use serde_json::{Value, json};

use super::place::PodTerms;
use crate::cli::bench::slurm::script::quoted;
use crate::cli::bench::slurm::shape::SlurmShape;

/// The label by which the jobs and pods of a bench are found.
pub const LABEL: &str = "reprise.bench";
/// Seconds after its end for which a job is kept: many that ended fill the cluster's store.
const KEPT: u32 = 7 * 24 * 3600;

/// An array of cells as a Job, each index of which works on one cell.
#[derive(Debug, Clone)]
pub struct IndexedJob<'a> {
    /// The name of the job.
    pub name: &'a str,
    /// The value of [`LABEL`].
    pub bench_label: &'a str,
    pub shape: &'a SlurmShape,
    pub terms: &'a PodTerms,
    /// Seconds that a pod has to stop in order.
    pub grace: u32,
    /// Indices at work at once; as many as there is room for where nothing is said.
    pub at_once: Option<u32>,
    /// Times that a pod is started again that the machine or its time limit ended.
    pub repeats: u32,
    /// Ids of the cells, which are hexadecimal digits.
    pub cells: &'a [String],
    /// The call of `reprise bench work`, but for the cell.
    pub work: &'a [String],
    /// Variables that go along.
    pub variables: &'a [(String, String)],
}

/// A shape that Kubernetes cannot give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotInKubernetes {
    #[error("`{0}` is Slurm's, and Kubernetes has none: leave it out")]
    Option(&'static str),
    #[error("`time = {0}` is no time of a pod: give minutes, hours:minutes:seconds or days-hours")]
    Time(String),
}

impl IndexedJob<'_> {
    /// The manifest.
    ///
    /// # Errors
    /// A shape that Kubernetes cannot give.
    pub fn manifest(&self) -> Result<Value, NotInKubernetes> {
        let shape = self.shape;
        let of_slurm = [
            ("partition", &shape.partition),
            ("account", &shape.account),
            ("qos", &shape.qos),
            ("constraint", &shape.constraint),
        ];
        if let Some((option, _)) = of_slurm.iter().find(|(_, value)| value.is_some()) {
            return Err(NotInKubernetes::Option(option));
        }
        let seconds = shape.time.as_deref().map(seconds).transpose()?;
        let labels = json!({ LABEL: self.bench_label });
        let count = self.cells.len();
        let mut variables: Vec<Value> = self
            .variables
            .iter()
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
        variables.push(json!({ "name": "REPRISE_JOB", "value": self.name }));
        let secret = self.terms.secret.as_ref();
        let mut pod = json!({
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "terminationGracePeriodSeconds": self.grace,
            "containers": [{
                "name": "cell",
                "image": self.terms.image,
                "command": ["sh", "-c", self.script()],
                "env": variables,
                "envFrom": secret.map(|name| vec![json!({ "secretRef": { "name": name } })]).unwrap_or_default(),
                "resources": self.resources(),
                "volumeMounts": [{ "name": "bench", "mountPath": self.terms.mount }],
            }],
            "volumes": [{ "name": "bench", "persistentVolumeClaim": { "claimName": self.terms.volume_claim } }],
        });
        if let Some(seconds) = seconds {
            pod["activeDeadlineSeconds"] = json!(seconds);
        }
        Ok(json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": { "name": self.name, "labels": labels },
            "spec": {
                "completionMode": "Indexed",
                "completions": count,
                "parallelism": self.at_once.map_or(count, |most| count.min(most as usize)),
                "backoffLimitPerIndex": self.repeats,
                "ttlSecondsAfterFinished": KEPT,
                // A node that is drained or preempted is nobody's failure.
                "podFailurePolicy": { "rules": [
                    { "action": "Ignore", "onPodConditions": [{ "type": "DisruptionTarget", "status": "True" }] },
                ] },
                "template": { "metadata": { "labels": labels }, "spec": pod },
            },
        }))
    }

    /// Requests and limits; those of memory are one, since a pod above its request goes first.
    fn resources(&self) -> Value {
        let mut requests = serde_json::Map::new();
        let mut limits = serde_json::Map::new();
        if let Some(cpus) = self.shape.cpus {
            requests.insert("cpu".to_owned(), json!(cpus.to_string()));
        }
        if let Some(memory) = &self.shape.memory {
            // Slurm counts in powers of 1024, and plain numbers as MiB.
            let memory = match memory.ends_with(|last: char| last.is_ascii_digit()) {
                true => format!("{memory}Mi"),
                false => format!("{memory}i"),
            };
            requests.insert("memory".to_owned(), json!(memory));
            limits.insert("memory".to_owned(), json!(memory));
        }
        if let Some(gpus) = &self.shape.gpus {
            let count = gpus.rsplit(':').next().unwrap_or(gpus);
            limits.insert("nvidia.com/gpu".to_owned(), json!(count));
        }
        json!({ "requests": requests, "limits": limits })
    }

    /// The script of a pod: the cell of its index, stopped in order; started again only where the machine
    /// failed it or it was stopped, since everything else stands in the cell's folder.
    fn script(&self) -> String {
        let cells: Vec<String> = self.cells.iter().map(|cell| quoted(cell)).collect();
        let work: Vec<String> = self.work.iter().map(|word| quoted(word)).collect();
        format!(
            "set -- {}\nshift \"$JOB_COMPLETION_INDEX\"\n{} --cell=\"$1\" &\nchild=$!\n\
             trap 'kill -TERM \"$child\" 2>/dev/null' TERM INT\n\
             while kill -0 \"$child\" 2>/dev/null; do wait \"$child\"; done\n\
             wait \"$child\"\ncode=$?\necho \"cell $1 ended with $code\"\n\
             case $code in 7|130|137|143) exit \"$code\";; esac\nexit 0\n",
            cells.join(" "),
            work.join(" ")
        )
    }
}

/// Slurm's way to write a time, in seconds.
fn seconds(text: &str) -> Result<u64, NotInKubernetes> {
    let wrong = || NotInKubernetes::Time(text.to_owned());
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<u64>().map_err(|_| wrong())?), rest),
        None => (None, text),
    };
    let parts: Vec<u64> = rest
        .split(':')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| wrong())?;
    let clock = match (days, parts.as_slice()) {
        (Some(_), [hours]) => hours.checked_mul(3600),
        (Some(_), [hours, minutes]) => hours
            .checked_mul(3600)
            .zip(minutes.checked_mul(60))
            .map(|(a, b)| a + b),
        (None, [minutes]) => minutes.checked_mul(60),
        (None, [minutes, seconds]) => minutes.checked_mul(60).and_then(|sum| sum.checked_add(*seconds)),
        (_, [hours, minutes, seconds]) => hours
            .checked_mul(3600)
            .zip(minutes.checked_mul(60))
            .and_then(|(hours, minutes)| hours.checked_add(minutes)?.checked_add(*seconds)),
        _ => None,
    };
    let days = days.unwrap_or_default().checked_mul(24 * 3600);
    let sum = days.zip(clock).and_then(|(days, clock)| days.checked_add(clock));
    sum.filter(|sum| *sum > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::place::KubernetesPlace;
    use super::*;

    fn terms() -> PodTerms {
        PodTerms {
            image: "reprise:1".to_owned(),
            volume_claim: "bench".to_owned(),
            mount: "/bench".to_owned(),
            secret: Some("keys".to_owned()),
            place: KubernetesPlace::default(),
        }
    }

    fn job<'a>(
        shape: &'a SlurmShape,
        terms: &'a PodTerms,
        cells: &'a [String],
        work: &'a [String],
    ) -> IndexedJob<'a> {
        IndexedJob {
            name: "reprise-ab-1-1",
            bench_label: "reprise-ab",
            shape,
            terms,
            grace: 120,
            at_once: Some(2),
            repeats: 2,
            cells,
            work,
            variables: &[],
        }
    }

    #[test]
    fn times_are_slurms() {
        for (text, expected) in [
            ("90", 5400),
            ("4:00:00", 14_400),
            ("10:30", 630),
            ("1-12", 129_600),
            ("1-12:30", 131_400),
            ("2-0:0:1", 172_801),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "0",
            "a",
            "1:2:3:4",
            "1-",
            "99999999999999999999",
            "18446744073709551615",
        ] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_shape_is_asked_for_and_what_only_slurm_has_is_refused() {
        let shape = SlurmShape {
            cpus: Some(2),
            memory: Some("8G".to_owned()),
            gpus: Some("a100:2".to_owned()),
            time: Some("90".to_owned()),
            ..SlurmShape::default()
        };
        let (terms, cells, work) = (terms(), ["aa".to_owned(), "bb".to_owned(), "cc".to_owned()], []);
        let manifest = job(&shape, &terms, &cells, &work).manifest().unwrap();
        let spec = &manifest["spec"];
        assert_eq!(
            (&spec["completions"], &spec["parallelism"]),
            (&json!(3), &json!(2))
        );
        let pod = &spec["template"]["spec"];
        assert_eq!(pod["activeDeadlineSeconds"], 5400);
        let resources = &pod["containers"][0]["resources"];
        assert_eq!(resources["requests"], json!({ "cpu": "2", "memory": "8Gi" }));
        assert_eq!(
            resources["limits"],
            json!({ "memory": "8Gi", "nvidia.com/gpu": "2" })
        );
        let shape = SlurmShape {
            partition: Some("main".to_owned()),
            ..SlurmShape::default()
        };
        let refused = job(&shape, &terms, &cells, &work).manifest();
        assert_eq!(refused, Err(NotInKubernetes::Option("partition")));
    }

    /// The script as a shell runs it: the cell of the index, and the codes that are worth another pod.
    #[test]
    fn a_pod_works_on_its_own_cell_and_fails_where_another_may_help() {
        let (shape, terms) = (SlurmShape::default(), terms());
        let cells = ["aa".to_owned(), "b b".to_owned()];
        for (code, expected) in [(0, 0), (3, 0), (4, 0), (7, 7), (130, 130)] {
            let said = format!("echo \"it's $1\" \"$2\"; exit {code}");
            let work = ["sh", "-c", &said, "sh", "a 'b' $c"].map(str::to_owned);
            let manifest = job(&shape, &terms, &cells, &work).manifest().unwrap();
            let command = &manifest["spec"]["template"]["spec"]["containers"][0]["command"];
            let script = command[2].as_str().unwrap();
            let output = Command::new("sh")
                .args(["-c", script])
                .env("JOB_COMPLETION_INDEX", "1")
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.contains("it's a 'b' $c --cell=b b\n"), "{text}");
            assert!(text.contains(&format!("cell b b ended with {code}")), "{text}");
            assert_eq!(output.status.code(), Some(expected));
        }
    }
}
