//! What the browser tells by itself, and what is done about it at once.

mod complaints;
mod downloads;

use super::cdp::{Cdp, Event, OnEvent, Told};
use super::notes::{Note, shortened};
use super::pages::{FileChooser, Heard, Pages, TabRecord};
use super::settings::DialogPolicy;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) use complaints::exception_text;
use complaints::{console, exception, log_entry};
use downloads::{DownloadBegins, download_begins, download_progress};

/// Which targets are attached to: pages, and frames in processes of their own.
pub(crate) fn attach_to() -> Value {
    json!({
        "autoAttach": true,
        "waitForDebuggerOnStart": true,
        "flatten": true,
        "filter": [{"type": "page"}, {"type": "iframe"}],
    })
}

/// Keeps `pages` true to what the browser tells.
pub(crate) fn follow(pages: Arc<Pages>) -> OnEvent {
    // One browser may have failed to start before this one.
    pages.with(|known| known.ended = false);
    Box::new(move |cdp, told| match told {
        Told::Event(event) => {
            if take(cdp, &pages, &event).is_none() {
                tracing::trace!(
                    method = event.method,
                    "an event of the browser was not needed"
                );
            }
            pass_on(&pages, &event);
        }
        Told::End => pages.change(|known| known.ended = true),
    })
}

fn take(cdp: &Cdp, pages: &Pages, event: &Event<'_>) -> Option<()> {
    match event.method {
        "Target.attachedToTarget" => attached(cdp, pages, event),
        "Target.detachedFromTarget" => detached(pages, event),
        "Page.frameNavigated" => navigated(pages, event),
        "Page.navigatedWithinDocument" => navigated_within(pages, event),
        "Page.lifecycleEvent" => lifecycle(pages, event),
        "Page.frameStartedLoading" | "Page.frameStoppedLoading" => loading(pages, event),
        "Page.frameRequestedNavigation" | "Page.frameScheduledNavigation" => {
            requested(pages, event)
        }
        "Page.downloadWillBegin" => request_is_download(pages, event),
        "Page.frameDetached" => frame_detached(pages, event),
        "Page.javascriptDialogOpening" => dialog(cdp, pages, event),
        "Page.fileChooserOpened" => file_chooser(pages, event),
        "Inspector.targetCrashed" => crashed(pages, event),
        "Runtime.executionContextCreated" => world_made(cdp, pages, event),
        "Runtime.executionContextDestroyed" => world_gone(pages, event),
        "Runtime.executionContextsCleared" => worlds_gone(pages, event),
        "Runtime.consoleAPICalled" => console(pages, event),
        "Runtime.exceptionThrown" => exception(pages, event),
        "Log.entryAdded" => log_entry(pages, event),
        "Browser.downloadWillBegin" => download_begins(pages, event),
        "Browser.downloadProgress" => download_progress(pages, event),
        _ => None,
    }
}

/// Tells those who asked for this event.
fn pass_on(pages: &Pages, event: &Event<'_>) {
    pages.with(|known| {
        if known
            .listeners
            .iter()
            .all(|listener| listener.method != event.method)
        {
            return;
        }
        let Some(params) = event.params::<Value>() else {
            return;
        };
        let heard = Heard {
            session: event.session.unwrap_or_default().to_owned(),
            params,
        };
        known.listeners.retain(|listener| {
            listener.method != event.method || listener.sender.send(heard.clone()).is_ok()
        });
    });
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: String,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    url: String,
    #[serde(default)]
    opener_id: Option<String>,
}

fn attached(cdp: &Cdp, pages: &Pages, event: &Event<'_>) -> Option<()> {
    let Attached {
        session_id: session,
        target_info: target,
    } = event.params()?;
    prepare(cdp, pages, &session, target.kind == "page");
    pages.change(|known| {
        if target.kind == "page" {
            known
                .owners
                .insert(session.clone(), target.target_id.clone());
            // A tab that a page opened is what the reader looks at next, as in a browser with a window.
            if known.active.is_none() || target.opener_id.is_some() {
                known.active = Some(target.target_id.clone());
            }
            if target.opener_id.is_some() {
                let url = target.url.clone();
                pages.notes.lock().add(Note::NewTab { url });
            }
            known.tabs.push(TabRecord {
                target: target.target_id,
                session,
                url: target.url,
                ..TabRecord::default()
            });
        } else if let Some(parent) = event.session {
            let Some(owner) = known.owners.get(parent).cloned() else {
                return;
            };
            known.owners.insert(session.clone(), owner.clone());
            if let Some(tab) = known.tab_mut(&owner) {
                tab.children.push((session, target.target_id));
            }
        }
    });
    Some(())
}

