//! A key for Amazon Bedrock, made from a user's AWS credentials.
//!
//! Bedrock takes a request signed for calling it as a bearer key. Making one is arithmetic, nothing is sent;
//! it holds for the region it is made for, and for twelve hours at most.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

const HOST: &str = "bedrock.amazonaws.com";
const SERVICE: &str = "bedrock";
const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const PREFIX: &str = "bedrock-api-key-";
/// How long a key holds, unless the credentials end before.
const LIFETIME: Duration = Duration::from_hours(12);

/// A user's AWS credentials.
#[derive(Clone)]
pub(crate) struct AwsKeys {
    pub(crate) id: String,
    pub(crate) secret: String,
    pub(crate) session: Option<String>,
}

impl AwsKeys {
    /// A key for Bedrock in a region, good from now on.
    pub(crate) fn bearer(&self, region: &str, now: SystemTime) -> String {
        let seconds = now
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_secs());
        let time = i64::try_from(seconds)
            .ok()
            .and_then(|seconds| Timestamp::from_second(seconds).ok())
            .unwrap_or(Timestamp::UNIX_EPOCH);
        let moment = time.strftime("%Y%m%dT%H%M%SZ").to_string();
        let day = time.strftime("%Y%m%d").to_string();
        let scope = format!("{day}/{region}/{SERVICE}/aws4_request");
        let mut query = vec![
            ("Action", "CallWithBearerToken".to_owned()),
            ("X-Amz-Algorithm", ALGORITHM.to_owned()),
            ("X-Amz-Credential", format!("{}/{scope}", self.id)),
            ("X-Amz-Date", moment.clone()),
            ("X-Amz-Expires", LIFETIME.as_secs().to_string()),
            ("X-Amz-SignedHeaders", "host".to_owned()),
        ];
        if let Some(session) = &self.session {
            query.push(("X-Amz-Security-Token", session.clone()));
        }
        let mut sorted = query.clone();
        sorted.sort();
        let nothing = hex(&Sha256::digest(b""));
        let request = format!(
            "POST\n/\n{}\nhost:{HOST}\n\nhost\n{nothing}",
            encoded(&sorted)
        );
        let to_sign = format!(
            "{ALGORITHM}\n{moment}\n{scope}\n{}",
            hex(&Sha256::digest(request.as_bytes()))
        );
        let key = [day.as_str(), region, SERVICE, "aws4_request"]
            .iter()
            .fold(format!("AWS4{}", self.secret).into_bytes(), |key, part| {
                sign(&key, part)
            });
        query.push(("X-Amz-Signature", hex(&sign(&key, &to_sign))));
        let url = format!("{HOST}/?{}&Version=1", encoded(&query));
        format!("{PREFIX}{}", STANDARD.encode(url))
    }
}

fn sign(key: &[u8], text: &str) -> Vec<u8> {
    // Keys of any length are taken.
    Hmac::<Sha256>::new_from_slice(key).map_or_else(
        |_| Vec::new(),
        |mut mac| {
            mac.update(text.as_bytes());
            mac.finalize().into_bytes().to_vec()
        },
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn encoded(query: &[(&str, String)]) -> String {
    let mut out = String::new();
    for (at, (name, value)) in query.iter().enumerate() {
        if at > 0 {
            out.push('&');
        }
        out.push_str(name);
        out.push('=');
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                out.push(char::from(byte));
            } else {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
#[path = "aws_token_tests.rs"]
mod tests;
