//! Keys by their names, as pages know them.

use serde_json::{Value, json};

/// Bits of CDP for keys that are held.
pub const ALT: u32 = 1;
/// The control key.
pub const CONTROL: u32 = 2;
/// The meta or command key.
pub const META: u32 = 4;
/// The shift key.
pub const SHIFT: u32 = 8;

/// A key as the browser wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// `KeyboardEvent.key`.
    pub key: String,
    /// `KeyboardEvent.code`.
    pub code: String,
    /// `KeyboardEvent.keyCode`.
    pub key_code: u32,
    /// What it writes, if anything.
    pub text: Option<String>,
    /// Where it is: 0 usual, 1 left, 2 right, 3 on the number pad.
    pub location: u32,
}

/// Keys that write nothing, or something other than their name: key, code, number, text.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Escape", "Escape", 27, ""),
    ("Insert", "Insert", 45, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("CapsLock", "CapsLock", 20, ""),
    ("NumLock", "NumLock", 144, ""),
    ("ScrollLock", "ScrollLock", 145, ""),
    ("Pause", "Pause", 19, ""),
    ("PrintScreen", "PrintScreen", 44, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
    ("F1", "F1", 112, ""),
    ("F2", "F2", 113, ""),
    ("F3", "F3", 114, ""),
    ("F4", "F4", 115, ""),
    ("F5", "F5", 116, ""),
    ("F6", "F6", 117, ""),
    ("F7", "F7", 118, ""),
    ("F8", "F8", 119, ""),
    ("F9", "F9", 120, ""),
    ("F10", "F10", 121, ""),
    ("F11", "F11", 122, ""),
    ("F12", "F12", 123, ""),
];

/// Keys of the number pad without its lock: key, code, number, text.
const PAD: &[(&str, &str, u32, &str)] = &[
    ("Insert", "Numpad0", 45, ""),
    ("End", "Numpad1", 35, ""),
    ("ArrowDown", "Numpad2", 40, ""),
    ("PageDown", "Numpad3", 34, ""),
    ("ArrowLeft", "Numpad4", 37, ""),
    ("Clear", "Numpad5", 12, ""),
    ("ArrowRight", "Numpad6", 39, ""),
    ("Home", "Numpad7", 36, ""),
    ("ArrowUp", "Numpad8", 38, ""),
    ("PageUp", "Numpad9", 33, ""),
    ("Delete", "NumpadDecimal", 46, ""),
    ("Enter", "NumpadEnter", 13, "\r"),
    ("+", "NumpadAdd", 107, "+"),
    ("-", "NumpadSubtract", 109, "-"),
    ("*", "NumpadMultiply", 106, "*"),
    ("/", "NumpadDivide", 111, "/"),
];

/// Keys that are held: name, code, number, side, and their bit.
const MODIFIERS: &[(&str, &str, &str, u32, u32, u32)] = &[
    ("Shift", "Shift", "ShiftLeft", 16, 1, SHIFT),
    ("ShiftLeft", "Shift", "ShiftLeft", 16, 1, SHIFT),
    ("ShiftRight", "Shift", "ShiftRight", 16, 2, SHIFT),
    ("Control", "Control", "ControlLeft", 17, 1, CONTROL),
    ("ControlLeft", "Control", "ControlLeft", 17, 1, CONTROL),
    ("ControlRight", "Control", "ControlRight", 17, 2, CONTROL),
    ("ControlOrMeta", "Control", "ControlLeft", 17, 1, CONTROL),
    ("Alt", "Alt", "AltLeft", 18, 1, ALT),
    ("AltLeft", "Alt", "AltLeft", 18, 1, ALT),
    ("AltRight", "Alt", "AltRight", 18, 2, ALT),
    ("Meta", "Meta", "MetaLeft", 91, 1, META),
    ("MetaLeft", "Meta", "MetaLeft", 91, 1, META),
    ("MetaRight", "Meta", "MetaRight", 92, 2, META),
];

/// Signs of an American keyboard: plain, with shift, code, number.
const SIGNS: &[(char, char, &str, u32)] = &[
    ('`', '~', "Backquote", 192),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    (' ', ' ', "Space", 32),
];

/// The bit of a key that is held, by its name.
pub fn modifier(name: &str) -> Option<u32> {
    MODIFIERS
        .iter()
        .find(|known| known.0 == name)
        .map(|known| known.5)
}

/// The key of this name: `Enter`, `a`, `KeyA`, `Digit1`, `Shift`. None for what no keyboard has.
pub fn key(name: &str) -> Option<Key> {
    let plain = |key: &str, code: &str, key_code, text: &str, location| Key {
        key: key.to_owned(),
        code: code.to_owned(),
        key_code,
        text: (!text.is_empty()).then(|| text.to_owned()),
        location,
    };
    if let Some((key, code, number, text)) = NAMED.iter().find(|known| known.0 == name) {
        return Some(plain(key, code, *number, text, 0));
    }
    if let Some((key, code, number, text)) = PAD.iter().find(|known| known.1 == name) {
        return Some(plain(key, code, *number, text, 3));
    }
    if let Some(known) = MODIFIERS.iter().find(|known| known.0 == name) {
        return Some(plain(known.1, known.2, known.3, "", known.4));
    }
    if name == "\n" || name == "\r" {
        return key("Enter");
    }
    if name == "\t" {
        return key("Tab");
    }
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return of_character(character);
    }
    // By its place: `KeyA`, `Digit1`, `Comma`.
    if let Some(letter) = name
        .strip_prefix("Key")
        .and_then(|rest| rest.parse::<char>().ok())
        && letter.is_ascii_uppercase()
    {
        return of_character(letter.to_ascii_lowercase());
    }
    SIGNS
        .iter()
        .find(|sign| sign.2 == name)
        .and_then(|sign| of_character(sign.0))
}

