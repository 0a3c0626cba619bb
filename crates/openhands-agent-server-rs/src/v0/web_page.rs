//! Telling requests of web pages from those of clients. A server without a key would run whatever any page that its user
//! opens asks for: browsers send simple requests to every address, and only hide the answers.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Browsers say with it whose page a request comes from, and no page can change it.
const FETCH_SITE: &str = "sec-fetch-site";

/// Whether a page of somebody else makes the request. Clients that are no browsers send none of these headers.
pub(super) fn is_foreign(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get(FETCH_SITE) {
        // `same-site` is another port of the same machine, where anybody's page may be.
        return site != "same-origin" && site != "none";
    }
    // Older browsers, and addresses that browsers do not trust enough to say more.
    let Some(origin) = headers.get(ORIGIN) else {
        return false;
    };
    let authority = origin.to_str().ok().and_then(|origin| {
        let (_, authority) = origin.split_once("://")?;
        Some(authority)
    });
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    match (authority, host) {
        (Some(authority), Some(host)) => !authority.eq_ignore_ascii_case(host),
        _ => true,
    }
}

#[cfg(test)]
#[path = "web_page_tests.rs"]
mod tests;
