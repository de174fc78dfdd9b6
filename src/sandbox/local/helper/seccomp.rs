//! The system calls that confined code may not make.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::fault::StepFailure;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that no analysis needs and that have led out of sandboxes.
const FORBIDDEN: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// Calls on paths that Landlock does not govern, answered as done and not done:
/// copying a file must not fail because its mode could not follow.
const PRETENDED: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
];

/// The number of `fchmodat2`, the same on every architecture.
const FCHMODAT2: i64 = 452;
/// `setxattrat` and `removexattrat`.
const XATTR_AT: [i64; 2] = [463, 466];

/// `TIOCSTI` and `TIOCLINUX`, whose type in C differs by library.
const INJECTING: [u64; 2] = [0x5412, 0x541c];

/// The bit that marks a call of the x32 interface, which would slip past rules
/// for the plain numbers, and the calls that only that interface has.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
#[cfg(target_arch = "x86_64")]
const X32_ONLY: std::ops::RangeInclusive<i64> = 512..=547;

/// Installs the filters on this process and its children.
pub fn install(network: bool, landlock: bool) -> Result<(), StepFailure> {
    let mut refused = refused(network, landlock)?;
    if landlock {
        ungoverned(&mut refused, network)?;
        apply(always(PRETENDED.iter().chain(&[FCHMODAT2])), 0)?;
    }
    // Its flags lie in memory that a filter cannot read; libraries fall back to `clone`
    // and `openat` when told that the calls do not exist.
    let mut missing = vec![libc::SYS_clone3];
    if landlock {
        missing.push(libc::SYS_openat2);
    }
    apply(always(missing.iter()), libc::ENOSYS)?;
    apply(refused, libc::EPERM)
}

fn refused(network: bool, landlock: bool) -> Result<Rules, StepFailure> {
    let mut rules = always(FORBIDDEN.iter());
    // With the network come the host's own services, which listen on local sockets.
    let families: &[i32] = if network {
        &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
    } else {
        &[libc::AF_UNIX]
    };
    let mut sockets = vec![outside(families)?];
    // A raw socket reads and forges the packets of others.
    sockets.push(rule(vec![
        condition(1, SeccompCmpOp::MaskedEq(0xf), libc::SOCK_RAW as u64)?,
        condition(0, SeccompCmpOp::Ne, libc::AF_NETLINK as u64)?,
    ])?);
    add(&mut rules, libc::SYS_socket, sockets);
    let mut pairs = vec![outside(&[libc::AF_UNIX])?];
    if network || landlock {
        // A datagram socket can be pointed at a host service after it was made.
        pairs.push(rule(vec![condition(
            1,
            SeccompCmpOp::MaskedEq(0xf),
            libc::SOCK_DGRAM as u64,
        )?])?);
    }
    add(&mut rules, libc::SYS_socketpair, pairs);
    let mut clones = Vec::new();
    for flag in [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ] {
        let flag = flag as u32 as u64;
        clones.push(rule(vec![condition(0, SeccompCmpOp::MaskedEq(flag), flag)?])?);
    }
    add(&mut rules, libc::SYS_clone, clones);
    // Pushing characters into a terminal's input would type commands outside.
    let inject = INJECTING
        .iter()
        .map(|request| rule(vec![condition(1, SeccompCmpOp::Eq, *request)?]))
        .collect::<Result<Vec<_>, _>>()?;
    add(&mut rules, libc::SYS_ioctl, inject);
    Ok(rules)
}

/// What Landlock leaves open: sockets of host services, attributes, and, on
/// kernels before 6.2, emptying a file.
fn ungoverned(rules: &mut Rules, network: bool) -> Result<(), StepFailure> {
    let mut calls = vec![
        libc::SYS_truncate,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fremovexattr,
        libc::SYS_shmget,
        libc::SYS_shmat,
        libc::SYS_msgget,
        libc::SYS_semget,
        libc::SYS_mq_open,
    ];
    calls.extend(XATTR_AT);
    if !network {
        calls.extend([
            libc::SYS_socket,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
        ]);
    }
    for (call, every) in always(calls.iter()) {
        rules.insert(call, every);
    }
    // Limits of its own a process may read and lower; those of others it may not.
    add(
        rules,
        libc::SYS_prlimit64,
        vec![rule(vec![condition(0, SeccompCmpOp::Ne, 0)?])?],
    );
    let mask = (libc::O_TRUNC | libc::O_ACCMODE) as u64;
    let emptying = |index| {
        rule(vec![condition(
            index,
            SeccompCmpOp::MaskedEq(mask),
            libc::O_TRUNC as u64,
        )?])
    };
    #[cfg(target_arch = "x86_64")]
    add(rules, libc::SYS_open, vec![emptying(1)?]);
    add(rules, libc::SYS_openat, vec![emptying(2)?]);
    Ok(())
}

/// Matches sockets of any other family.
fn outside(families: &[i32]) -> Result<SeccompRule, StepFailure> {
    let others = families
        .iter()
        .map(|family| condition(0, SeccompCmpOp::Ne, family.unsigned_abs().into()))
        .collect::<Result<Vec<_>, _>>()?;
    rule(others)
}

fn always<'a>(calls: impl Iterator<Item = &'a i64>) -> Rules {
    let mut rules = Rules::new();
    for call in calls {
        add(&mut rules, *call, Vec::new());
    }
    #[cfg(target_arch = "x86_64")]
    for call in X32_ONLY {
        rules.insert(call | X32, Vec::new());
    }
    rules
}

/// Adds a call in every interface that this machine has.
fn add(rules: &mut Rules, call: i64, conditions: Vec<SeccompRule>) {
    #[cfg(target_arch = "x86_64")]
    rules.insert(call | X32, conditions.clone());
    rules.insert(call, conditions);
}

fn condition(index: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, StepFailure> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)
        .map_err(|error| StepFailure::new("write a call filter", error))
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, StepFailure> {
    SeccompRule::new(conditions).map_err(|error| StepFailure::new("write a call filter", error))
}

fn apply(rules: Rules, errno: i32) -> Result<(), StepFailure> {
    let fault = |error: &dyn std::fmt::Display| StepFailure::new("install a call filter", error);
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| fault(&error))?;
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        architecture,
    )
    .map_err(|error| fault(&error))?;
    let program: BpfProgram = filter
        .try_into()
        .map_err(|error: seccompiler::BackendError| fault(&error))?;
    seccompiler::apply_filter(&program).map_err(|error| fault(&error))
}
