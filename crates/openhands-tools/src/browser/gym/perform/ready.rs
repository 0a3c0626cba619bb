//! Waiting until an element can be acted on, for as long as the reference waits.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::call_log::CallLog;
use super::element::{Answer, Element};
use super::failure::{failed, said};
use crate::browser::gym::language::{Exception, Mistake, Point};
use crate::browser::{BrowserError, Tab};

/// How long an element gets to become ready. The first look at it always comes to its end.
const LIMIT: Duration = Duration::from_millis(500);
/// The pauses before each further look, in milliseconds; the last one again and again.
const PAUSES: &[u64] = &[0, 20, 100, 100, 500];

/// What is to be done with an element.
#[derive(Debug)]
pub(super) enum Deed<'a> {
    Click,
    Dblclick,
    Hover,
    Fill(&'a str),
    Clear,
    Select(&'a [String]),
}

impl Deed<'_> {
    /// The method of the reference, which messages name.
    fn method(&self) -> &'static str {
        match self {
            Self::Click => "Locator.click",
            Self::Dblclick => "Locator.dblclick",
            Self::Hover => "Locator.hover",
            Self::Fill(_) => "Locator.fill",
            Self::Clear => "Locator.clear",
            Self::Select(_) => "Locator.select_option",
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Dblclick => "dblclick",
            Self::Hover => "hover",
            Self::Fill(_) | Self::Clear => "fill",
            Self::Select(_) => "select option",
        }
    }
}

/// An element that is ready.
#[derive(Debug)]
pub(super) enum Ready {
    /// For the mouse, here.
    At(Point),
    /// For text, which takes the place of all that is selected.
    Typing,
    /// It is done.
    Done,
}

/// How one look at an element ends.
enum Look {
    Ready(Ready),
    /// Not yet, because of this.
    NotYet(String),
    Gone,
    Never(String),
}

/// Finds an element and waits until the deed can be done; what a script can do is done then.
pub(super) async fn ready(tab: &Tab, bid: &str, deed: &Deed<'_>) -> Result<Ready, Mistake> {
    let deadline = Instant::now() + LIMIT;
    let mut log = CallLog::default();
    let mut element = Element::find(tab, bid).await?;
    log.add(format!("waiting for {}", element.locator));
    loop {
        let tried = tries(&element, deed, &mut log, deadline).await;
        match tried {
            Ok(Look::Ready(ready)) => return Ok(ready),
            Ok(Look::Never(why)) => {
                let text = format!("Error: {why}");
                return Err(said(Exception::Error, deed.method(), &text, &log));
            }
            Ok(Look::Gone) if Instant::now() < deadline => {
                log.add("element was detached from the DOM, retrying");
                match Element::find(tab, bid).await {
                    Ok(again) => element = again,
                    Err(_) => return Err(timed_out(deed, &log)),
                }
            }
            Ok(Look::Gone | Look::NotYet(_)) => return Err(timed_out(deed, &log)),
            Err(error) => return Err(failed(deed.method(), &error, &log)),
        }
    }
}

fn timed_out(deed: &Deed<'_>, log: &CallLog) -> Mistake {
    let text = format!("Timeout {}ms exceeded.", LIMIT.as_millis());
    said(Exception::TimeoutError, deed.method(), &text, log)
}

