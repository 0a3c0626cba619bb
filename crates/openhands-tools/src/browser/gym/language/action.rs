//! Actions with arguments of the right types.

use std::time::Duration;

use super::mistake::{Exception, Mistake};
use super::signature::Arguments;
use super::source::Call;
use super::value::Literal;
use crate::browser::Button;

/// How long `noop` waits when it is not told.
const USUAL_WAIT_MS: f64 = 1000.0;

/// One action of the language.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Noop { wait: Duration },
    SendMsgToUser { text: String },
    ReportInfeasible { reason: String },
    Fill { bid: String, value: String },
    SelectOption { bid: String, options: Vec<String> },
    Click { bid: String, click: Click },
    Dblclick { bid: String, click: Click },
    Hover { bid: String },
    Press { bid: String, keys: String },
    Focus { bid: String },
    Clear { bid: String },
    DragAndDrop { from: String, to: String },
    UploadFile { bid: String, files: Vec<String> },
    GoBack,
    GoForward,
    Goto { url: String },
    TabClose,
    TabFocus { index: i64 },
    NewTab,
    Mouse(MouseAction),
    Keyboard(KeyboardAction),
}

/// What the mouse does, whatever is below it.
#[derive(Debug, Clone, PartialEq)]
pub enum MouseAction {
    Wheel { dx: f64, dy: f64 },
    Move { to: Point },
    Up { at: Point, button: Button },
    Down { at: Point, button: Button },
    Click { at: Point, button: Button },
    Dblclick { at: Point, button: Button },
    DragAndDrop { from: Point, to: Point },
    UploadFile { at: Point, files: Vec<String> },
}

/// What the keyboard does, whatever has the focus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyboardAction {
    Down { key: String },
    Up { key: String },
    Press { keys: String },
    Type { text: String },
    InsertText { text: String },
}

/// A place of the viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// A key that is held while another one, or a button, is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modifier {
    Alt,
    Control,
    Meta,
    Shift,
}

/// How an element is clicked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Click {
    pub button: Button,
    pub modifiers: Vec<Modifier>,
}

impl Action {
    /// The action that a call asks for.
    pub(super) fn new(call: Call) -> Result<Self, Mistake> {
        let mut given = Arguments::bind(call)?;
        let given = &mut given;
        Ok(match given.function {
            "noop" => Self::Noop {
                wait: wait(given.take("wait_ms"))?,
            },
            "send_msg_to_user" => Self::SendMsgToUser {
                text: message(given, "text")?,
            },
            "report_infeasible" => Self::ReportInfeasible {
                reason: message(given, "reason")?,
            },
            "go_back" => Self::GoBack,
            "go_forward" => Self::GoForward,
            "goto" => Self::Goto { url: url(given)? },
            "tab_close" => Self::TabClose,
            "tab_focus" => Self::TabFocus {
                index: index(given)?,
            },
            "new_tab" => Self::NewTab,
            "scroll" => Self::Mouse(on_mouse(given)?),
            name if name.starts_with("mouse_") => Self::Mouse(on_mouse(given)?),
            name if name.starts_with("keyboard_") => Self::Keyboard(on_keyboard(given)?),
            _ => return on_element(given),
        })
    }
}

/// The actions whose first argument names an element.
fn on_element(given: &mut Arguments) -> Result<Action, Mistake> {
    if given.function == "drag_and_drop" {
        return Ok(Action::DragAndDrop {
            from: bid(given, "from_bid")?,
            to: bid(given, "to_bid")?,
        });
    }
    let bid = bid(given, "bid")?;
    Ok(match given.function {
        "fill" => Action::Fill {
            bid,
            value: filling(given)?,
        },
        "select_option" => Action::SelectOption {
            bid,
            options: options(given.take("options"))?,
        },
        "dblclick" => Action::Dblclick {
            bid,
            click: click(given, "Locator.dblclick")?,
        },
        "hover" => Action::Hover { bid },
        "press" => Action::Press {
            bid,
            keys: text(given, "key_comb", "Locator.press", "key")?,
        },
        "focus" => Action::Focus { bid },
        "clear" => Action::Clear { bid },
        "upload_file" => Action::UploadFile {
            bid,
            files: files(given.take("file"))?,
        },
        // The only one that is left.
        _ => Action::Click {
            bid,
            click: click(given, "Locator.click")?,
        },
    })
}

