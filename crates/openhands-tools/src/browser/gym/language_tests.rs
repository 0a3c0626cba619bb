//! What is said about calls that cannot be made, and what the others become. The texts were recorded from BrowserGym 0.13.3.

use std::time::Duration;

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::browser::Button;

/// The last action of a text, or what is said about it.
fn last(text: &str) -> Result<Action, String> {
    let calls = read(text).map_err(|mistake| mistake.to_string())?;
    let call = calls.into_iter().last().unwrap();
    Action::try_from(call).map_err(|mistake| mistake.to_string())
}

const SAID: &[(&str, &str)] = &[
    ("frobnicate(", "ValueError: Received an empty action."),
    ("foo()", "NameError: Invalid action type 'foo'."),
    ("noop() foo(", "-"),
    (
        "noop(1,2)",
        "TypeError: noop() takes from 0 to 1 positional arguments but 2 were given",
    ),
    (
        "noop('a')",
        "Error: Page.wait_for_timeout: wait_timeout: expected float, got string",
    ),
    (
        "noop(None)",
        "Error: Page.wait_for_timeout: wait_timeout: expected float, got undefined",
    ),
    (
        "noop(True)",
        "Error: Page.wait_for_timeout: wait_timeout: expected float, got boolean",
    ),
    (
        "noop([])",
        "Error: Page.wait_for_timeout: wait_timeout: expected float, got object",
    ),
    (
        "noop(wait=1)",
        "TypeError: noop() got an unexpected keyword argument 'wait'",
    ),
    (
        "noop(5, wait_ms=3)",
        "TypeError: noop() got multiple values for argument 'wait_ms'",
    ),
    (
        "noop(x=1, x=2)",
        "SyntaxError: keyword argument repeated: x (<string>, line 657)",
    ),
    (
        "noop()\nnoop(if=1)",
        "SyntaxError: invalid syntax (<string>, line 658)",
    ),
    ("noop(1e999)", "NameError: name 'inf' is not defined"),
    (
        "click()",
        "TypeError: click() missing 1 required positional argument: 'bid'",
    ),
    ("click(12)", "ValueError: expected a string, got 12"),
    ("click(None)", "ValueError: expected a string, got None"),
    (
        "click('1', 'foo')",
        "Error: Locator.click: button: expected one of (left|right|middle)",
    ),
    (
        "click('1', button=3)",
        "Error: Locator.click: button: expected one of (left|right|middle)",
    ),
    (
        "click('1', modifiers='Shift')",
        "Error: Locator.click: modifiers: expected array, got string",
    ),
    (
        "click('1', modifiers=[1])",
        "Error: Locator.click: modifiers[0]: expected one of (Alt|Control|ControlOrMeta|Meta|Shift)",
    ),
    (
        "click('1','left',[],4)",
        "TypeError: click() takes from 1 to 3 positional arguments but 4 were given",
    ),
    (
        "fill()",
        "TypeError: fill() missing 2 required positional arguments: 'bid' and 'value'",
    ),
    (
        "fill('1')",
        "TypeError: fill() missing 1 required positional argument: 'value'",
    ),
    (
        "fill('1', 3)",
        "Error: Locator.fill: value: expected string, got number",
    ),
    (
        "fill('1', None)",
        "TypeError: Frame.fill() missing 1 required positional argument: 'value'",
    ),
    (
        "select_option('1', 3)",
        "TypeError: 'int' object is not iterable",
    ),
    (
        "select_option('1', [3])",
        "Error: Locator.select_option: options[0].valueOrLabel: expected string, got number",
    ),
    (
        "upload_file('1', 3)",
        "AttributeError: 'int' object has no attribute 'get'",
    ),
    (
        "send_msg_to_user(3)",
        "ValueError: Forbidden value: 3 is not a string",
    ),
    (
        "press('1', 3)",
        "Error: Locator.press: key: expected string, got number",
    ),
    (
        "scroll('a', 1)",
        "Error: Mouse.wheel: delta_x: expected float, got string",
    ),
    (
        "scroll(1)",
        "TypeError: scroll() missing 1 required positional argument: 'delta_y'",
    ),
    (
        "keyboard_type(3)",
        "Error: Keyboard.type: text: expected string, got number",
    ),
    (
        "keyboard_press(3)",
        "Error: Keyboard.press: key: expected string, got number",
    ),
    (
        "keyboard_insert_text(None)",
        "Error: Keyboard.insert_text: text: expected string, got undefined",
    ),
    (
        "mouse_move('a', 1)",
        "Error: Mouse.move: x: expected float, got string",
    ),
    (
        "mouse_click(1, 1, 'foo')",
        "Error: Mouse.click: button: expected one of (left|right|middle)",
    ),
    (
        "mouse_drag_and_drop()",
        "TypeError: mouse_drag_and_drop() missing 4 required positional arguments: 'from_x', 'from_y', 'to_x', and 'to_y'",
    ),
    (
        "tab_focus('a')",
        "TypeError: list indices must be integers or slices, not str",
    ),
    (
        "tab_focus(1.0)",
        "TypeError: list indices must be integers or slices, not float",
    ),
    (
        "tab_focus(None)",
        "TypeError: list indices must be integers or slices, not NoneType",
    ),
    (
        "new_tab(1)",
        "TypeError: new_tab() takes 0 positional arguments but 1 was given",
    ),
    (
        "goto()",
        "TypeError: goto() missing 1 required positional argument: 'url'",
    ),
    (
        "goto('a', 'b')",
        "TypeError: goto() takes 1 positional argument but 2 were given",
    ),
];

