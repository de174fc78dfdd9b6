//! A Slurm of shell scripts on the path: it notes what it is asked for, and the test runs the tasks.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::support::{Called, Place, called};

/// Each file below `jobs` is a task: its state, its reason and the name of its job.
const SBATCH: &str = r##"
[ -s "$slurm/refuse" ] && { echo "sbatch: error: $(cat "$slurm/refuse")" >&2; exit 1; }
[ -e "$slurm/refuse" ] && { echo "sbatch: error: Batch job submission failed: Invalid partition name" >&2; exit 1; }
job=$(($(cat "$slurm/next") + 1)); echo $job >"$slurm/next"
for argument; do
    case $argument in
        --array=*) array=${argument#--array=} ;;
        --chdir=*) chdir=${argument#--chdir=} ;;
        --export=*) echo "${argument#--export=}" >"$slurm/export" ;;
    esac
done
name=$(sed -n 's/^#SBATCH --job-name=//p' "$argument")
last=${array%%%*}
for task in $(seq 0 "${last#0-}"); do echo "PENDING|Priority|$name" >"$slurm/jobs/${job}_$task"; done
printf %s "$argument" >"$slurm/script-$job"
printf %s "$chdir" >"$slurm/chdir-$job"
echo "$job;cluster"
"##;
const SQUEUE: &str = r#"
echo "$@" >>"$slurm/asked"
[ -e "$slurm/silent" ] && { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
echo "99_0|RUNNING|None|somebody|else's"
for task in "$slurm"/jobs/*; do [ -e "$task" ] && echo "$(basename "$task")|$(cat "$task")"; done
exit 0
"#;
const SCANCEL: &str = r#"
for argument; do case $argument in --name=*) name=${argument#--name=} ;; esac; done
for task in "$slurm"/jobs/*; do
    case $(cat "$task") in *"|$name") ;; *) continue ;; esac
    case $(cat "$task") in RUNNING*) kill -TERM "$(cat "$slurm/pids/$(basename "$task")")" ;; PENDING*) ;; *) continue ;; esac
    echo "CANCELLED|None|$name" >"$task"
done
"#;
const SCONTROL: &str = r#"
[ "$1" = requeue ] || exit 1
name=$(cut -d '|' -f 3- "$slurm/jobs/$2")
echo "PENDING|BeginTime|$name" >"$slurm/jobs/$2"
kill -TERM "$PPID"
"#;

/// The scripts and what they noted, below a place.
pub struct FakeSlurm<'a> {
    place: &'a Place,
    folder: PathBuf,
    variables: BTreeMap<String, String>,
}

/// A task of an array that runs.
pub struct RunningTask {
    child: Child,
    task: PathBuf,
}

impl<'a> FakeSlurm<'a> {
    pub fn new(place: &'a Place) -> Self {
        let folder = place.path().join("fake slurm");
        for name in ["bin", "jobs", "pids"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        fs::write(folder.join("next"), "100").unwrap();
        for (name, body) in [
            ("sbatch", SBATCH),
            ("squeue", SQUEUE),
            ("scancel", SCANCEL),
            ("scontrol", SCONTROL),
        ] {
            let path = folder.join("bin").join(name);
            let text = format!("#!/bin/bash\nslurm='{}'\n{}", folder.display(), body.trim_start());
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self {
            place,
            folder,
            variables: BTreeMap::new(),
        }
    }

    /// A variable of the environment that everything is called in.
    pub fn variable(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        self.in_environment(&mut command);
        command
    }

    pub fn call(&self, arguments: &[&str]) -> Called {
        called(self.command(arguments).output().unwrap())
    }

    fn in_environment(&self, command: &mut Command) {
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.folder.join("bin").display()));
        command.envs(&self.variables);
    }

    /// Has a file of the fake's, such as `refuse`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// How often `squeue` was called.
    pub fn questions(&self) -> usize {
        fs::read_to_string(self.file("asked")).map_or(0, |text| text.lines().count())
    }

    /// The state of a task.
    pub fn state(&self, task: &str) -> String {
        let text = fs::read_to_string(self.file("jobs").join(task)).unwrap();
        text.split('|').next().unwrap().to_owned()
    }

    /// Starts a task, such as `101_0`, as Slurm would: the script alone, with what was exported.
    pub fn start(&self, task: &str) -> RunningTask {
        let (job, index) = task.split_once('_').unwrap();
        let script = fs::read_to_string(self.file(&format!("script-{job}"))).unwrap();
        let folder = fs::read_to_string(self.file(&format!("chdir-{job}"))).unwrap();
        let exported = fs::read_to_string(self.file("export")).unwrap();
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(PathBuf::from(&folder).join(format!("{index}.log")))
            .unwrap();
        let mut all = self.place.command(&[]);
        self.in_environment(&mut all);
        let exported: Vec<&str> = exported.trim().split(',').collect();
        let variables: Vec<_> = all
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .filter(|(name, _)| exported.contains(&name.to_str().unwrap()))
            .collect();
        let child = Command::new("bash")
            .arg(&script)
            .current_dir(&folder)
            .env_clear()
            .envs(variables)
            .envs([
                // Of the last task of an array, Slurm's own is that of the whole.
                ("SLURM_JOB_ID", job),
                ("SLURM_ARRAY_JOB_ID", job),
                ("SLURM_ARRAY_TASK_ID", index),
            ])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        fs::write(self.file("pids").join(task), child.id().to_string()).unwrap();
        let path = self.file("jobs").join(task);
        set(&path, "RUNNING");
        RunningTask { child, task: path }
    }

    /// Runs a task to its end, and returns its exit code.
    pub fn run(&self, task: &str) -> i32 {
        self.start(task).ended()
    }

    /// What a later call is told by `squeue`, and not what an earlier one was.
    pub fn forget_answer(&self) {
        let _not_asked = fs::remove_file(self.place.path().join("bench/submissions/queue.json"));
    }
}

impl RunningTask {
    /// The process of the script.
    pub fn pid(&self) -> nix::unistd::Pid {
        nix::unistd::Pid::from_raw(self.child.id() as i32)
    }

    /// Waits for its end; Slurm notes it.
    pub fn ended(mut self) -> i32 {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        if fs::read_to_string(&self.task).unwrap().starts_with("RUNNING") {
            set(&self.task, if code == 0 { "COMPLETED" } else { "FAILED" });
        }
        code
    }
}

fn set(task: &std::path::Path, state: &str) {
    let text = fs::read_to_string(task).unwrap();
    let name = text.trim_end().splitn(3, '|').nth(2).unwrap().to_owned();
    fs::write(task, format!("{state}|None|{name}\n")).unwrap();
}