/// Tells a new target what we want of it, and lets it go on.
fn prepare(cdp: &Cdp, pages: &Pages, session: &str, is_page: bool) {
    let tell = |method: &str, params: Value| cdp.tell(Some(session), method, &params);
    tell("Page.enable", json!({}));
    tell("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
    tell("Runtime.enable", json!({}));
    tell("Log.enable", json!({}));
    tell("Target.setAutoAttach", attach_to());
    if is_page {
        let (width, height) = pages.viewport;
        tell(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
    }
    pages.with(|known| {
        for binding in &known.bindings {
            tell("Runtime.addBinding", binding.as_binding());
        }
        for script in &known.scripts {
            tell("Page.addScriptToEvaluateOnNewDocument", script.as_script());
        }
    });
    tell("Runtime.runIfWaitingForDebugger", json!({}));
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: String,
}

fn detached(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let Detached { session_id } = event.params()?;
    pages.change(|known| {
        let Some(target) = known.owners.remove(&session_id) else {
            return;
        };
        let Some(tab) = known.tab_mut(&target) else {
            return;
        };
        if tab.session == session_id {
            known.remove(&target);
        } else {
            tab.children.retain(|(child, _)| *child != session_id);
            tab.worlds.retain(|_, (session, _)| *session != session_id);
        }
    });
    Some(())
}

#[derive(Deserialize)]
struct Navigated {
    frame: NavigatedFrame,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigatedFrame {
    id: String,
    loader_id: String,
    url: String,
    #[serde(default)]
    url_fragment: String,
}

fn navigated(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let Navigated { frame } = event.params()?;
    pages.change(|known| {
        let tab = known.owner(event.session?)?;
        if tab.target == frame.id {
            tab.url = frame.url + &frame.url_fragment;
            tab.show(frame.loader_id);
            tab.requested = false;
            tab.came_to_nothing = false;
            tab.crashed = false;
            tab.navigations += 1;
            tab.file_chooser = None;
        }
        Some(())
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NavigatedWithin {
    frame_id: String,
    url: String,
}

fn navigated_within(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let NavigatedWithin { frame_id, url } = event.params()?;
    pages.change(|known| {
        let tab = known.owner(event.session?)?;
        if tab.target == frame_id {
            tab.url = url;
            tab.requested = false;
            tab.moves += 1;
        }
        Some(())
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    loader_id: String,
    name: String,
}

fn lifecycle(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let Lifecycle {
        frame_id,
        loader_id,
        name,
    } = event.params()?;
    if name != "load" {
        return Some(());
    }
    pages.change(|known| {
        let tab = known.owner(event.session?)?;
        if tab.target == frame_id {
            tab.note_loaded(loader_id);
        }
        Some(())
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfFrame {
    frame_id: String,
}

fn loading(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let OfFrame { frame_id } = event.params()?;
    pages.change(|known| {
        let tab = known.owner(event.session?)?;
        if event.method == "Page.frameStartedLoading" {
            tab.loading.insert(frame_id);
        } else {
            if frame_id == tab.target && tab.requested {
                // There is nothing to show (204), or it is a file, which is told later.
                tab.requested = false;
                tab.came_to_nothing = true;
            }
            tab.loading.remove(&frame_id);
        }
        Some(())
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Requested {
    frame_id: String,
    /// Only `currentTab` changes this page.
    #[serde(default)]
    disposition: Option<String>,
    /// Seconds until it happens.
    #[serde(default)]
    delay: Option<f64>,
}

fn requested(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let wanted: Requested = event.params()?;
    let elsewhere = wanted
        .disposition
        .is_some_and(|place| place != "currentTab");
    let later = wanted.delay.is_some_and(|delay| delay > 1.0);
    pages.change(|known| {
        let tab = known.owner(event.session?)?;
        if tab.target == wanted.frame_id && !elsewhere && !later {
            tab.requested = true;
            tab.requests += 1;
        }
        Some(())
    })
}

/// What the page asked for is a file: the page stays, and the file comes.
fn request_is_download(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let OfFrame { frame_id } = event.params()?;
    let begun: DownloadBegins = event.params()?;
    pages.change(|known| {
        let tab = known.owner(event.session?)?;
        if tab.target == frame_id {
            tab.requested = false;
            tab.came_to_nothing = false;
        }
        // The browser tells it, too, sooner or later.
        known.begin_download(begun.guid, begun.url, begun.suggested_filename);
        Some(())
    })
}

fn frame_detached(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let OfFrame { frame_id } = event.params()?;
    pages.change(|known| {
        known.owner(event.session?)?.loading.remove(&frame_id);
        Some(())
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dialog {
    message: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    default_prompt: Option<String>,
}

fn dialog(cdp: &Cdp, pages: &Pages, event: &Event<'_>) -> Option<()> {
    let Dialog {
        message,
        kind,
        default_prompt,
    } = event.params()?;
    // Whoever leaves a page has decided to.
    let accepted = pages.dialogs == DialogPolicy::Accept || kind == "beforeunload";
    cdp.tell(
        event.session,
        "Page.handleJavaScriptDialog",
        &json!({"accept": accepted, "promptText": default_prompt.unwrap_or_default()}),
    );
    let message = shortened(&message);
    pages.notes.lock().add(Note::Dialog {
        kind,
        message,
        accepted,
    });
    Some(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChooserOpened {
    mode: String,
    #[serde(default)]
    backend_node_id: Option<i64>,
}

fn file_chooser(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let opened: ChooserOpened = event.params()?;
    pages.change(|known| {
        let session = event.session?;
        known.owner(session)?.file_chooser = Some(FileChooser {
            session: session.to_owned(),
            backend_node_id: opened.backend_node_id,
            multiple: opened.mode == "selectMultiple",
        });
        Some(())
    })
}

fn crashed(pages: &Pages, event: &Event<'_>) -> Option<()> {
    pages.change(|known| {
        let session = event.session?;
        let tab = known.owner(session)?;
        if tab.session == session && !tab.crashed {
            tab.crashed = true;
            tab.worlds.clear();
            let url = tab.url.clone();
            pages
                .notes
                .lock()
                .add(Note::TabCrashed { url, reason: None });
        }
        Some(())
    })
}

#[derive(Deserialize)]
struct WorldMade {
    context: World,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    unique_id: String,
    #[serde(default)]
    aux_data: WorldOf,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct WorldOf {
    is_default: bool,
    frame_id: String,
}

fn world_made(cdp: &Cdp, pages: &Pages, event: &Event<'_>) -> Option<()> {
    let WorldMade { context } = event.params()?;
    if !context.aux_data.is_default {
        return Some(());
    }
    pages.change(|known| {
        let session = event.session?;
        let tab = known.owner(session)?;
        let world = (session.to_owned(), context.unique_id);
        if context.aux_data.frame_id == tab.target && !tab.is_ready {
            tab.is_ready = true;
            // A tab behind another one behaves as if it were looked at. Told any earlier, Chromium's process for the
            // page crashes now and then.
            cdp.tell(
                event.session,
                "Emulation.setFocusEmulationEnabled",
                &json!({"enabled": true}),
            );
        }
        tab.worlds.insert(context.aux_data.frame_id, world);
        Some(())
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorldGone {
    execution_context_unique_id: String,
}

fn world_gone(pages: &Pages, event: &Event<'_>) -> Option<()> {
    let WorldGone {
        execution_context_unique_id: gone,
    } = event.params()?;
    pages.with(|known| {
        let worlds = &mut known.owner(event.session?)?.worlds;
        worlds.retain(|_, (_, world)| *world != gone);
        Some(())
    })
}

fn worlds_gone(pages: &Pages, event: &Event<'_>) -> Option<()> {
    pages.with(|known| {
        let session = event.session?;
        let worlds = &mut known.owner(session)?.worlds;
        worlds.retain(|_, (of, _)| of != session);
        Some(())
    })
}
