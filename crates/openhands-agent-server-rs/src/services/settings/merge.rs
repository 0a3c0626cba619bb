//! Merging changes into what is there, in the two ways that the reference has.

use serde_json::{Map, Value};

/// Changes of agent settings: objects are merged, a null takes a member away, all else replaces.
pub(crate) fn patch(base: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (key, value) in changes {
        match (base.get_mut(&key), value) {
            (_, Value::Null) => {
                base.shift_remove(&key);
            }
            (Some(Value::Object(there)), Value::Object(changes)) => patch(there, changes),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Changes of other settings: the same, but a null at the top is a value like any other.
pub(crate) fn merge(base: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (key, value) in changes {
        match (base.get_mut(&key), value) {
            (Some(Value::Object(there)), Value::Object(changes)) => patch(there, changes),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
