//! What is on the wire and on disk: serde types only, no I/O.
