//! Fetches an image, for models that take no addresses.
//!
//! The address may come from anywhere, a web page that the agent read included. So nothing is fetched from
//! machines that only this one can reach, also not after a redirect, and what comes is bounded in size and time.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;

const MAX_BYTES: usize = 20 << 20;
const TIMEOUT: Duration = Duration::from_secs(30);
const MAX_REDIRECTS: usize = 5;
/// What models can read. A page that says "not found" is none of it.
const TYPES: &[&str] = &[
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/webp",
    "image/bmp",
    "image/tiff",
];

/// The image at an address as a data URL, or nothing if it cannot be had.
pub(crate) async fn fetch(address: &str, privately: bool) -> Option<String> {
    let fetched = tokio::time::timeout(TIMEOUT, follow(address, privately)).await;
    match fetched {
        Ok(Ok(data)) => Some(data),
        Ok(Err(why)) => {
            tracing::warn!(why, "an image cannot be fetched");
            None
        }
        Err(_) => {
            tracing::warn!("an image cannot be fetched in time");
            None
        }
    }
}

async fn follow(address: &str, privately: bool) -> Result<String, &'static str> {
    let mut url = Url::parse(address).map_err(|_| "the address is none")?;
    for _ in 0..=MAX_REDIRECTS {
        let response = get(&url, privately).await?;
        if response.status().is_redirection() {
            let next = response
                .headers()
                .get(LOCATION)
                .and_then(|next| next.to_str().ok());
            url = next
                .and_then(|next| url.join(next).ok())
                .ok_or("it moved to nowhere")?;
            continue;
        }
        if !response.status().is_success() {
            return Err("its server refuses it");
        }
        return read(response).await;
    }
    Err("it moved too often")
}

/// Asks the machine that was looked at, and no other that the same name may lead to a moment later.
async fn get(url: &Url, privately: bool) -> Result<reqwest::Response, &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("the address is not one of the web");
    }
    let host = url.host_str().ok_or("the address names no machine")?;
    let port = url.port_or_known_default().unwrap_or(443);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let found: Vec<SocketAddr> = tokio::net::lookup_host((bare, port))
        .await
        .map_err(|_| "its machine is not found")?
        .collect();
    if !privately && !found.iter().all(|address| is_public(address.ip())) {
        return Err("its machine is a private one");
    }
    let client = reqwest::Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .resolve_to_addrs(host, &found)
        .build()
        .map_err(|_| "no client can be made")?;
    client
        .get(url.clone())
        .send()
        .await
        .map_err(|_| "its machine does not answer")
}

async fn read(response: reqwest::Response) -> Result<String, &'static str> {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .and_then(|kind| kind.split(';').next())
        .map(|kind| kind.trim().to_lowercase())
        .unwrap_or_default();
    if !TYPES.contains(&kind.as_str()) {
        return Err("it is no image");
    }
    let mut bytes = Vec::new();
    let mut body = response.bytes_stream();
    while let Some(piece) = body.next().await {
        bytes.extend_from_slice(&piece.map_err(|_| "it broke off")?);
        if bytes.len() > MAX_BYTES {
            return Err("it is too large");
        }
    }
    Ok(format!("data:{kind};base64,{}", STANDARD.encode(bytes)))
}

/// Whether an address is one of the open internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => {
            if let Some(v4) = v6.to_ipv4() {
                // `::1` and `::` are such forms too, and none of them is public.
                return v6.to_ipv4_mapped().is_some() && is_public_v4(v4);
            }
            let first = v6.segments().first().copied().unwrap_or(0);
            // Global unicast, without the ranges for documentation and for tunnels to IPv4 addresses.
            (0x2000..=0x3fff).contains(&first)
                && first != 0x2002
                && !(first == 0x2001 && v6.segments().get(1).is_some_and(|second| *second < 0x0200))
                && !(first == 0x2001 && v6.segments().get(1) == Some(&0x0db8))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19)))
}

#[cfg(test)]
#[path = "fetch_image_tests.rs"]
mod tests;
