//! The SDK for software agents.
