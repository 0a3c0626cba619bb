//! A browser as its users see it: started by the first call, back after a crash, with tabs of which one is active.

use super::cdp::Cdp;
use super::chromium::Chromium;
use super::error::BrowserError;
use super::events::{attach_to, follow};
use super::hidden::HiddenTab;
use super::memory;
use super::notes::Note;
use super::pages::{Added, Heard, Listener, Pages};
use super::settings::BrowserSettings;
use super::tab::Tab;
use super::underway::Underway;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

/// How long a tab that was asked for may take to appear, or to disappear.
const APPEAR: Duration = Duration::from_secs(10);

/// A browser and its pages. Calls may come from many tasks; dropping it ends the browser.
#[derive(Debug)]
pub struct Browser {
    settings: Arc<BrowserSettings>,
    /// Whoever starts or ends the browser holds this.
    running: tokio::sync::Mutex<Option<Running>>,
    /// Those who run in every document, for a browser that comes back.
    lasting: parking_lot::Mutex<Lasting>,
}

#[derive(Debug, Default)]
struct Lasting {
    scripts: Vec<Added>,
    bindings: Vec<Added>,
    notes: Vec<Note>,
    pages: Option<Arc<Pages>>,
}

#[derive(Debug)]
struct Running {
    chromium: Arc<Chromium>,
    pages: Arc<Pages>,
    _memory: Option<AbortOnDropHandle<()>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

impl Browser {
    /// A browser that is not started yet.
    pub fn new(settings: BrowserSettings) -> Self {
        Self {
            settings: Arc::new(settings),
            running: tokio::sync::Mutex::new(None),
            lasting: parking_lot::Mutex::default(),
        }
    }

    /// How it is started.
    pub fn settings(&self) -> &BrowserSettings {
        &self.settings
    }

    /// Whether it runs.
    pub async fn is_running(&self) -> bool {
        let running = self.running.lock().await;
        running
            .as_ref()
            .is_some_and(|running| running.chromium.is_alive())
    }

    /// The process id of the browser, if it runs.
    pub async fn pid(&self) -> Option<i32> {
        let running = self.running.lock().await;
        running.as_ref().map(|running| running.chromium.pid())
    }

    /// The browser that runs, started if there is none or the last one has died.
    async fn up(&self) -> Result<(Arc<Chromium>, Arc<Pages>), BrowserError> {
        let mut running = self.running.lock().await;
        if let Some(running) = &*running
            && running.chromium.is_alive()
        {
            return Ok((Arc::clone(&running.chromium), Arc::clone(&running.pages)));
        }
        if let Some(dead) = running.take() {
            let mut notes = dead.pages.notes.lock().take();
            notes.push(Note::BrowserCrashed);
            self.lasting.lock().notes.extend(notes);
            dead.chromium.close().await;
        }
        let fresh = self.start().await?;
        let up = (Arc::clone(&fresh.chromium), Arc::clone(&fresh.pages));
        *running = Some(fresh);
        Ok(up)
    }

    async fn start(&self) -> Result<Running, BrowserError> {
        let settings = &self.settings;
        tokio::fs::create_dir_all(&settings.downloads)
            .await
            .map_err(BrowserError::file("a folder for downloads"))?;
        let pages = Arc::new(Pages::new(
            settings.dialogs,
            settings.viewport,
            settings.downloads.clone(),
        ));
        {
            let mut lasting = self.lasting.lock();
            pages.with(|known| {
                known.scripts.clone_from(&lasting.scripts);
                known.added_scripts = lasting.scripts.len();
                known.bindings.clone_from(&lasting.bindings);
            });
            lasting.pages = Some(Arc::clone(&pages));
        }
        let chromium = Chromium::start(settings, || follow(Arc::clone(&pages))).await?;
        let tell = |method: &str, params: Value| chromium.cdp.tell(None, method, &params);
        tell(
            "Browser.setDownloadBehavior",
            json!({"behavior": "allow", "downloadPath": settings.downloads, "eventsEnabled": true}),
        );
        if !settings.permissions.is_empty() {
            tell(
                "Browser.grantPermissions",
                json!({"permissions": settings.permissions}),
            );
        }
        tell("Target.setAutoAttach", attach_to());
        pages
            .until_within(settings.start_timeout, |known| {
                known.tabs.iter().any(|tab| tab.is_ready).then_some(())
            })
            .await?
            .ok_or_else(|| BrowserError::SlowStart {
                after: settings.start_timeout,
                output: String::new(),
            })?;
        let chromium = Arc::new(chromium);
        let watch = settings.max_memory.map(|limit| {
            let watch = memory::watch(Arc::clone(&chromium), Arc::clone(&pages), limit);
            AbortOnDropHandle::new(tokio::spawn(watch))
        });
        Ok(Running {
            chromium,
            pages,
            _memory: watch,
        })
    }

