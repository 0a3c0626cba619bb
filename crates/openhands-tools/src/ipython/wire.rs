//! Messages of the Jupyter protocol as signed frames of ZeroMQ.

use bytes::Bytes;
use hmac::{Hmac, Mac};
use jupyter_protocol::{JupyterMessage, JupyterMessageContent, UnknownMessage};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha256;
use std::fmt::Write as _;
use zeromq::ZmqMessage;

/// Separates the routing frames from the message.
const DELIMITER: &[u8] = b"<IDS|MSG>";

/// Why a message was not understood.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// It has not the frames of a Jupyter message.
    #[error("the message has not the frames of the Jupyter protocol")]
    Frames,
    /// It was signed with another key, or changed on its way.
    #[error("the signature of the message is wrong")]
    Signature,
    /// A part of it is not the JSON that it should be.
    #[error("a part of the message cannot be read or written")]
    Json(#[from] serde_json::Error),
}

/// What a kernel sent: its kind, and the id of the request that it belongs to.
#[derive(Debug)]
pub(crate) struct Received {
    /// The request's id; empty for what the kernel says by itself.
    pub(crate) parent: String,
    /// What it says. A message whose fields are not those of its kind is an unknown one of that kind.
    pub(crate) content: JupyterMessageContent,
}

#[derive(Deserialize)]
struct Kind {
    msg_type: String,
}

#[derive(Deserialize, Default)]
struct Parent {
    #[serde(default)]
    msg_id: String,
}

/// Signs what is sent and checks what is received.
#[derive(Clone)]
pub(crate) struct Signer {
    mac: Hmac<Sha256>,
}

impl Signer {
    /// A signer with the key of a connection file.
    pub(crate) fn new(key: &str) -> Option<Self> {
        let mac = Hmac::new_from_slice(key.as_bytes()).ok()?;
        Some(Self { mac })
    }

    /// The frames of a request.
    pub(crate) fn encode(&self, message: &JupyterMessage) -> Result<ZmqMessage, WireError> {
        let parts = [
            serde_json::to_vec(&message.header)?,
            b"{}".to_vec(),
            b"{}".to_vec(),
            serde_json::to_vec(&message.content)?,
        ];
        let mut mac = self.mac.clone();
        for part in &parts {
            mac.update(part);
        }
        let mut frames = vec![Bytes::from_static(DELIMITER)];
        frames.push(hex(&mac.finalize().into_bytes()).into());
        frames.extend(parts.into_iter().map(Bytes::from));
        ZmqMessage::try_from(frames).map_err(|_| WireError::Frames)
    }

    /// The message in these frames.
    pub(crate) fn decode(&self, frames: &ZmqMessage) -> Result<Received, WireError> {
        let mut frames = frames.iter().skip_while(|frame| *frame != DELIMITER);
        let mut next = || frames.next().ok_or(WireError::Frames);
        next()?;
        let signature = next()?;
        let (header, parent, metadata, content) = (next()?, next()?, next()?, next()?);
        let mut mac = self.mac.clone();
        for part in [header, parent, metadata, content] {
            mac.update(part);
        }
        let signature = unhex(signature).ok_or(WireError::Signature)?;
        mac.verify_slice(&signature)
            .map_err(|_| WireError::Signature)?;
        let kind: Kind = serde_json::from_slice(header)?;
        let parent: Parent = serde_json::from_slice(parent).unwrap_or_default();
        // Kernels write text that is no Unicode (a lone surrogate) as bytes that are no UTF-8.
        let content: Value = serde_json::from_str(&String::from_utf8_lossy(content))?;
        Ok(Received {
            parent: parent.msg_id,
            content: typed(kind.msg_type, content),
        })
    }
}

/// The content by its kind; what does not fit its kind is kept as it is.
fn typed(msg_type: String, content: Value) -> JupyterMessageContent {
    // Only what has odd fields is worth a second copy: streams carry all the output.
    let spare = match msg_type.as_str() {
        "stream" | "status" => Value::Null,
        _ => content.clone(),
    };
    JupyterMessageContent::from_type_and_content(&msg_type, content).unwrap_or_else(|_| {
        UnknownMessage {
            msg_type,
            content: spare,
        }
        .into()
    })
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