/// Looks at an element again and again.
async fn tries(
    element: &Element,
    deed: &Deed<'_>,
    log: &mut CallLog,
    deadline: Instant,
) -> Result<Look, BrowserError> {
    log.add(format!(
        "  locator resolved to {}",
        element.describe().await?
    ));
    match deed {
        Deed::Fill(value) => log.add(format!("  fill(\"{value}\")")),
        Deed::Clear => log.add("  fill(\"\")"),
        Deed::Click | Deed::Dblclick | Deed::Hover | Deed::Select(_) => {}
    }
    log.add(format!("attempting {} action", deed.name()));
    let mut look = look_at(element, deed, 0, log).await?;
    let last = PAUSES.last().copied().unwrap_or_default();
    let mut pauses = PAUSES.iter().copied().chain(std::iter::repeat(last));
    let mut number = 0;
    while let Look::NotYet(why) = &look {
        log.add(format!("  {why}"));
        log.add(format!("retrying {} action", deed.name()));
        let pause = pauses.next().unwrap_or(last);
        if pause > 0 {
            log.add(format!("  waiting {pause}ms"));
        }
        number += 1;
        let again = async {
            sleep(Duration::from_millis(pause)).await;
            look_at(element, deed, number, log).await
        };
        match timeout_at(deadline, again).await {
            Ok(next) => look = next?,
            Err(_) => return Ok(look),
        }
    }
    Ok(look)
}

async fn look_at(
    element: &Element,
    deed: &Deed<'_>,
    number: usize,
    log: &mut CallLog,
) -> Result<Look, BrowserError> {
    let (states, verb, argument) = match deed {
        Deed::Click | Deed::Dblclick => return look_with_mouse(element, true, number, log).await,
        Deed::Hover => return look_with_mouse(element, false, number, log).await,
        Deed::Fill(value) => ("visible, enabled and editable", "fill", json!(value)),
        Deed::Clear => ("visible, enabled and editable", "fill", json!("")),
        Deed::Select(options) => ("visible and enabled", "select", json!(options)),
    };
    log.add(format!("  waiting for element to be {states}"));
    let answer = element.ask(verb, argument).await?;
    Ok(if answer.is_fine() {
        Look::Ready(if answer.typing {
            Ready::Typing
        } else {
            Ready::Done
        })
    } else {
        Look::from(answer)
    })
}

/// Whether the mouse would reach it.
async fn look_with_mouse(
    element: &Element,
    needs_enabled: bool,
    number: usize,
    log: &mut CallLog,
) -> Result<Look, BrowserError> {
    let (states, list) = if needs_enabled {
        (
            "visible, enabled and stable",
            json!(["visible", "enabled", "stable"]),
        )
    } else {
        ("visible and stable", json!(["visible", "stable"]))
    };
    if element.is_framed() {
        // A frame that nobody sees draws nothing, and nothing in it gets stable.
        let _ = scroll(element, number).await;
    }
    log.add(format!("  waiting for element to be {states}"));
    let state = element.ask("check", list).await?;
    if !state.is_fine() {
        return Ok(state.into());
    }
    log.add(format!("  element is {states}"));
    log.add("  scrolling into view if needed");
    let scrolled = scroll(element, number).await?;
    if !scrolled.is_fine() {
        return Ok(scrolled.into());
    }
    log.add("  done scrolling");
    let place = element.ask("point", Value::Null).await?;
    if !place.is_fine() {
        return Ok(place.into());
    }
    let point = place.point();
    let place = json!({"x": point.x, "y": point.y});
    let hit = element.ask("hit", place).await?;
    if !hit.is_fine() {
        return Ok(hit.into());
    }
    Ok(match element.in_page(point).await? {
        Ok(point) => Look::Ready(Ready::At(point)),
        Err(covered) => covered.into(),
    })
}

/// Scrolls to an element: first as little as possible, then to other places, where it may not be covered.
async fn scroll(element: &Element, number: usize) -> Result<Answer, BrowserError> {
    let place = match number % 4 {
        0 => return element.scroll_into_view().await,
        1 => "end",
        2 => "center",
        _ => "start",
    };
    element
        .ask("scroll", json!({"block": place, "inline": place}))
        .await
}

impl From<Answer> for Look {
    /// What is in the way.
    fn from(answer: Answer) -> Self {
        match answer {
            Answer { gone: true, .. } => Self::Gone,
            Answer {
                wrong: Some(why), ..
            } => Self::Never(why),
            Answer {
                missing: Some(state),
                ..
            } => Self::NotYet(format!("element is not {state}")),
            Answer { retry, .. } => Self::NotYet(retry.unwrap_or_default()),
        }
    }
}
