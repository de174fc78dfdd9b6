//! The system calls of a container, where the daemon's own filter is too old.
//!
//! Docker's filter has refused sockets to the hypervisor since release 23 and
//! I/O rings since release 25. Older daemons let both through: the one leads
//! past a container without a network, the other past any filter of calls.

use serde_json::{Value, json};

use crate::sandbox::docker::facts::{DaemonFacts, Engine};

/// The first release whose own filter refuses all that is refused here.
const ENOUGH: u32 = 25;

/// Calls that no analysis needs and that have led out of containers.
const FORBIDDEN: &[&str] = &[
    "acct",
    "add_key",
    "adjtimex",
    "bpf",
    "chroot",
    "clock_adjtime",
    "clock_adjtime64",
    "clock_settime",
    "clock_settime64",
    "create_module",
    "delete_module",
    "fanotify_init",
    "finit_module",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "get_kernel_syms",
    "init_module",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "ioperm",
    "iopl",
    "kcmp",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "migrate_pages",
    "modify_ldt",
    "mount",
    "mount_setattr",
    "move_mount",
    "move_pages",
    "name_to_handle_at",
    "nfsservctl",
    "open_by_handle_at",
    "open_tree",
    "perf_event_open",
    "pidfd_getfd",
    "pivot_root",
    "process_madvise",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "query_module",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "request_key",
    "setdomainname",
    "sethostname",
    "setns",
    "settimeofday",
    "stime",
    "swapoff",
    "swapon",
    "sysfs",
    "syslog",
    "umount",
    "umount2",
    "unshare",
    "uselib",
    "userfaultfd",
    "vhangup",
    "vm86",
    "vm86old",
];

/// Local sockets, both internet protocols and the kernel's own messages.
const FAMILIES: [u64; 4] = [1, 2, 10, 16];
/// The families that a kernel can know.
const EVERY: u64 = 64;

/// The flags of `clone` that make namespaces: time, mounts, control groups, names, IPC, users, processes, network.
const NAMESPACES: [u64; 8] = [
    0x80,
    0x0002_0000,
    0x0200_0000,
    0x0400_0000,
    0x0800_0000,
    0x1000_0000,
    0x2000_0000,
    0x4000_0000,
];

const EPERM: u32 = 1;
const ENOSYS: u32 = 38;

/// The security option that puts our own filter in the place of an old daemon's.
pub fn stricter(facts: &DaemonFacts) -> Option<String> {
    let release = facts.version.split('.').next()?.parse().unwrap_or(0);
    let old = facts.seccomp && facts.engine == Engine::Docker && release < ENOUGH;
    old.then(|| format!("seccomp={}", profile()))
}

fn profile() -> Value {
    let refused = |names: &[&str], args: Value, code: u32| json!({ "names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": code, "args": args });
    let mut rules = vec![
        refused(FORBIDDEN, json!([]), EPERM),
        // Its flags lie in memory that a filter cannot read; libraries fall back to `clone`.
        refused(&["clone3"], json!([]), ENOSYS),
    ];
    for flag in NAMESPACES {
        let made = json!([{ "index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ" }]);
        rules.push(refused(&["clone"], made, EPERM));
    }
    for family in (0..EVERY).filter(|family| !FAMILIES.contains(family)) {
        let made = json!([{ "index": 0, "value": family, "op": "SCMP_CMP_EQ" }]);
        rules.push(refused(&["socket", "socketpair"], made, EPERM));
    }
    let beyond = json!([{ "index": 0, "value": EVERY, "op": "SCMP_CMP_GE" }]);
    rules.push(refused(&["socket", "socketpair"], beyond, EPERM));
    json!({ "defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules })
}

#[cfg(test)]
mod tests {
    use bollard::models::{SystemInfo, SystemVersion};

    use super::*;

    fn facts(version: &str) -> DaemonFacts {
        let version = SystemVersion {
            version: Some(version.to_owned()),
            ..SystemVersion::default()
        };
        let info = SystemInfo {
            security_options: Some(vec!["name=seccomp,profile=default".to_owned()]),
            ..SystemInfo::default()
        };
        DaemonFacts::new("unix:///x", version, info)
    }

    #[test]
    fn only_an_old_daemon_needs_it() {
        let option = stricter(&facts("20.10.24+dfsg1")).unwrap();
        let profile: Value = serde_json::from_str(option.strip_prefix("seccomp=").unwrap()).unwrap();
        assert_eq!(profile["defaultAction"], "SCMP_ACT_ALLOW");
        assert!(option.contains("io_uring_setup"));
        assert_eq!(stricter(&facts("25.0.1")), None);
        assert_eq!(stricter(&facts("29.1.3")), None);
    }
}