    fn tab(&self, chromium: &Chromium, pages: &Arc<Pages>, target: &str) -> Option<Tab> {
        tab_of(&chromium.cdp, pages, &self.settings, target)
    }

    /// The tab that is looked at. Starts the browser; an empty tab takes the place of one that crashed.
    pub async fn active(&self) -> Result<Tab, BrowserError> {
        let (chromium, pages) = self.up().await?;
        let (target, crashed) = pages.with(|known| {
            let target = known.active.clone();
            let crashed = target
                .as_deref()
                .and_then(|target| known.tab(target))
                .is_some_and(|tab| tab.crashed);
            (target, crashed)
        });
        if let Some(target) = target.filter(|_| !crashed) {
            return self
                .tab(&chromium, &pages, &target)
                .ok_or(BrowserError::TabClosed);
        }
        self.put_fresh(&chromium, &pages).await
    }

    /// Leaves the active tab, which may not answer any more: it is closed, and an empty one takes its place.
    pub async fn replace_active(&self) -> Result<Tab, BrowserError> {
        let (chromium, pages) = self.up().await?;
        self.put_fresh(&chromium, &pages).await
    }

    async fn put_fresh(
        &self,
        chromium: &Chromium,
        pages: &Arc<Pages>,
    ) -> Result<Tab, BrowserError> {
        let fresh = self.open(chromium, pages).await?;
        if let Some(gone) = pages.change(|known| replace(known, &fresh.target)) {
            let gone = json!({"targetId": gone});
            chromium.cdp.tell(None, "Target.closeTarget", &gone);
        }
        Ok(fresh)
    }

    /// All tabs, in the order in which they were opened.
    pub async fn tabs(&self) -> Result<Vec<Tab>, BrowserError> {
        let (chromium, pages) = self.up().await?;
        let targets: Vec<String> =
            pages.with(|known| known.tabs.iter().map(|tab| tab.target.clone()).collect());
        Ok(targets
            .iter()
            .filter_map(|target| self.tab(&chromium, &pages, target))
            .collect())
    }

    /// Opens an empty tab and makes it the active one.
    pub async fn new_tab(&self) -> Result<Tab, BrowserError> {
        let (chromium, pages) = self.up().await?;
        let tab = self.open(&chromium, &pages).await?;
        pages.change(|known| known.active = Some(tab.target.clone()));
        Ok(tab)
    }

    /// Opens an empty tab behind the active one, for work that nobody looks at. It is closed when it is dropped.
    pub async fn hidden_tab(&self) -> Result<HiddenTab, BrowserError> {
        let (chromium, pages) = self.up().await?;
        let (cdp, settings) = (chromium.cdp.clone(), Arc::clone(&self.settings));
        // In a task of its own, which comes to its end: a tab whose opening was given up is dropped, and so closed.
        let opening = tokio::spawn(async move {
            let tab = open_tab(&cdp, &pages, &settings, Place::Behind).await?;
            Ok(HiddenTab(tab))
        });
        opening.await.map_err(|_| BrowserError::Gone).flatten()
    }

    async fn open(&self, chromium: &Chromium, pages: &Arc<Pages>) -> Result<Tab, BrowserError> {
        open_tab(&chromium.cdp, pages, &self.settings, Place::Front).await
    }

    /// Makes a tab the active one. If it has crashed, [`Browser::active`] gives an empty one in its place.
    pub async fn activate(&self, tab: &Tab) -> Result<(), BrowserError> {
        match tab.call("Page.bringToFront", json!({})).await {
            Ok(_) | Err(BrowserError::Crashed { .. }) => {}
            Err(error) => return Err(error),
        }
        tab.pages
            .change(|known| known.active = Some(tab.target.clone()));
        Ok(())
    }

