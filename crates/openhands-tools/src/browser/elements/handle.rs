//! One element of a page, found again by its place.

use super::look::{ask, on_page};
use super::numbers::Place;
use crate::browser::{BrowserError, Frame, IsolatedWorld, Tab};
use serde::Deserialize;
use serde_json::{Value, json};

/// An element in the world that knows it.
#[derive(Debug)]
pub struct Handle<'a> {
    tab: &'a Tab,
    place: &'a Place,
    world: IsolatedWorld,
}

/// What kind of thing an element is to type into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    /// A field of text.
    Text,
    /// A part of the page that can be edited.
    Editable,
    /// A field whose value is set as a whole: a date, a colour.
    Whole,
    /// A selection list.
    Select,
    /// A field for files.
    File,
    /// Anything else.
    Other,
}

/// Where an element is, once it is in view.
#[derive(Debug, Clone, Deserialize)]
pub struct Aim {
    /// From the left of the view of the frame that knows it.
    pub x: f64,
    /// From the top.
    pub y: f64,
    /// Whether a click there comes to the element.
    pub free: bool,
    /// Whether it has any size.
    pub boxed: bool,
    /// What it is to type into.
    pub kind: Field,
    /// Where it leads, in full.
    pub href: String,
    /// Whether it cannot be used now.
    pub off: bool,
}

/// An element with the cursor in it.
#[derive(Debug, Clone, Deserialize)]
pub struct Entered {
    /// What it is.
    pub kind: Field,
    /// Whether the cursor came to it.
    pub focused: bool,
    /// Whether it has something in it.
    pub full: bool,
    /// Whether it cannot be changed.
    pub locked: bool,
}

/// Options of a selection list that were chosen, or, if there were none such, those that it has.
#[derive(Debug, Clone, Deserialize)]
pub struct Chosen {
    /// The labels.
    pub chosen: Option<Vec<String>>,
    /// The labels that there are.
    #[serde(default)]
    pub options: Vec<String>,
}

impl<'a> Handle<'a> {
    /// A way to an element; nothing if its frame is gone.
    pub async fn find(tab: &'a Tab, place: &'a Place) -> Result<Option<Self>, BrowserError> {
        match tab.isolated_world(&place.session, &place.frame).await {
            Ok(world) => Ok(Some(Self { tab, place, world })),
            Err(error) if error.is_page_change() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Brings the element into view; nothing if it is gone.
    pub async fn aim(&self) -> Result<Option<Aim>, BrowserError> {
        self.ask("aim", &[]).await
    }

    /// Clicks it by script, wherever it is.
    pub async fn click(&self) -> Result<bool, BrowserError> {
        let clicked: Option<bool> = self.ask("click", &[]).await?;
        Ok(clicked.unwrap_or_default())
    }

    /// Puts the cursor into it with everything selected.
    pub async fn enter(&self) -> Result<Option<Entered>, BrowserError> {
        self.ask("enter", &[]).await
    }

    /// Sets its value as a whole; gives the value that it took.
    pub async fn set_value(&self, text: &str) -> Result<Option<String>, BrowserError> {
        let set: Option<Value> = self.ask("setValue", &[text.into()]).await?;
        Ok(set.map(|set| {
            let value = set.get("value").and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        }))
    }

    /// Chooses options of a list.
    pub async fn choose(&self, text: &str) -> Result<Option<Chosen>, BrowserError> {
        self.ask("choose", &[text.into()]).await
    }

    /// Gives it files.
    pub async fn set_files(&self, files: &[String]) -> Result<(), BrowserError> {
        let expression = on_page(&format!("page.find({})", self.place.number));
        let object = self.tab.object_isolated(&self.world, &expression).await?;
        let params = json!({"files": files, "objectId": object.object_id});
        self.tab
            .call_in(&self.world.session, "DOM.setFileInputFiles", params)
            .await?;
        Ok(())
    }

    /// Where the view of its frame begins in the view of the page.
    pub async fn origin(&self) -> Result<(f64, f64), BrowserError> {
        if self.place.frame == self.tab.target_id() {
            return Ok((0.0, 0.0));
        }
        let all = self.tab.frames().await?;
        origin_of(self.tab, &self.place.frame, &all).await
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        function: &str,
        arguments: &[Value],
    ) -> Result<Option<T>, BrowserError> {
        let mut given = self.place.number.to_string();
        for argument in arguments {
            given.push_str(", ");
            given.push_str(&argument.to_string());
        }
        // Another document in the frame has another world, where the number means another element.
        let token = Value::from(self.place.token.as_str());
        let expression = format!("page.token === {token} ? page.{function}({given}) : null");
        match ask(self.tab, &self.world, &expression).await {
            Err(error) if error.is_page_change() => Ok(None),
            other => other,
        }
    }
}

/// Where the view of a frame begins in the view of the page.
pub async fn origin_of(tab: &Tab, frame: &str, all: &[Frame]) -> Result<(f64, f64), BrowserError> {
    let by_id = |id: &str| all.iter().find(|frame| frame.id == id);
    let parent = by_id(frame).and_then(|frame| by_id(frame.parent.as_deref()?));
    let Some(parent) = parent else {
        return Ok((0.0, 0.0));
    };
    let session = &parent.session;
    let owner = tab
        .call_in(session, "DOM.getFrameOwner", json!({"frameId": frame}))
        .await?;
    let node = owner.get("backendNodeId").cloned().unwrap_or_default();
    let model = tab
        .call_in(session, "DOM.getBoxModel", json!({"backendNodeId": node}))
        .await?;
    let corner = |index: usize| {
        let place = format!("/model/content/{index}");
        model.pointer(&place).and_then(Value::as_f64).unwrap_or(0.0)
    };
    // The box is counted from the topmost frame of the parent's process.
    let (x, y) = tab.origin_of(parent, all).await?;
    Ok((x + corner(0), y + corner(1)))
}
