//! Where the tokens of a server come from, as the server itself describes it.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Of one description.
const MAX_BYTES: u64 = 1 << 20;

/// Where tokens are refreshed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenEndpoint {
    pub(super) url: Url,
    /// What the token is for, if the server describes itself.
    pub(super) resource: Option<String>,
}

/// A server's description of itself.
#[derive(Debug, Deserialize)]
struct ProtectedResource {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
}

/// The description of who gives tokens.
#[derive(Debug, Deserialize)]
struct AuthorizationServer {
    token_endpoint: String,
}

/// Asks the server who gives its tokens, and that one where. Without an answer it is `/token` of the server itself.
pub(super) async fn discover(
    client: &reqwest::Client,
    server: &Url,
    limit: Duration,
) -> TokenEndpoint {
    let mut described = None;
    for url in resource_addresses(server) {
        if let Some(found) = get::<ProtectedResource>(client, url, limit).await {
            described = Some(found).filter(|found| is_for(&found.resource, server));
            break;
        }
    }
    let giver = described
        .as_ref()
        .and_then(|found| Url::parse(found.authorization_servers.first()?).ok());
    for url in giver_addresses(giver.as_ref(), server) {
        let found = get::<AuthorizationServer>(client, url, limit).await;
        if let Some(url) = found.and_then(|found| Url::parse(&found.token_endpoint).ok()) {
            return TokenEndpoint {
                url,
                resource: described.map(|found| found.resource),
            };
        }
    }
    TokenEndpoint {
        url: at(giver.as_ref().unwrap_or(server), "/token"),
        resource: described.map(|found| found.resource),
    }
}

async fn get<T: DeserializeOwned>(
    client: &reqwest::Client,
    url: Url,
    limit: Duration,
) -> Option<T> {
    let response = client.get(url).timeout(limit).send().await.ok()?;
    if !response.status().is_success()
        || response
            .content_length()
            .is_some_and(|size| size > MAX_BYTES)
    {
        return None;
    }
    response.json().await.ok()
}

/// Whether a description is about this server: it names it, or something above it.
fn is_for(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else {
        return false;
    };
    let path = resource.path().trim_end_matches('/');
    let below = server.path().trim_end_matches('/').strip_prefix(path);
    resource.origin() == server.origin()
        && below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// Where a server may describe itself, the closest first.
fn resource_addresses(server: &Url) -> Vec<Url> {
    let path = server.path().trim_end_matches('/');
    let mut addresses = Vec::new();
    if !path.is_empty() {
        addresses.push(at(
            server,
            &format!("/.well-known/oauth-protected-resource{path}"),
        ));
    }
    addresses.push(at(server, "/.well-known/oauth-protected-resource"));
    addresses
}

/// Where the giver of tokens may describe itself. One that nobody named is looked for on the server itself.
fn giver_addresses(giver: Option<&Url>, server: &Url) -> Vec<Url> {
    let Some(giver) = giver else {
        return vec![at(server, "/.well-known/oauth-authorization-server")];
    };
    let path = giver.path().trim_end_matches('/');
    let mut addresses = vec![
        at(
            giver,
            &format!("/.well-known/oauth-authorization-server{path}"),
        ),
        at(giver, &format!("/.well-known/openid-configuration{path}")),
    ];
    if !path.is_empty() {
        addresses.push(at(
            giver,
            &format!("{path}/.well-known/openid-configuration"),
        ));
    }
    addresses
}

/// Another path on the same server.
fn at(server: &Url, path: &str) -> Url {
    let mut url = server.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn texts(urls: Vec<Url>) -> Vec<String> {
        urls.into_iter().map(String::from).collect()
    }

    #[test]
    fn descriptions_are_looked_for_in_the_order_of_the_standards() {
        let server = Url::parse("https://a.org/v1/mcp?x=1").unwrap();
        assert_eq!(
            texts(resource_addresses(&server)),
            [
                "https://a.org/.well-known/oauth-protected-resource/v1/mcp",
                "https://a.org/.well-known/oauth-protected-resource",
            ]
        );
        let giver = Url::parse("https://id.org/tenant").unwrap();
        assert_eq!(
            texts(giver_addresses(Some(&giver), &server)),
            [
                "https://id.org/.well-known/oauth-authorization-server/tenant",
                "https://id.org/.well-known/openid-configuration/tenant",
                "https://id.org/tenant/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            texts(giver_addresses(None, &server)),
            ["https://a.org/.well-known/oauth-authorization-server"]
        );
    }

    #[test]
    fn a_description_of_something_else_does_not_count() {
        let server = Url::parse("https://a.org/v1/mcp").unwrap();
        for own in [
            "https://a.org",
            "https://a.org/",
            "https://a.org/v1",
            "https://a.org/v1/mcp/",
        ] {
            assert!(is_for(own, &server), "{own}");
        }
        for foreign in [
            "https://b.org/v1/mcp",
            "https://a.org/v",
            "https://a.org/v1/mcp/x",
            "x",
            "http://a.org",
        ] {
            assert!(!is_for(foreign, &server), "{foreign}");
        }
    }
}