    /// Closes a tab. The one opened last becomes the active one; there is always one.
    pub async fn close_tab(&self, tab: &Tab) -> Result<(), BrowserError> {
        let (chromium, pages) = self.up().await?;
        let is_last = pages.with(|known| known.tabs.len() == 1 && known.tab(&tab.target).is_some());
        if is_last {
            // A browser without a window ends.
            let fresh = self.open(&chromium, &pages).await?;
            pages.change(|known| known.active = Some(fresh.target));
        }
        let params = json!({"targetId": tab.target});
        chromium
            .cdp
            .call(
                None,
                "Target.closeTarget",
                params,
                self.settings.command_timeout,
            )
            .await?;
        pages
            .until_within(APPEAR, |known| {
                known.tab(&tab.target).is_none().then_some(())
            })
            .await?
            .ok_or_else(|| BrowserError::timeout("Closing a tab", APPEAR))
    }

    /// What happened since this was last asked.
    pub fn take_notes(&self) -> Vec<Note> {
        let mut lasting = self.lasting.lock();
        let mut notes = std::mem::take(&mut lasting.notes);
        if let Some(pages) = &lasting.pages {
            notes.extend(pages.notes.lock().take());
        }
        notes
    }

    /// What is under way now, for those who wait for the effects of what they are about to do.
    pub fn underway(&self) -> Underway {
        let pages = self.lasting.lock().pages.clone();
        pages.map_or_else(Underway::default, |pages| {
            pages.with(|known| Underway::now(known))
        })
    }

    /// Waits until no download goes on that has begun since then; says whether that is so.
    pub async fn downloads_done(&self, since: &Underway, limit: Duration) -> bool {
        let pages = self.lasting.lock().pages.clone();
        let Some(pages) = pages else { return true };
        let saved = pages.until_within(limit, |known| since.has_saved(known).then_some(()));
        // A browser that is gone saves nothing any more.
        !matches!(saved.await, Ok(None))
    }

    /// Runs a script in every document of every tab from now on, before the document's own.
    pub async fn add_script(&self, source: &str) -> Result<(), BrowserError> {
        self.put_script(source, None).await
    }

    /// The same, in an isolated world, which the page does not see.
    pub async fn add_script_in(&self, world: &str, source: &str) -> Result<(), BrowserError> {
        self.put_script(source, Some(world)).await
    }

    async fn put_script(&self, source: &str, world: Option<&str>) -> Result<(), BrowserError> {
        let (chromium, pages) = self.up().await?;
        let script = Added {
            text: source.to_owned(),
            world: world.map(str::to_owned),
        };
        self.lasting.lock().scripts.push(script.clone());
        let sessions = pages.with(|known| {
            known.scripts.push(script.clone());
            known.added_scripts += 1;
            known.owners.keys().cloned().collect::<Vec<_>>()
        });
        for session in sessions {
            let params = script.as_script();
            let limit = self.settings.command_timeout;
            let method = "Page.addScriptToEvaluateOnNewDocument";
            let added = chromium
                .cdp
                .call(Some(&session), method, params, limit)
                .await;
            if let Err(error) = added {
                tracing::debug!(%error, "a page does not take the script");
            }
        }
        Ok(())
    }

    /// Takes back all scripts and functions that were added, for documents to come.
    pub async fn clear_scripts(&self) -> Result<(), BrowserError> {
        {
            let mut lasting = self.lasting.lock();
            lasting.scripts.clear();
            lasting.bindings.clear();
        }
        let (chromium, pages) = self.up().await?;
        let (sessions, bindings, added) = pages.with(|known| {
            known.scripts.clear();
            let bindings = std::mem::take(&mut known.bindings);
            let sessions: Vec<String> = known.owners.keys().cloned().collect();
            (sessions, bindings, known.added_scripts)
        });
        for session in sessions {
            // Chromium numbers them from one in each session.
            for identifier in 1..=added {
                chromium.cdp.tell(
                    Some(&session),
                    "Page.removeScriptToEvaluateOnNewDocument",
                    &json!({"identifier": identifier.to_string()}),
                );
            }
            for name in &bindings {
                chromium.cdp.tell(
                    Some(&session),
                    "Runtime.removeBinding",
                    &json!({"name": name.text}),
                );
            }
        }
        Ok(())
    }

