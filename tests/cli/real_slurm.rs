//! A Slurm of one node, and a bench that is carried by it through a requeue, a kill and a time limit.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use serde_json::Value;
use tempfile::TempDir;

use super::need::{self, PATIENCE};
use super::provider::{Dialect, Provider};
use super::support::{Called, Place, called, tree};

/// Tasks at work at once, whatever the machine has.
const SLOTS: u32 = 8;
const FILE: &str = "\
name = 'many'
repeats = REPEATS
[settings]
approve = 'auto'
sandbox = 'local'
code-mode = 'native'
no-probe = true
[[studies]]
paths = ['slope']
[[agents]]
name = 'by hand'
[[agents]]
name = 'claude'
settings.model = 'anthropic/claude-sonnet-4-5'
";

/// The cells of the bench, half of which ask a provider: `.ci/run long` wants 200.
fn cells_in_all() -> usize {
    let asked = std::env::var("REPRISE_SLURM_CELLS").ok();
    asked.map_or(20, |count| count.parse().unwrap())
}

/// A controller, a node and the service that they trust one another by; all end with it.
struct Slurm {
    folder: TempDir,
    services: Vec<Child>,
}

impl Slurm {
    /// `None` where the machine lacks it.
    fn start() -> Option<Self> {
        let answers = |program: &str| {
            let version = Command::new(program).arg("-V").output();
            version.is_ok_and(|output| output.status.success())
        };
        need::need_that(
            answers("slurmctld") && answers("slurmd"),
            "there is no Slurm here: apt-get install slurmctld slurmd slurm-client munge",
        )?;
        need::need_that(
            geteuid().is_root(),
            "a Slurm of one's own is started by root alone",
        )?;
        let mut slurm = Self {
            folder: tempfile::tempdir().unwrap(),
            services: Vec::new(),
        };
        slurm.write();
        slurm.trust();
        for (program, options) in [("slurmctld", ["-D", "-f"]), ("slurmd", ["-D", "-f"])] {
            let log = fs::File::create(slurm.folder.path().join(format!("{program}.out"))).unwrap();
            let mut command = Command::new(program);
            command.args(options).arg(slurm.configuration());
            slurm.services.push(
                command
                    .stdout(log.try_clone().unwrap())
                    .stderr(log)
                    .spawn()
                    .unwrap(),
            );
        }
        let deadline = Instant::now() + PATIENCE;
        while slurm.ask("sinfo", &["-h", "-o", "%t"]).trim() != "idle" {
            assert!(
                Instant::now() < deadline,
                "the node is not idle: {}",
                slurm.ask("sinfo", &[])
            );
            thread::sleep(Duration::from_millis(200));
        }
        Some(slurm)
    }

