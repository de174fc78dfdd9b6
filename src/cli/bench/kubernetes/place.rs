//! The place of a bench's jobs in a cluster.

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::cli::exit::Failure;

/// The longest value that is passed on.
const LONGEST: usize = 253;

/// The image and the volume that cells run with, and where in the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct KubernetesArgs {
    /// An image with this program and what cells need, of the same version
    #[arg(long, value_name = "IMAGE", value_parser = image, help_heading = "Kubernetes")]
    pub image: Option<String>,
    /// The persistent volume claim with the bench, the tasks and the cache, that all nodes can mount and write
    #[arg(long, value_name = "NAME", value_parser = name, help_heading = "Kubernetes")]
    pub volume_claim: Option<String>,
    /// The folder where it is mounted, here as in the pods
    #[arg(long, value_name = "DIR", value_parser = folder, help_heading = "Kubernetes")]
    pub mount: Option<String>,
    /// The namespace [default: that of the context]
    #[arg(long, value_name = "NAME", value_parser = name, help_heading = "Kubernetes")]
    pub namespace: Option<String>,
    /// The context of the kubeconfig [default: its current one, or the cluster that this runs in]
    #[arg(long, value_name = "NAME", help_heading = "Kubernetes")]
    pub context: Option<String>,
    /// A secret whose entries the pods get as variables, such as keys of providers
    #[arg(long, value_name = "NAME", value_parser = name, help_heading = "Kubernetes")]
    pub secret: Option<String>,
}

/// The place of an array's job, as its submission keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KubernetesPlace {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// The image, the volume and the secret of pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodTerms {
    pub image: String,
    pub volume_claim: String,
    pub mount: String,
    pub secret: Option<String>,
    pub place: KubernetesPlace,
}

impl KubernetesArgs {
    /// The terms, where all that is needed was given, and every path lies in what is mounted.
    ///
    /// # Errors
    /// What is missing, or a path that pods would not see.
    pub fn terms(&self, paths: &[&str]) -> Result<PodTerms, Failure> {
        let lacks = |option: &str| Failure::usage(format!("--engine kubernetes needs {option}"));
        let mount = self.mount.clone().ok_or_else(|| lacks("--mount DIR"))?;
        for path in paths {
            if !std::path::Path::new(path).starts_with(&mount) {
                return Err(Failure::usage(format!(
                    "{path} is not below --mount {mount}, and pods see nothing else of this machine"
                )));
            }
        }
        Ok(PodTerms {
            image: self.image.clone().ok_or_else(|| lacks("--image IMAGE"))?,
            volume_claim: self
                .volume_claim
                .clone()
                .ok_or_else(|| lacks("--volume-claim NAME"))?,
            mount,
            secret: self.secret.clone(),
            place: KubernetesPlace {
                namespace: self.namespace.clone(),
                context: self.context.clone(),
            },
        })
    }
}

/// A name as Kubernetes takes it.
fn name(text: &str) -> Result<String, String> {
    let is_end = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
    let is_name = !text.is_empty()
        && text.len() <= LONGEST
        && text.starts_with(is_end)
        && text.ends_with(is_end)
        && text.chars().all(|one| is_end(one) || one == '-' || one == '.');
    match is_name {
        true => Ok(text.to_owned()),
        false => Err("give small letters, digits and - between them".to_owned()),
    }
}

fn image(text: &str) -> Result<String, String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-/:@".contains(one);
    match !text.is_empty() && text.len() <= 512 && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("give an image such as registry.example/reprise:0.1.0".to_owned()),
    }
}

fn folder(text: &str) -> Result<String, String> {
    match text.starts_with('/') && text.len() > 1 && !text.split('/').any(|part| part == "..") {
        true => Ok(text.trim_end_matches('/').to_owned()),
        false => Err("give an absolute folder such as /bench".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> KubernetesArgs {
        KubernetesArgs {
            image: Some("registry.example/reprise:1".to_owned()),
            volume_claim: Some("bench".to_owned()),
            mount: Some("/bench".to_owned()),
            ..KubernetesArgs::default()
        }
    }

    #[test]
    fn what_pods_cannot_see_is_refused() {
        assert!(args().terms(&["/bench/bench.toml", "/bench/out"]).is_ok());
        let error = args().terms(&["/bench/bench.toml", "/benches/out"]).unwrap_err();
        assert!(
            error.message.contains("/benches/out is not below --mount /bench"),
            "{}",
            error.message
        );
        let none = KubernetesArgs {
            image: None,
            ..args()
        };
        assert!(none.terms(&[]).unwrap_err().message.contains("needs --image"));
    }

    #[test]
    fn names_are_those_that_a_cluster_takes() {
        for text in ["", "A", "-a", "a-", "a b", "a/b", "a\nb"] {
            assert!(name(text).is_err(), "{text}");
        }
        assert!(name("bench-1.data").is_ok() && image("a/b:1@sha256:0").is_ok() && image("a b").is_err());
        assert!(folder("bench").is_err() && folder("/a/../b").is_err());
        assert_eq!(folder("/bench/").as_deref(), Ok("/bench"));
    }
}
