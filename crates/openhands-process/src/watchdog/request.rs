//! The request that asks the watchdog for one tree, and its bytes.
//!
//! Strings travel NUL-terminated, so that the guard can hand them to exec where they lie: a
//! megabyte of environment is copied once, by the kernel.

use std::ffi::CStr;

/// A user to become before exec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// User id.
    pub uid: u32,
    /// Primary group id.
    pub gid: u32,
    /// Supplementary groups; they replace the server's.
    pub groups: Vec<u32>,
}

/// Everything about the command but its descriptors, which travel beside the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    pub(crate) program: &'a CStr,
    pub(crate) args: Vec<&'a CStr>,
    /// `NAME=value` strings.
    pub(crate) env: Vec<&'a CStr>,
    pub(crate) directory: &'a CStr,
    pub(crate) nice: i32,
    pub(crate) user: Option<User>,
    /// The command's descriptor that becomes its controlling terminal.
    pub(crate) terminal: Option<i32>,
    /// Number in the command of each descriptor sent, in the order sent.
    pub(crate) targets: Vec<i32>,
}

impl<'a> Request<'a> {
    pub(crate) fn encode(&self, into: &mut Vec<u8>) {
        put_list(into, &self.targets);
        put(into, self.nice);
        put(into, self.terminal.unwrap_or(-1));
        match &self.user {
            None => put(into, 0),
            Some(user) => {
                put(into, 1);
                put(into, user.uid.cast_signed());
                put(into, user.gid.cast_signed());
                let groups: Vec<i32> = user.groups.iter().map(|gid| gid.cast_signed()).collect();
                put_list(into, &groups);
            }
        }
        put_strings(into, &[self.program, self.directory]);
        put_strings(into, &self.args);
        put_strings(into, &self.env);
    }

    /// Reads what [`encode`](Self::encode) wrote; `None` if the bytes are anything else.
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let targets = reader.list()?;
        let nice = reader.number()?;
        let terminal = reader.number()?;
        let user = match reader.number()? {
            0 => None,
            1 => Some(User {
                uid: reader.number()?.cast_unsigned(),
                gid: reader.number()?.cast_unsigned(),
                groups: reader.list()?.into_iter().map(i32::cast_unsigned).collect(),
            }),
            _ => return None,
        };
        let [program, directory] = reader.strings()?.try_into().ok()?;
        let args = reader.strings()?;
        let env = reader.strings()?;
        reader.0.is_empty().then_some(Self {
            program,
            args,
            env,
            directory,
            nice,
            user,
            terminal: (terminal >= 0).then_some(terminal),
            targets,
        })
    }
}

fn put(into: &mut Vec<u8>, number: i32) {
    into.extend_from_slice(&number.to_ne_bytes());
}

fn put_count(into: &mut Vec<u8>, count: usize) {
    // More than two billion entries cannot be: they would not fit the kernel's argument limit.
    put(into, i32::try_from(count).unwrap_or(i32::MAX));
}

fn put_list(into: &mut Vec<u8>, numbers: &[i32]) {
    put_count(into, numbers.len());
    for number in numbers {
        put(into, *number);
    }
}

fn put_strings(into: &mut Vec<u8>, strings: &[&CStr]) {
    put_count(into, strings.len());
    for string in strings {
        into.extend_from_slice(string.to_bytes_with_nul());
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<i32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(i32::from_ne_bytes(*number))
    }

    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        // Every entry takes at least a byte: a lie about the count cannot make us allocate.
        (count <= self.0.len()).then_some(count)
    }

    fn list(&mut self) -> Option<Vec<i32>> {
        (0..self.count()?).map(|_| self.number()).collect()
    }

    fn strings(&mut self) -> Option<Vec<&'a CStr>> {
        (0..self.count()?).map(|_| self.string()).collect()
    }

    fn string(&mut self) -> Option<&'a CStr> {
        let string = CStr::from_bytes_until_nul(self.0).ok()?;
        self.0 = self.0.get(string.to_bytes_with_nul().len()..)?;
        Some(string)
    }
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