#[test]
fn calls_that_cannot_be_made_say_why() {
    for (text, expected) in SAID {
        let came = last(text).err().unwrap_or_else(|| "-".to_owned());
        assert_eq!(came, *expected, "{text}");
    }
}

fn action(text: &str) -> Action {
    last(text).unwrap_or_else(|said| panic!("{text}: {said}"))
}

#[test]
fn calls_become_actions() {
    let bid = || "a12".to_owned();
    let wait = Duration::from_secs(1);
    assert_eq!(action("noop()"), Action::Noop { wait });
    let wait = Duration::ZERO;
    assert_eq!(action("noop(-5)"), Action::Noop { wait });
    let (usual_bid, click) = (bid(), Click::default());
    let usual = Action::Click {
        bid: usual_bid,
        click,
    };
    assert_eq!(action("click('a12')"), usual);
    assert_eq!(action("click('a12', None, None)"), usual);
    let click = Click {
        button: Button::Right,
        modifiers: vec![Modifier::Control, Modifier::Shift],
    };
    let text = "dblclick('a12', 'right', ['ControlOrMeta', 'Shift'])";
    assert_eq!(action(text), Action::Dblclick { bid: bid(), click });
    let none = Vec::new();
    let both = vec!["x".to_owned(), "y".to_owned()];
    for (text, options) in [("('x', 'y')", both), ("None", none)] {
        let text = format!("select_option('a12', {text})");
        let bid = bid();
        assert_eq!(action(&text), Action::SelectOption { bid, options });
    }
    let (bid, files) = (bid(), Vec::new());
    let text = "upload_file(bid='a12', file=[])";
    assert_eq!(action(text), Action::UploadFile { bid, files });
}

#[test]
fn numbers_become_places_and_tabs() {
    let at = Point { x: 1.0, y: 2.5 };
    let button = Button::Middle;
    let text = "mouse_up(1, 2.5, 'middle')";
    assert_eq!(action(text), Action::Mouse(MouseAction::Up { at, button }));
    let text = "mouse_drag_and_drop(1, 2.5, to_y=2.5, to_x=1)";
    assert_eq!(
        action(text),
        Action::Mouse(MouseAction::DragAndDrop { from: at, to: at })
    );
    assert_eq!(action("tab_focus(-1)"), Action::TabFocus { index: -1 });
    assert_eq!(action("tab_focus(True)"), Action::TabFocus { index: 1 });
    let (dx, dy) = (0.0, -100.0);
    assert_eq!(
        action("scroll(0, -100)"),
        Action::Mouse(MouseAction::Wheel { dx, dy })
    );
}

proptest! {
    #[test]
    fn no_call_is_too_odd(name in "noop|click|fill|select_option|upload_file|tab_focus|mouse_up|keyboard_type|scroll|goto|press|drag_and_drop", arguments in r"(('[a-z0-9]{0,3}'|-?[0-9]{1,25}|[0-9.]{1,4}|None|True|\[\]|\(1,\)|\{\}|['x',3]|[a-z_]{1,7}=1),){0,5}") {
        let _ = last(&format!("{name}({arguments})"));
    }
}
