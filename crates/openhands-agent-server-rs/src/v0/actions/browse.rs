//! `browse` and `browse_interactive`: steps in a browser, and what it shows then.

use std::path::Path;

use jiff::Zoned;
use openhands_protocol::JsonObject;
use openhands_protocol::v0::{
    BrowseAction, BrowseExtras, BrowseInteractiveAction, BrowseObservation, DownloadExtras,
    DownloadObservation, V0Observation,
};
use openhands_sdk_rs::tools::browser::BrowserError;
use openhands_sdk_rs::tools::browser::gym::GymObservation;
use openhands_sdk_rs::tools::python_repr;
use serde::Serialize;
use serde_json::Value;

use super::browse_text::{self, Shown, Trigger};
use crate::v0::browser::{STEP_TIME, SandboxBrowser, Step};
use crate::v0::execute_action::error;
use crate::v0::sandbox::Sandbox;

/// Where pictures of pages are kept, below the working directory.
const SCREENSHOTS: &str = ".browser_screenshots";
/// What evaluations ask instead of doing something.
const EVALUATION: &[&str] = &["GET_EVAL_GOAL", "GET_EVAL_REWARDS"];

/// Opens an address.
pub(in crate::v0) async fn browse(sandbox: &Sandbox, action: BrowseAction) -> V0Observation {
    let mut url = action.args.url;
    if !url.starts_with("http") {
        // compat: it is taken for a file of the server's, which no browser opens like this.
        url = format!("{}{url}", sandbox.settings.working_dir.display());
    }
    let is_plain = !url.contains(['"', '\\', '\n', '\r', '\t']);
    let code = if is_plain {
        format!("goto(\"{url}\")")
    } else {
        format!("goto({})", python_repr::value(&Value::from(url.as_str())))
    };
    let asked = Asked {
        trigger: Trigger::Browse,
        code,
        url,
        with_tree: action.args.return_axtree,
    };
    asked.perform(sandbox).await
}

/// Does actions of BrowserGym's language.
pub(in crate::v0) async fn browse_interactive(
    sandbox: &Sandbox,
    action: BrowseInteractiveAction,
) -> V0Observation {
    let asked = Asked {
        trigger: Trigger::BrowseInteractive,
        code: action.args.browser_actions,
        url: String::new(),
        with_tree: action.args.return_axtree,
    };
    asked.perform(sandbox).await
}

/// What the browser is asked to do.
struct Asked {
    trigger: Trigger,
    code: String,
    /// The address that was asked for, if one was.
    url: String,
    /// Whether the accessibility tree is wanted.
    with_tree: bool,
}

impl Asked {
    async fn perform(self, sandbox: &Sandbox) -> V0Observation {
        let Some(browser) = &sandbox.browser else {
            return error("Browser functionality is not supported or disabled.");
        };
        if EVALUATION.contains(&self.code.as_str()) {
            return error(format!(
                "{}: evaluation environments of BrowserGym are not offered.",
                self.code
            ));
        }
        let step = tokio::select! {
            biased;
            () = sandbox.stop.cancelled() => return self.failed("The server stops."),
            step = Box::pin(self.step(browser)) => step,
        };
        match step {
            Ok(step) => self.done(sandbox, step).await,
            Err(error) => self.failed(&error),
        }
    }

    /// Does it, or says why it was not done; a page that hangs is left then.
    async fn step(&self, browser: &SandboxBrowser) -> Result<Step, String> {
        let error = match tokio::time::timeout(STEP_TIME, browser.step(&self.code)).await {
            Ok(Ok(step)) => return Ok(step),
            Ok(Err(error @ BrowserError::Timeout { .. })) => format!("{error}."),
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => "Browser environment took too long to respond.".to_owned(),
        };
        Err(error + browser.leave_hung_page().await)
    }

