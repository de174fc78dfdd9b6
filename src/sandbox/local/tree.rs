//! The processes below a process, as /proc tells them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, sysconf};

/// The descendants of `root`, without itself.
pub fn descendants(root: i32) -> BTreeSet<i32> {
    let mut found = BTreeSet::new();
    let mut open = vec![root];
    let every = if fs::exists(format!("/proc/{root}/task/{root}/children")).unwrap_or(false) {
        None
    } else {
        Some(parents())
    };
    while let Some(process) = open.pop() {
        let children = match &every {
            Some(every) => every.get(&process).cloned().unwrap_or_default(),
            None => children(process),
        };
        open.extend(children.into_iter().filter(|child| found.insert(*child)));
    }
    found
}

fn children(process: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace()
                .filter_map(|word| word.parse().ok())
                .collect::<Vec<i32>>()
        })
        .collect()
}

/// Children by parent, for kernels that do not list them.
fn parents() -> BTreeMap<i32, Vec<i32>> {
    let mut every: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    let Ok(entries) = fs::read_dir("/proc") else {
        return every;
    };
    for process in entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
    {
        if let Some(parent) = stat_field(process, 1).and_then(|text| text.parse().ok()) {
            every.entry(parent).or_default().push(process);
        }
    }
    every
}

/// A field of /proc/N/stat, counted from 0 after the command's name.
fn stat_field(process: i32, index: usize) -> Option<String> {
    let stat = fs::read(format!("/proc/{process}/stat")).ok()?;
    // The name may itself hold spaces and brackets: fields begin after the last one.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(end + 1..)?).into_owned();
    rest.split_whitespace().nth(index).map(str::to_owned)
}

/// When a process started, in clock ticks since boot: tells it from a later
/// process that has the same number.
pub fn started(process: i32) -> Option<u64> {
    stat_field(process, 19)?.parse().ok()
}

/// Bytes of resident memory over `processes`. Shared pages count once per
/// process until the sum passes `limit`; only then are they shared out, which
/// costs the kernel a walk of every page table.
pub fn memory(processes: &BTreeSet<i32>, limit: u64) -> u64 {
    let resident: u64 = processes.iter().filter_map(|process| resident(*process)).sum();
    if resident <= limit {
        return resident;
    }
    processes
        .iter()
        .filter_map(|process| proportional(*process).or_else(|| self::resident(*process)))
        .sum()
}

fn resident(process: i32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    let page = sysconf(SysconfVar::PAGE_SIZE).ok()??;
    Some(pages.saturating_mul(u64::try_from(page).ok()?))
}

fn proportional(process: i32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

/// Kills and reaps everything below this process, which must be a subreaper, so
/// that daemons are found too.
pub fn end_descendants(time_limit: Duration) {
    let begin = Instant::now();
    let own = nix::unistd::getpid().as_raw();
    while begin.elapsed() < time_limit {
        for process in descendants(own) {
            let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
        }
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => break,
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => return,
            }
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_and_its_child_are_found() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60 & echo; wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The line is written once the grandchild exists.
        let mut line = [0_u8; 1];
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut line).unwrap();
        let shell_id = i32::try_from(shell.id()).unwrap();
        let found = descendants(nix::unistd::getpid().as_raw());
        let below = descendants(shell_id);
        assert!(found.contains(&shell_id));
        assert_eq!(below.len(), 1);
        assert!(found.is_superset(&below));
        assert!(memory(&found, u64::MAX) > 0);
        assert!(started(shell_id).is_some());
        for process in below {
            kill(Pid::from_raw(process), Signal::SIGKILL).unwrap();
        }
        shell.kill().unwrap();
        shell.wait().unwrap();
    }
}