fn on_mouse(given: &mut Arguments) -> Result<MouseAction, Mistake> {
    let button = |given: &mut Arguments, method| button(given.take("button"), method);
    Ok(match given.function {
        "scroll" => MouseAction::Wheel {
            dx: number(given, "delta_x", "Mouse.wheel")?,
            dy: number(given, "delta_y", "Mouse.wheel")?,
        },
        "mouse_move" => MouseAction::Move {
            to: point(given, "x", "y")?,
        },
        "mouse_up" => MouseAction::Up {
            at: point(given, "x", "y")?,
            button: button(given, "Mouse.up")?,
        },
        "mouse_down" => MouseAction::Down {
            at: point(given, "x", "y")?,
            button: button(given, "Mouse.down")?,
        },
        "mouse_dblclick" => MouseAction::Dblclick {
            at: point(given, "x", "y")?,
            button: button(given, "Mouse.dblclick")?,
        },
        "mouse_drag_and_drop" => MouseAction::DragAndDrop {
            from: point(given, "from_x", "from_y")?,
            to: point(given, "to_x", "to_y")?,
        },
        "mouse_upload_file" => MouseAction::UploadFile {
            at: point(given, "x", "y")?,
            files: files(given.take("file"))?,
        },
        // The only one that is left.
        _ => MouseAction::Click {
            at: point(given, "x", "y")?,
            button: button(given, "Mouse.click")?,
        },
    })
}

fn on_keyboard(given: &mut Arguments) -> Result<KeyboardAction, Mistake> {
    Ok(match given.function {
        "keyboard_down" => KeyboardAction::Down {
            key: text(given, "key", "Keyboard.down", "key")?,
        },
        "keyboard_up" => KeyboardAction::Up {
            key: text(given, "key", "Keyboard.up", "key")?,
        },
        "keyboard_press" => KeyboardAction::Press {
            keys: text(given, "key", "Keyboard.press", "key")?,
        },
        "keyboard_insert_text" => KeyboardAction::InsertText {
            text: text(given, "text", "Keyboard.insert_text", "text")?,
        },
        // The only one that is left.
        _ => KeyboardAction::Type {
            text: text(given, "text", "Keyboard.type", "text")?,
        },
    })
}

fn required(given: &mut Arguments, parameter: &str) -> Literal {
    // Binding has seen to it that there is one.
    given.take(parameter).unwrap_or(Literal::None)
}

/// What the browser's driver says about an argument of the wrong type.
fn unexpected(method: &str, parameter: &str, expected: &str, value: &Literal) -> Mistake {
    let kind = value.kind();
    Mistake::new(
        Exception::Error,
        format!("{method}: {parameter}: expected {expected}, got {kind}"),
    )
}

fn bid(given: &mut Arguments, parameter: &str) -> Result<String, Mistake> {
    match required(given, parameter) {
        Literal::Str(bid) => Ok(bid),
        other => Err(Mistake::new(
            Exception::ValueError,
            format!("expected a string, got {}", other.repr()),
        )),
    }
}

fn message(given: &mut Arguments, parameter: &str) -> Result<String, Mistake> {
    match required(given, parameter) {
        Literal::Str(text) => Ok(text),
        other => Err(Mistake::new(
            Exception::ValueError,
            format!("Forbidden value: {} is not a string", other.repr()),
        )),
    }
}

fn text(
    given: &mut Arguments,
    parameter: &str,
    method: &str,
    name: &str,
) -> Result<String, Mistake> {
    match required(given, parameter) {
        Literal::Str(text) => Ok(text),
        other => Err(unexpected(method, name, "string", &other)),
    }
}

fn filling(given: &mut Arguments) -> Result<String, Mistake> {
    match required(given, "value") {
        Literal::Str(value) => Ok(value),
        Literal::None => Err(Mistake::new(
            Exception::TypeError,
            "Frame.fill() missing 1 required positional argument: 'value'",
        )),
        other => Err(unexpected("Locator.fill", "value", "string", &other)),
    }
}

fn url(given: &mut Arguments) -> Result<String, Mistake> {
    match required(given, "url") {
        Literal::Str(url) => Ok(url),
        Literal::None => Err(Mistake::new(
            Exception::TypeError,
            "Frame.goto() missing 1 required positional argument: 'url'",
        )),
        other => Err(unexpected("Page.goto", "url", "string", &other)),
    }
}

fn number(given: &mut Arguments, parameter: &str, method: &str) -> Result<f64, Mistake> {
    let value = required(given, parameter);
    value
        .number()
        .ok_or_else(|| unexpected(method, parameter, "float", &value))
}

fn point(given: &mut Arguments, x: &str, y: &str) -> Result<Point, Mistake> {
    let method = match given.function {
        "mouse_click" | "mouse_upload_file" => "Mouse.click",
        "mouse_dblclick" => "Mouse.dblclick",
        _ => "Mouse.move",
    };
    let mut place = |parameter: &str, name: &str| {
        let value = required(given, parameter);
        value
            .number()
            .ok_or_else(|| unexpected(method, name, "float", &value))
    };
    Ok(Point {
        x: place(x, "x")?,
        y: place(y, "y")?,
    })
}

