//! What becomes of secrets in files and answers, and how they are read back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use openhands_protocol::llm::Llm;
use openhands_protocol::{Form, Names, Nulls, Reading, Secret, Secrets};
use openhands_sdk_rs::secrets::{Cipher, TOKEN_PREFIX};
use serde::Serialize;
use serde_json::Value;

use crate::services::settings::error::StoreError;

/// In which form an answer shows secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exposure {
    /// As stars.
    Redacted,
    /// As tokens that only this server can open.
    Encrypted,
    /// In clear: for a peer that must use them.
    Plaintext,
}

impl Exposure {
    /// What the value of the header `X-Expose-Secrets` asks for. The error is a sentence for the client.
    pub(crate) fn of_header(value: Option<&str>) -> Result<Self, String> {
        let value = value.unwrap_or_default().trim().to_lowercase();
        match value.as_str() {
            "" => Ok(Self::Redacted),
            // compat: what older clients send must never mean plain text.
            "encrypted" | "true" => Ok(Self::Encrypted),
            "plaintext" => Ok(Self::Plaintext),
            other => Err(format!(
                "Invalid X-Expose-Secrets header value: '{other}'. Valid values are: 'encrypted', 'plaintext'."
            )),
        }
    }
}

/// The server's key, if it has one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sealing(Option<Cipher>);

/// A way of reading that remembers whether a token could not be opened.
#[derive(Debug)]
pub(crate) struct Opening {
    /// To read with.
    pub(crate) reading: Reading,
    lost: Arc<AtomicBool>,
}

impl Opening {
    /// Whether a token could not be opened. Writing back what was read would destroy it.
    pub(crate) fn lost_any(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Sealing {
    /// With this cipher, or none.
    pub(crate) fn new(cipher: Option<Cipher>) -> Self {
        Self(cipher)
    }

    /// The cipher.
    pub(crate) fn cipher(&self) -> Option<&Cipher> {
        self.0.as_ref()
    }

    /// A value as its file holds it: secrets are sealed, or in clear if there is no key.
    pub(crate) fn to_file(
        &self,
        nulls: Nulls,
        value: &impl Serialize,
    ) -> Result<Value, serde_json::Error> {
        let secrets = match &self.0 {
            Some(cipher) => Secrets::Sealed(cipher.sealer()),
            None => Secrets::Plain,
        };
        Form::new(nulls, secrets, Names::Internal).to_value(value)
    }

    /// Reads a value in some way, opening the secrets in it. Blank ones and stars are no secrets.
    pub(crate) fn opening(&self, reading: Reading) -> Opening {
        let lost = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&lost);
        let cipher = self.0.clone();
        let opener = move |text: &str| {
            if text.trim().is_empty() {
                return None;
            }
            match &cipher {
                Some(cipher) if text.starts_with(TOKEN_PREFIX) => {
                    let opened = cipher.open(text);
                    if opened.is_none() {
                        seen.store(true, Ordering::Relaxed);
                    }
                    opened
                }
                _ => Some(text.to_owned()),
            }
        };
        Opening {
            reading: reading.opening(Arc::new(opener)),
            lost,
        }
    }

    /// Whether a JSON tree holds a token of an earlier key.
    pub(crate) fn is_stale(&self, value: &Value) -> bool {
        let Some(cipher) = &self.0 else {
            return false;
        };
        match value {
            Value::String(text) => text.starts_with(TOKEN_PREFIX) && !cipher.is_current(text),
            Value::Array(items) => items.iter().any(|item| self.is_stale(item)),
            Value::Object(members) => members.values().any(|member| self.is_stale(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// A value as an answer shows it. Tokens can only be made with a key, if there is anything to make them of.
    pub(crate) fn to_answer(
        &self,
        exposure: Exposure,
        value: &impl Serialize,
    ) -> Result<Value, StoreError> {
        let wanted = Arc::new(AtomicBool::new(false));
        let secrets = match (exposure, &self.0) {
            (Exposure::Redacted, _) => Secrets::Stars,
            (Exposure::Plaintext, _) => Secrets::Plain,
            (Exposure::Encrypted, Some(cipher)) => Secrets::Sealed(cipher.sealer()),
            (Exposure::Encrypted, None) => {
                let wanted = Arc::clone(&wanted);
                Secrets::Sealed(Arc::new(move |_| {
                    wanted.store(true, Ordering::Relaxed);
                    String::new()
                }))
            }
        };
        let answer = Form::new(Nulls::Keep, secrets, Names::Internal)
            .to_value(value)
            .map_err(std::io::Error::other)?;
        if wanted.load(Ordering::Relaxed) {
            return Err(StoreError::NoKey);
        }
        Ok(answer)
    }

    /// Settles the secrets of a model that a client sent: tokens of this server are opened, blank ones and stars are
    /// no secrets.
    pub(crate) fn settle_llm(&self, llm: &mut Llm) {
        for secret in secrets_of(llm) {
            let text = secret.as_ref().and_then(Secret::expose);
            let text = text.filter(|text| !text.trim().is_empty());
            *secret = text.map(|text| {
                let opened = self.0.as_ref().and_then(|cipher| cipher.open(text));
                Secret::new(opened.unwrap_or_else(|| text.to_owned()))
            });
        }
    }
}

/// The secrets of a model.
pub(crate) fn secrets_of(llm: &mut Llm) -> [&mut Option<Secret>; 4] {
    [
        &mut llm.api_key,
        &mut llm.aws_access_key_id,
        &mut llm.aws_secret_access_key,
        &mut llm.aws_session_token,
    ]
}

/// Whether a secret is one that says something.
pub(crate) fn is_set(secret: Option<&Secret>) -> bool {
    secret
        .and_then(Secret::expose)
        .is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
#[path = "sealing_tests.rs"]
mod tests;
