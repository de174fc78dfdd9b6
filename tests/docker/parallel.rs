//! Many executions at once.

use std::collections::BTreeSet;

use reprise::domain::execution::Ending;
use reprise::sandbox::contract::Sandbox as _;
use tokio_util::sync::CancellationToken;

use crate::support::{Case, DEBIAN, daemon, left, sandbox};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_at_once_end_clean() {
    let Some(sandbox) = sandbox().await else { return };
    let cases: Vec<Case> = (0..20).map(|_| Case::new(DEBIAN)).collect();
    let runs = cases.iter().enumerate().map(|(number, case)| {
        let sandbox = sandbox.clone();
        let execution = case.execution(&[
            "sh",
            "-c",
            &format!("cat ../replication_data/a.csv > /dev/null; echo {number}; echo {number} > mine; id -u; exit {number}"),
        ]);
        async move { sandbox.execute(&execution, &CancellationToken::new()).await.unwrap() }
    });
    let ended = futures::future::join_all(runs).await;
    let mut users = BTreeSet::new();
    for (number, (case, ended)) in cases.iter().zip(&ended).enumerate() {
        assert_eq!(
            ended.ending,
            Ending::Exited(i32::try_from(number).unwrap()),
            "{ended:?}"
        );
        let said = case.said();
        let (first, user) = said.trim().split_once('\n').unwrap();
        assert_eq!(first, number.to_string());
        users.insert(user.to_owned());
        let opened: Vec<&str> = ended.opened.files.iter().map(|file| file.as_str()).collect();
        assert_eq!(opened, ["replication_data/a.csv", "work/mine"]);
        assert!(left(case).await.is_empty());
    }
    if nix::unistd::geteuid().is_root() && !sandbox_is_rootless().await {
        assert_eq!(users.len(), 20, "two runs shared a user: {users:?}");
    }
    let daemon = daemon().await;
    for case in &cases {
        let filters = || Some(reprise::sandbox::docker::labels::filter(Some(&case.run)));
        let volumes = bollard::query_parameters::ListVolumesOptions { filters: filters() };
        assert!(
            daemon
                .client
                .list_volumes(Some(volumes))
                .await
                .unwrap()
                .volumes
                .unwrap_or_default()
                .is_empty()
        );
        let networks = bollard::query_parameters::ListNetworksOptions { filters: filters() };
        assert!(
            daemon
                .client
                .list_networks(Some(networks))
                .await
                .unwrap()
                .is_empty()
        );
    }
}

async fn sandbox_is_rootless() -> bool {
    daemon().await.describe().rootless
}

#[tokio::test]
async fn executions_of_one_run_at_once_end_clean() {
    let Some(sandbox) = sandbox().await else { return };
    let case = Case::new(DEBIAN);
    let runs = (0..3).map(|number| {
        let mut execution = case.execution(&["sh", "-c", "echo done"]);
        execution.stdout = case.workspace.join(format!("streams/{number}"));
        let sandbox = sandbox.clone();
        async move {
            let ended = sandbox
                .execute(&execution, &CancellationToken::new())
                .await
                .unwrap();
            (ended.ending, std::fs::read(&execution.stdout).unwrap())
        }
    });
    for (ending, said) in futures::future::join_all(runs).await {
        assert_eq!(
            (ending, said.as_slice()),
            (Ending::Exited(0), b"done\n".as_slice())
        );
    }
    assert!(left(&case).await.is_empty());
}
