//! The volume by which a daemon mounts an overlay of the kernel's into a container.

use std::path::Path;

use bollard::models::{Mount, MountType, MountVolumeOptions, MountVolumeOptionsDriverConfig};

use crate::domain::ids::RunId;
use crate::sandbox::docker::labels;

/// An overlay with these options at a place inside. The daemon makes the volume with the container, and
/// mounts it while that runs; nothing of the image is copied there.
pub fn mount(name: String, options: &str, inside: &Path, run: &RunId) -> Mount {
    let options = [("type", "overlay"), ("device", "overlay"), ("o", options)];
    Mount {
        target: Some(inside.display().to_string()),
        source: Some(name),
        typ: Some(MountType::VOLUME),
        read_only: Some(false),
        volume_options: Some(MountVolumeOptions {
            no_copy: Some(true),
            labels: Some(labels::for_run(run)),
            driver_config: Some(MountVolumeOptionsDriverConfig {
                name: Some("local".to_owned()),
                options: Some(
                    options
                        .map(|(name, value)| (name.to_owned(), value.to_owned()))
                        .into(),
                ),
            }),
            ..MountVolumeOptions::default()
        }),
        ..Mount::default()
    }
}