    fn configuration(&self) -> std::path::PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn write(&self) {
        let folder = self.folder.path();
        for name in ["state", "spool"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        let port = || {
            TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port()
        };
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let host = host.trim().split('.').next().unwrap();
        let place = folder.display();
        let settings = [
            "ClusterName=reprise-test".to_owned(),
            format!("SlurmctldHost={host}(127.0.0.1)"),
            format!("SlurmctldPort={}", port()),
            format!("SlurmdPort={}", port()),
            "AuthType=auth/munge".to_owned(),
            // A requeued job waits for so long.
            "AuthInfo=cred_expire=5".to_owned(),
            "SlurmUser=root".to_owned(),
            "SlurmdUser=root".to_owned(),
            format!("StateSaveLocation={place}/state"),
            format!("SlurmdSpoolDir={place}/spool"),
            format!("SlurmctldPidFile={place}/slurmctld.pid"),
            format!("SlurmdPidFile={place}/slurmd.pid"),
            "ProctrackType=proctrack/linuxproc".to_owned(),
            "TaskPlugin=task/none".to_owned(),
            "MpiDefault=none".to_owned(),
            "SelectType=select/cons_tres".to_owned(),
            "SelectTypeParameters=CR_CPU".to_owned(),
            "SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1".to_owned(),
            "AccountingStorageType=accounting_storage/none".to_owned(),
            "KillWait=20".to_owned(),
            "SlurmdParameters=config_overrides".to_owned(),
            format!("NodeName={host} NodeAddr=127.0.0.1 CPUs={SLOTS} State=UNKNOWN"),
            format!("PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP"),
        ];
        fs::write(self.configuration(), settings.join("\n") + "\n").unwrap();
        fs::write(folder.join("cgroup.conf"), "CgroupPlugin=cgroup/v1\n").unwrap();
    }

    /// Starts the service that signs messages, where none runs.
    fn trust(&mut self) {
        let runs = || {
            let mut asks = Command::new("munge");
            asks.arg("-n")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        if runs() {
            return;
        }
        let made = Command::new("install")
            .args(["-d", "-o", "munge", "-g", "munge", "-m", "755", "/run/munge"])
            .status();
        assert!(made.unwrap().success());
        let daemon = Command::new("runuser")
            .args(["-u", "munge", "--", "/usr/sbin/munged", "--foreground", "--force"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.services.insert(0, daemon.unwrap());
        let deadline = Instant::now() + PATIENCE;
        while !runs() {
            assert!(Instant::now() < deadline, "munge does not answer");
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        let output = command
            .args(arguments)
            .env("SLURM_CONF", self.configuration())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        self.ask("scancel", &["--user=0", "--quiet"]);
        for service in self.services.iter_mut().rev() {
            let _ended = kill(Pid::from_raw(service.id() as i32), Signal::SIGTERM);
            let _gone = service.wait();
        }
    }
}

fn call(place: &Place, slurm: &Slurm, provider: &Provider, arguments: &[&str]) -> Called {
    let mut command = place.command(arguments);
    command
        .envs(provider.model().1)
        .env("SLURM_CONF", slurm.configuration());
    called(command.output().unwrap())
}

fn place() -> Place {
    let place = Place::new();
    place.study();
    let file = FILE.replace("REPEATS", &(cells_in_all() / 2).to_string());
    fs::write(place.path().join("bench.toml"), file).unwrap();
    place
}

/// The lines of `cells.jsonl` by their cells.
fn results(place: &Place) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(place.path().join("bench/cells.jsonl")).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|cell| (cell["cell"].as_str().unwrap().to_owned(), cell))
        .collect()
}

fn artifacts(place: &Place) -> Vec<(String, Vec<u8>)> {
    let all = tree(&place.path().join("bench/cells")).into_iter();
    all.filter(|(name, _)| name.contains("/artifacts/")).collect()
}

fn finished_events(place: &Path) -> Vec<usize> {
    let cells = fs::read_dir(place.join("bench/cells")).unwrap().flatten();
    let journals = cells.map(|cell| fs::read_to_string(cell.path().join("journal.jsonl")).unwrap());
    journals
        .map(|journal| journal.matches(r#""kind":"run_finished""#).count())
        .collect()
}

#[test]
#[ignore = "two minutes and more, since no time limit of Slurm's is shorter than one: `.ci/run long`"]
fn cells_end_once_through_a_requeue_a_kill_and_a_time_limit() {
    let Some(slurm) = Slurm::start() else { return };
    let all = cells_in_all();
    let here = place();
    let provider = Provider::for_many(Dialect::Anthropic, 0);
    let local = call(&here, &slurm, &provider, &["bench", "bench.toml", "--quiet"]);
    assert_eq!(local.status, 0, "{}{}", local.stdout, local.stderr);

    let there = place();
    let provider = Provider::for_many(Dialect::Anthropic, 3);
    let call = |arguments: &[&str]| call(&there, &slurm, &provider, &[&["bench"], arguments].concat());
    let submit = || {
        let submitted = call(&[
            "submit",
            "bench.toml",
            "--engine",
            "slurm",
            "--time",
            "1",
            "--warning",
            "10",
            "--cpus",
            "1",
            "--export",
            "ANTHROPIC_API_KEY",
            "--export",
            "ANTHROPIC_BASE_URL",
            "--json",
        ]);
        assert_eq!(submitted.status, 0, "{}", submitted.stderr);
        serde_json::from_str::<Value>(&submitted.stdout).unwrap()
    };
    let cells = |standing: &str| {
        let status = call(&["status", "bench.toml", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).unwrap();
        let cells = status["cells"].as_array().unwrap().clone();
        cells
            .into_iter()
            .filter(|cell| cell["standing"] == standing)
            .collect::<Vec<_>>()
    };
    assert_eq!(submit()["arrays"][0]["cells"].as_array().unwrap().len(), all);
    // Cells that ask nobody may come first, all of them.
    let until_asked = PATIENCE + Duration::from_secs(6 * all as u64);
    for _ in 0..3 {
        provider.halfway.recv_timeout(until_asked).unwrap();
    }
    let running = cells("running");
    let detail = |cell: &Value| cell["detail"].as_str().unwrap().to_owned();
    let hanging: Vec<&Value> = running
        .iter()
        .filter(|cell| cell["name"].as_str().unwrap().contains("claude"))
        .collect();
    assert!(hanging.len() >= 3, "{running:#?}");
    // One goes back into the queue, one is killed, and the others reach their time limit where they hang.
    let job = detail(hanging[0]).split("job ").nth(1).unwrap().to_owned();
    slurm.ask("scontrol", &["requeue", &job]);
    let pid = detail(hanging[1]);
    let pid = pid
        .trim_start_matches("pid ")
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();

    let deadline = Instant::now() + PATIENCE + Duration::from_secs(6 * all as u64);
    let mut submissions = 1;
    while cells("finished").len() < all {
        assert!(
            Instant::now() < deadline,
            "{}",
            call(&["status", "bench.toml"]).stdout
        );
        thread::sleep(Duration::from_secs(5));
        // As somebody would, who looks now and then.
        if submit()["submission"].is_u64() {
            submissions += 1;
        }
    }
    let collected = call(&["collect", "bench.toml", "--json"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    assert_eq!(results(&there).len(), all);
    assert_eq!(results(&there), results(&here));
    let cost = |place: &Place| {
        results(place)
            .values()
            .filter_map(|cell| cell["cost"].as_u64())
            .sum::<u64>()
    };
    assert!(cost(&here) > 0);
    assert_eq!(cost(&there), cost(&here), "in millionths of a dollar");
    assert_eq!(finished_events(there.path()), vec![1; all]);
    assert!(artifacts(&there) == artifacts(&here) && !artifacts(&here).is_empty());

    let logs = tree(&there.path().join("bench/submissions")).into_iter();
    let logs: Vec<String> = logs
        .filter(|(name, _)| name.ends_with(".log"))
        .map(|(_, text)| String::from_utf8_lossy(&text).into_owned())
        .collect();
    let said = |text: &str| logs.iter().filter(|log| log.contains(text)).count();
    println!(
        "{all} cells, {submissions} submissions; {} tasks were restarted, {} killed",
        said("restart 1"),
        said("ended with 137")
    );
    assert!(
        submissions >= 2 && said("restart 1") >= 2 && said("ended with 137") == 1,
        "{logs:#?}"
    );
}
