//! An API server on loopback with the calls that are made of one: create and delete a job, list jobs and
//! pods. It does no admission, and nothing runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use k8s_openapi::api::batch::v1::Job;
use serde_json::{Value, json};

#[derive(Default)]
struct Stored {
    jobs: Vec<Value>,
    pods: BTreeMap<usize, Value>,
    deleted: Vec<String>,
    refusal: Option<String>,
}

type Shared = Arc<Mutex<Stored>>;

/// The server, which ends with the test.
pub struct ApiServer {
    address: String,
    stored: Shared,
    _runtime: tokio::runtime::Runtime,
}

impl ApiServer {
    pub fn start() -> Self {
        let stored = Shared::default();
        let jobs = "/apis/batch/v1/namespaces/{namespace}/jobs";
        let router = Router::new()
            .route(jobs, get(list_jobs).post(create_job))
            .route(&format!("{jobs}/{{name}}"), delete(delete_job))
            .route("/api/v1/namespaces/{namespace}/pods", get(list_pods))
            .with_state(stored.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            stored,
            _runtime: runtime,
        }
    }

    pub fn kubeconfig(&self) -> String {
        json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "contexts": [{ "name": "test", "context": { "cluster": "test", "user": "test", "namespace": "lab" } }],
            "clusters": [{ "name": "test", "cluster": { "server": self.address } }],
            "users": [{ "name": "test", "user": {} }],
        })
        .to_string()
    }

    pub fn jobs(&self) -> Vec<Value> {
        self.stored.lock().unwrap().jobs.clone()
    }

    pub fn deleted(&self) -> Vec<String> {
        self.stored.lock().unwrap().deleted.clone()
    }

    pub fn refuse(&self, why: &str) {
        self.stored.lock().unwrap().refusal = Some(why.to_owned());
    }

    /// The pod of an index of the only job.
    pub fn pod(&self, index: usize, phase: &str, waits: Option<&str>) {
        let mut stored = self.stored.lock().unwrap();
        let job = &stored.jobs[0]["metadata"];
        let states = waits.map(|reason| {
            json!([{ "name": "cell", "image": "", "imageID": "", "ready": false, "restartCount": 0,
                "state": { "waiting": { "reason": reason } } }])
        });
        let mut labels = job["labels"].clone();
        labels["batch.kubernetes.io/job-name"] = job["name"].clone();
        let pod = json!({
            "metadata": {
                "name": format!("pod-{index}"),
                "labels": labels,
                "annotations": { "batch.kubernetes.io/job-completion-index": index.to_string() },
            },
            "status": { "phase": phase, "containerStatuses": states },
        });
        stored.pods.insert(index, pod);
    }

    /// Indices of the only job that have ended well.
    pub fn complete(&self, indices: &str) {
        let mut stored = self.stored.lock().unwrap();
        stored.jobs[0]["status"] = json!({ "completedIndexes": indices });
        stored.pods.clear();
    }
}

fn refused(code: StatusCode, why: &str) -> (StatusCode, Json<Value>) {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": why, "reason": "Forbidden", "code": code.as_u16() });
    (code, Json(status))
}

async fn create_job(
    State(stored): State<Shared>,
    Path(namespace): Path<String>,
    Json(manifest): Json<Value>,
) -> (StatusCode, Json<Value>) {
    let mut stored = stored.lock().unwrap();
    if let Some(why) = &stored.refusal {
        return refused(StatusCode::FORBIDDEN, why);
    }
    // What the API's types do not know would be lost on the way.
    let typed: Job = serde_json::from_value(manifest.clone()).unwrap();
    let same = serde_json::to_value(&typed).unwrap();
    if namespace != "lab" || same["spec"]["template"] != manifest["spec"]["template"] {
        return refused(
            StatusCode::BAD_REQUEST,
            &format!("{namespace}: {same} is not {manifest}"),
        );
    }
    stored.jobs.push(manifest.clone());
    (StatusCode::CREATED, Json(manifest))
}

/// Those with the label of a selector such as `a=b`.
fn selected<'a>(all: impl Iterator<Item = &'a Value>, query: &BTreeMap<String, String>) -> Vec<Value> {
    let (label, value) = query["labelSelector"].split_once('=').unwrap();
    let is_own = |one: &&Value| one["metadata"]["labels"][label] == value;
    all.filter(is_own).cloned().collect()
}

async fn list_jobs(
    State(stored): State<Shared>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Json<Value> {
    let items = selected(stored.lock().unwrap().jobs.iter(), &query);
    Json(json!({ "apiVersion": "batch/v1", "kind": "JobList", "metadata": {}, "items": items }))
}

async fn list_pods(
    State(stored): State<Shared>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Json<Value> {
    let items = selected(stored.lock().unwrap().pods.values(), &query);
    Json(json!({ "apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": items }))
}

async fn delete_job(
    State(stored): State<Shared>,
    Path((_, name)): Path<(String, String)>,
) -> (StatusCode, Json<Value>) {
    let mut stored = stored.lock().unwrap();
    let before = stored.jobs.len();
    stored.jobs.retain(|job| job["metadata"]["name"] != name.as_str());
    if stored.jobs.len() == before {
        return refused(StatusCode::NOT_FOUND, "no such job");
    }
    stored.pods.clear();
    stored.deleted.push(name);
    let status = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success" });
    (StatusCode::OK, Json(status))
}