fn wait(value: Option<Literal>) -> Result<Duration, Mistake> {
    let milliseconds = match value {
        None => USUAL_WAIT_MS,
        Some(value) => value
            .number()
            .ok_or_else(|| unexpected("Page.wait_for_timeout", "wait_timeout", "float", &value))?,
    };
    let wait = Duration::try_from_secs_f64(milliseconds.max(0.0) / 1000.0);
    // Longer than any action may take.
    Ok(wait.unwrap_or(Duration::from_hours(1)))
}

/// Which tab: as in Python, -1 is the last one and `True` is 1.
fn index(given: &mut Arguments) -> Result<i64, Mistake> {
    match required(given, "index") {
        // Beyond all tabs is beyond all tabs.
        Literal::Int(digits) => Ok(digits.parse().unwrap_or(i64::MAX)),
        Literal::Bool(value) => Ok(i64::from(value)),
        other => Err(Mistake::new(
            Exception::TypeError,
            format!(
                "list indices must be integers or slices, not {}",
                other.type_name()
            ),
        )),
    }
}

fn click(given: &mut Arguments, method: &str) -> Result<Click, Mistake> {
    Ok(Click {
        button: button(given.take("button"), method)?,
        modifiers: modifiers(given.take("modifiers"), method)?,
    })
}

fn button(value: Option<Literal>, method: &str) -> Result<Button, Mistake> {
    match value {
        None | Some(Literal::None) => Ok(Button::Left),
        Some(Literal::Str(name)) if name == "left" => Ok(Button::Left),
        Some(Literal::Str(name)) if name == "right" => Ok(Button::Right),
        Some(Literal::Str(name)) if name == "middle" => Ok(Button::Middle),
        Some(_) => Err(Mistake::new(
            Exception::Error,
            format!("{method}: button: expected one of (left|right|middle)"),
        )),
    }
}

fn modifiers(value: Option<Literal>, method: &str) -> Result<Vec<Modifier>, Mistake> {
    let names = match value {
        None | Some(Literal::None) => return Ok(Vec::new()),
        Some(Literal::List(names) | Literal::Tuple(names)) => names,
        Some(other) => return Err(unexpected(method, "modifiers", "array", &other)),
    };
    let modifiers = names.iter().enumerate().map(|(place, name)| match name {
        Literal::Str(name) if name == "Alt" => Ok(Modifier::Alt),
        // Of this system, ours is not a Mac.
        Literal::Str(name) if name == "Control" || name == "ControlOrMeta" => Ok(Modifier::Control),
        Literal::Str(name) if name == "Meta" => Ok(Modifier::Meta),
        Literal::Str(name) if name == "Shift" => Ok(Modifier::Shift),
        _ => Err(Mistake::new(
            Exception::Error,
            format!(
                "{method}: modifiers[{place}]: expected one of (Alt|Control|ControlOrMeta|Meta|Shift)"
            ),
        )),
    });
    modifiers.collect()
}

fn not_iterable(value: &Literal) -> Mistake {
    Mistake::new(
        Exception::TypeError,
        format!("'{}' object is not iterable", value.type_name()),
    )
}

/// Values or labels of options; none deselects all.
fn options(value: Option<Literal>) -> Result<Vec<String>, Mistake> {
    let options = match value {
        None | Some(Literal::None) => return Ok(Vec::new()),
        Some(Literal::Str(one)) => return Ok(vec![one]),
        Some(Literal::List(options) | Literal::Tuple(options)) => options,
        Some(other) => return Err(not_iterable(&other)),
    };
    let options = options
        .into_iter()
        .enumerate()
        .map(|(place, option)| match option {
            Literal::Str(option) => Ok(option),
            other => {
                let parameter = format!("options[{place}].valueOrLabel");
                Err(unexpected(
                    "Locator.select_option",
                    &parameter,
                    "string",
                    &other,
                ))
            }
        });
    options.collect()
}

/// Paths of files; none takes away those that were chosen.
fn files(value: Option<Literal>) -> Result<Vec<String>, Mistake> {
    let files = match value {
        Some(Literal::Str(one)) => return Ok(vec![one]),
        Some(Literal::List(files) | Literal::Tuple(files)) => files,
        other => vec![other.unwrap_or(Literal::None)],
    };
    let files = files.into_iter().map(|file| match file {
        Literal::Str(file) => Ok(file),
        other => Err(Mistake::new(
            Exception::AttributeError,
            format!("'{}' object has no attribute 'get'", other.type_name()),
        )),
    });
    files.collect()
}