/// The key that writes a character, where a usual keyboard has one.
pub fn of_character(character: char) -> Option<Key> {
    let (code, key_code) = if character.is_ascii_alphabetic() {
        let upper = character.to_ascii_uppercase();
        (format!("Key{upper}"), u32::from(upper))
    } else {
        let sign = SIGNS
            .iter()
            .find(|sign| sign.0 == character || sign.1 == character)?;
        (sign.2.to_owned(), sign.3)
    };
    Some(Key {
        key: character.to_string(),
        code,
        key_code,
        text: Some(character.to_string()),
        location: 0,
    })
}

/// Whether a character needs shift on a usual keyboard.
pub fn needs_shift(character: char) -> bool {
    character.is_ascii_uppercase()
        || SIGNS
            .iter()
            .any(|sign| sign.1 == character && sign.0 != character)
}

impl Key {
    /// The key with shift held: `a` writes `A`, `1` writes `!`.
    #[must_use]
    pub fn shifted(mut self) -> Self {
        let Some(character) = self.text.as_deref().and_then(|text| text.chars().next()) else {
            return self;
        };
        let other = if character.is_ascii_lowercase() {
            character.to_ascii_uppercase()
        } else {
            match SIGNS.iter().find(|sign| sign.0 == character) {
                Some(sign) => sign.1,
                None => return self,
            }
        };
        self.key = other.to_string();
        self.text = Some(other.to_string());
        self
    }

    /// The parameters of `Input.dispatchKeyEvent` for going down.
    pub(crate) fn down(&self, held: u32, repeat: bool) -> Value {
        // With control, alt or meta a key commands, it does not write.
        let text = self
            .text
            .as_deref()
            .filter(|_| held & (ALT | CONTROL | META) == 0);
        let mut params = self.params(held);
        if let Some(params) = params.as_object_mut() {
            let kind = if text.is_some() {
                "keyDown"
            } else {
                "rawKeyDown"
            };
            params.insert("type".to_owned(), json!(kind));
            params.insert("autoRepeat".to_owned(), json!(repeat));
            if let Some(text) = text {
                params.insert("text".to_owned(), json!(text));
                params.insert("unmodifiedText".to_owned(), json!(text));
            }
            if let Some(commands) = self.editing_commands(held) {
                params.insert("commands".to_owned(), json!([commands]));
            }
        }
        params
    }

    /// The parameters of `Input.dispatchKeyEvent` for coming up.
    pub(crate) fn up(&self, held: u32) -> Value {
        let mut params = self.params(held);
        if let Some(params) = params.as_object_mut() {
            params.insert("type".to_owned(), json!("keyUp"));
        }
        params
    }

    fn params(&self, held: u32) -> Value {
        json!({
            "modifiers": held,
            "key": self.key,
            "code": self.code,
            "windowsVirtualKeyCode": self.key_code,
            "location": self.location,
            "isKeypad": self.location == 3,
        })
    }

    /// What a usual desktop does on a combination; without a window, Chromium is told.
    fn editing_commands(&self, held: u32) -> Option<&'static str> {
        if held & CONTROL == 0 || held & (ALT | META) != 0 {
            return None;
        }
        match (self.code.as_str(), held & SHIFT != 0) {
            ("KeyA", false) => Some("selectAll"),
            ("KeyC", false) => Some("copy"),
            ("KeyX", false) => Some("cut"),
            ("KeyV", _) => Some("paste"),
            ("KeyZ", false) => Some("undo"),
            ("KeyZ", true) | ("KeyY", false) => Some("redo"),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
