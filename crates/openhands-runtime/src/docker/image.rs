//! The image: there already, built or pulled.

use std::collections::HashMap;
use std::path::Path;

use bollard::Docker as Engine;
use bollard::query_parameters::CreateImageOptionsBuilder;
use futures_util::StreamExt as _;

use super::Docker;
use super::build::build;
use super::error::{DockerError, is_status, told};
use super::progress::{Progress, Step};

impl Docker {
    /// Makes sure that an image is on the engine's machine.
    pub(super) async fn ensure_image(
        &self,
        image: &str,
        progress: &Progress,
    ) -> Result<(), DockerError> {
        let engine = self.engine();
        if is_there(engine, image).await? {
            return Ok(());
        }
        match self.context_of(image) {
            None => pull(engine, image, progress).await,
            Some(context) => {
                // Who comes second finds what the first has built.
                let _turn = self.building().lock().await;
                if is_there(engine, image).await? {
                    return Ok(());
                }
                build(engine, image, context, progress).await
            }
        }
    }

    /// The directory that an image is built from, if it is.
    fn context_of(&self, image: &str) -> Option<&Path> {
        let settings = self.settings();
        let is_ours = settings.image == image;
        settings.build.as_deref().filter(|_| is_ours)
    }
}

async fn is_there(engine: &Engine, image: &str) -> Result<bool, DockerError> {
    match engine.inspect_image(image).await {
        Ok(_) => Ok(true),
        Err(error) if is_status(&error, &[404]) => Ok(false),
        Err(source) => Err(DockerError::Engine {
            action: "looking for the image",
            source,
        }),
    }
}

async fn pull(engine: &Engine, image: &str, progress: &Progress) -> Result<(), DockerError> {
    let missing = |reason: String| DockerError::ImageMissing {
        image: image.to_owned(),
        reason,
    };
    let (name, tag) = name_and_tag(image);
    let options = CreateImageOptionsBuilder::new().from_image(name).tag(tag);
    let mut pulling = Box::pin(engine.create_image(Some(options.build()), None, None));
    // Bytes done and in all, by layer.
    let mut layers: HashMap<String, (u64, u64)> = HashMap::new();
    while let Some(told_by_engine) = pulling.next().await {
        let info = told_by_engine.map_err(|error| missing(told(&error)))?;
        if let Some(error) = info.error_detail.and_then(|detail| detail.message) {
            return Err(missing(error));
        }
        let layer = info.id.unwrap_or_default();
        let status = info.status.unwrap_or_default();
        if let Some(detail) = info.progress_detail
            && status == "Downloading"
        {
            let bytes = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
            let total = bytes(detail.total).unwrap_or_default();
            let done = bytes(detail.current).unwrap_or_default();
            layers.insert(layer.clone(), (done, total.max(done)));
        } else if let Some((done, total)) = layers.get_mut(&layer) {
            *done = *total;
        }
        progress.tell(Step::Pulling {
            image: image.to_owned(),
            done: layers.values().map(|(done, _)| done).sum(),
            total: layers.values().map(|(_, total)| total).sum(),
            status: if layer.is_empty() {
                status
            } else {
                format!("{layer}: {status}")
            },
        });
    }
    Ok(())
}

/// An image without a tag means `latest`; the engine would pull all of them. A digest is passed as it is.
fn name_and_tag(image: &str) -> (&str, &str) {
    if let Some((name, digest)) = image.split_once('@') {
        return (name, digest);
    }
    match image.rsplit_once(':') {
        // A colon before a slash belongs to the port of a registry.
        Some((name, tag)) if !tag.contains('/') => (name, tag),
        _ => (image, "latest"),
    }
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
