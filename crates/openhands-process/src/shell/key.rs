//! Keys of a keyboard, by the names that tools use, and the bytes a terminal sends for them.

/// A key that is not plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// Carriage return.
    Enter,
    /// Horizontal tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Start of line.
    Home,
    /// End of line.
    End,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// A letter, or one of `@ [ \ ] ^ _`, pressed with Control. Letters are lower case.
    Control(char),
}

impl Key {
    /// Reads a key's name, in any case: `ENTER TAB BS ESC UP DOWN LEFT RIGHT HOME END PGUP PGDN`,
    /// and `C-x`, `CTRL-x` or `CTRL+x`. Anything else is not a key but text.
    pub fn parse(name: &str) -> Option<Self> {
        let upper = name.to_ascii_uppercase();
        Some(match upper.as_str() {
            "ENTER" => Self::Enter,
            "TAB" => Self::Tab,
            "BS" => Self::Backspace,
            "ESC" => Self::Escape,
            "UP" => Self::Up,
            "DOWN" => Self::Down,
            "LEFT" => Self::Left,
            "RIGHT" => Self::Right,
            "HOME" => Self::Home,
            "END" => Self::End,
            "PGUP" => Self::PageUp,
            "PGDN" => Self::PageDown,
            other => return Self::parse_control(other),
        })
    }

    fn parse_control(upper: &str) -> Option<Self> {
        let rest = ["C-", "CTRL-", "CTRL+"]
            .iter()
            .find_map(|prefix| upper.strip_prefix(prefix))?;
        let mut chars = rest.chars();
        match (chars.next(), chars.next()) {
            (Some(key), None) if key.is_ascii_alphabetic() || "@[\\]^_".contains(key) => {
                Some(Self::Control(key.to_ascii_lowercase()))
            }
            _ => None,
        }
    }

    /// What a terminal sends when the key is pressed.
    pub fn bytes(self) -> Vec<u8> {
        match self {
            Self::Enter => b"\r".to_vec(),
            Self::Tab => b"\t".to_vec(),
            Self::Backspace => b"\x7f".to_vec(),
            Self::Escape => b"\x1b".to_vec(),
            Self::Up => b"\x1b[A".to_vec(),
            Self::Down => b"\x1b[B".to_vec(),
            Self::Right => b"\x1b[C".to_vec(),
            Self::Left => b"\x1b[D".to_vec(),
            Self::Home => b"\x1b[H".to_vec(),
            Self::End => b"\x1b[F".to_vec(),
            Self::PageUp => b"\x1b[5~".to_vec(),
            Self::PageDown => b"\x1b[6~".to_vec(),
            Self::Control(_) => self.control_byte().into_iter().collect(),
        }
    }

    /// The control character of a key pressed with Control.
    pub(crate) fn control_byte(self) -> Option<u8> {
        match self {
            Self::Control(key) => u8::try_from(key)
                .ok()
                .map(|byte| byte.to_ascii_uppercase() & 0x1f),
            Self::Enter
            | Self::Tab
            | Self::Backspace
            | Self::Escape
            | Self::Up
            | Self::Down
            | Self::Left
            | Self::Right
            | Self::Home
            | Self::End
            | Self::PageUp
            | Self::PageDown => None,
        }
    }
}

#[cfg(test)]
#[path = "key_tests.rs"]
mod tests;