    async fn done(self, sandbox: &Sandbox, step: Step) -> V0Observation {
        if let (Trigger::BrowseInteractive, Some(file), false) =
            (self.trigger, step.files.first(), step.error.is_empty())
        {
            return self.download(file, &step);
        }
        let Step {
            error,
            observed,
            files,
            notes,
        } = step;
        let directory = &sandbox.settings.working_dir;
        let screenshot_path = match save(directory, &observed.screenshot).await {
            Ok(path) => Some(path),
            Err(error) => {
                tracing::warn!(%error, "the picture of a page was not saved");
                None
            }
        };
        let saved = files
            .iter()
            .map(|file| format!("Downloaded the file at location: {}", file.display()));
        let shown = Shown {
            url: &observed.url,
            focused: observed.focused_element_bid.as_deref().unwrap_or("None"),
            screenshot: screenshot_path.as_deref(),
            notes: saved.chain(notes).collect(),
            error: &error,
        };
        let content = match self.trigger {
            Trigger::Browse => browse_text::page(&shown, &observed.text_content),
            Trigger::BrowseInteractive => {
                browse_text::tree(&shown, Some(&observed.axtree_text(false)))
            }
        };
        let (tree, properties) = if self.with_tree {
            let properties = object(&observed.extra_element_properties);
            (object(&observed.axtree_object), properties)
        } else {
            (JsonObject::new(), JsonObject::new())
        };
        observation(
            content,
            BrowseExtras {
                trigger_by_action: self.trigger.name().to_owned(),
                screenshot: GymObservation::data_url(&observed.screenshot),
                screenshot_path,
                set_of_marks: GymObservation::data_url(&observed.set_of_marks),
                error: !error.is_empty(),
                active_page_index: i64::try_from(observed.active_page_index).unwrap_or(-1),
                axtree_object: tree,
                extra_element_properties: properties,
                last_browser_action: self.code,
                last_browser_action_error: error,
                focused_element_bid: observed.focused_element_bid.unwrap_or_default(),
                url: observed.url,
                open_pages_urls: observed.open_pages_urls,
                ..BrowseExtras::default()
            },
        )
    }

    /// compat: an action that fails and gives a file is told of by the file alone.
    fn download(&self, file: &Path, step: &Step) -> V0Observation {
        let places: Vec<String> = step
            .files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        let file_path = file.display().to_string();
        V0Observation::Download(DownloadObservation {
            message: format!("Downloaded the file at location: {file_path}"),
            content: format!(
                "Execution of the previous action {} resulted in a file download. The downloaded file is saved at location: {}",
                self.code,
                places.join(", ")
            ),
            extras: DownloadExtras {
                file_path,
                ..DownloadExtras::default()
            },
            ..DownloadObservation::default()
        })
    }

    /// There is nothing to show.
    fn failed(self, error: &str) -> V0Observation {
        let shown = Shown {
            url: &self.url,
            focused: "",
            screenshot: None,
            notes: Vec::new(),
            error,
        };
        let content = match self.trigger {
            Trigger::Browse => browse_text::page(&shown, error),
            Trigger::BrowseInteractive => browse_text::tree(&shown, None),
        };
        observation(
            content,
            BrowseExtras {
                url: self.url,
                trigger_by_action: self.trigger.name().to_owned(),
                error: true,
                last_browser_action_error: error.to_owned(),
                ..BrowseExtras::default()
            },
        )
    }
}

fn observation(content: String, extras: BrowseExtras) -> V0Observation {
    V0Observation::Browse(BrowseObservation {
        message: format!("Visited {}", extras.url),
        content,
        extras,
        ..BrowseObservation::default()
    })
}

fn object(value: &impl Serialize) -> JsonObject {
    match serde_json::to_value(value) {
        Ok(Value::Object(members)) => JsonObject(members),
        Ok(_) | Err(_) => JsonObject::new(),
    }
}

/// Keeps a picture as a file that the agent can open.
async fn save(directory: &Path, picture: &[u8]) -> std::io::Result<String> {
    let folder = directory.join(SCREENSHOTS);
    tokio::fs::create_dir_all(&folder).await?;
    let name = Zoned::now().strftime("screenshot_%Y%m%d_%H%M%S_%6f.png");
    let path = folder.join(name.to_string());
    tokio::fs::write(&path, picture).await?;
    Ok(path.display().to_string())
}