    /// Gives every document a function of this name; its calls are heard as `Runtime.bindingCalled`.
    pub async fn add_binding(&self, name: &str) -> Result<(), BrowserError> {
        self.put_binding(name, None).await
    }

    /// The same, in an isolated world, which the page does not see.
    pub async fn add_binding_in(&self, world: &str, name: &str) -> Result<(), BrowserError> {
        self.put_binding(name, Some(world)).await
    }

    async fn put_binding(&self, name: &str, world: Option<&str>) -> Result<(), BrowserError> {
        let (chromium, pages) = self.up().await?;
        let binding = Added {
            text: name.to_owned(),
            world: world.map(str::to_owned),
        };
        self.lasting.lock().bindings.push(binding.clone());
        let sessions = pages.with(|known| {
            known.bindings.push(binding.clone());
            known.owners.keys().cloned().collect::<Vec<_>>()
        });
        for session in sessions {
            let params = binding.as_binding();
            chromium
                .cdp
                .tell(Some(&session), "Runtime.addBinding", &params);
        }
        Ok(())
    }

    /// Hears events of this name from all tabs, until the receiver is dropped or the browser ends.
    pub async fn listen(
        &self,
        method: &'static str,
    ) -> Result<mpsc::UnboundedReceiver<Heard>, BrowserError> {
        let (_, pages) = self.up().await?;
        let (sender, receiver) = mpsc::unbounded_channel();
        pages.with(|known| known.listeners.push(Listener { method, sender }));
        Ok(receiver)
    }

    /// Asks the browser itself (not a page) for something.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        let (chromium, _) = self.up().await?;
        let limit = self.settings.command_timeout;
        chromium.cdp.call(None, method, params, limit).await
    }

    /// Ends the browser; the next call starts another one.
    pub async fn close(&self) {
        let running = self.running.lock().await.take();
        self.lasting.lock().pages = None;
        if let Some(running) = running {
            running.chromium.close().await;
        }
    }
}

/// Where a tab is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In front of the others.
    Front,
    /// Behind the one that is shown.
    Behind,
}

/// Opens an empty tab.
async fn open_tab(
    cdp: &Cdp,
    pages: &Arc<Pages>,
    settings: &Arc<BrowserSettings>,
    place: Place,
) -> Result<Tab, BrowserError> {
    let params = json!({"url": "about:blank", "background": place == Place::Behind});
    let limit = settings.command_timeout;
    let Created { target_id } = cdp
        .call_as(None, "Target.createTarget", params, limit)
        .await?;
    pages
        .until_within(APPEAR, |known| {
            known.tab(&target_id)?.is_ready.then_some(())
        })
        .await?
        .ok_or_else(|| BrowserError::timeout("Opening a tab", APPEAR))?;
    tab_of(cdp, pages, settings, &target_id).ok_or(BrowserError::TabClosed)
}

/// The tab with this id, if there is one.
fn tab_of(
    cdp: &Cdp,
    pages: &Arc<Pages>,
    settings: &Arc<BrowserSettings>,
    target: &str,
) -> Option<Tab> {
    let session = pages.with(|known| known.tab(target).map(|tab| tab.session.clone()))?;
    Some(Tab {
        target: target.to_owned(),
        session,
        cdp: cdp.clone(),
        pages: Arc::clone(pages),
        settings: Arc::clone(settings),
    })
}

/// Puts a fresh tab into the place of the active one, and gives that one's id.
fn replace(known: &mut super::pages::Known, fresh: &str) -> Option<String> {
    let old = known.active.replace(fresh.to_owned())?;
    let place = known.tabs.iter().position(|tab| tab.target == old)?;
    let from = known.tabs.iter().position(|tab| tab.target == fresh)?;
    let tab = known.tabs.remove(from);
    known.tabs.insert(place, tab);
    known.remove(&old);
    Some(old)
}
