//! The repositories that a GitHub token gives access to.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::StreamExt as _;
use openhands_protocol::Secret;
use openhands_protocol::git::{GitProvider, GitProviderRepository, GitProviderRepositoryPage};
use reqwest::{Client, Response, StatusCode, Url, header};
use serde_json::Value;

/// Where GitHub's API is.
const API: &str = "https://api.github.com";
/// How long one page may take.
const TIME_LIMIT: Duration = Duration::from_secs(15);
/// What one page may hold: far above a hundred repositories.
const MAX_PAGE_BYTES: usize = 16 << 20;
/// How many pages one search looks through; the answer says where to go on.
const MAX_PAGES: usize = 100;
/// Names under which users store their token, the first one first.
pub(crate) const TOKEN_NAMES: [&str; 4] = ["github_token", "GITHUB_TOKEN", "GH_TOKEN", "github"];

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RepositorySearch<'a> {
    /// A part of the name, in any case.
    pub(crate) query: Option<&'a str>,
    /// How many to find at most.
    pub(crate) limit: usize,
    /// Where an earlier answer stopped.
    pub(crate) page_id: Option<&'a str>,
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SearchError {
    /// The status that callers get.
    pub(crate) status: StatusCode,
    message: &'static str,
}

impl SearchError {
    const fn new(status: StatusCode, message: &'static str) -> Self {
        Self { status, message }
    }

    fn failed(status: StatusCode) -> Self {
        Self::new(status, "GitHub repository search failed")
    }
}

/// GitHub, as seen over its API.
#[derive(Debug, Clone)]
pub(crate) struct GithubRepositories {
    api: String,
    /// Made at the first search: there are machines without any certificates, and on them everything else works.
    client: OnceLock<Client>,
}

impl Default for GithubRepositories {
    fn default() -> Self {
        Self::at(API)
    }
}

/// A page of GitHub's list, and how many of its matches to pass over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    page: u64,
    offset: usize,
}

impl GithubRepositories {
    /// GitHub at an address; companies have their own.
    pub(crate) fn at(api: &str) -> Self {
        Self {
            api: api.trim_end_matches('/').to_owned(),
            client: OnceLock::new(),
        }
    }

    fn client(&self) -> Result<&Client, SearchError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let made = Client::builder()
            .build()
            .map_err(|error| unreachable(&error))?;
        Ok(self.client.get_or_init(|| made))
    }

    /// The repositories of a token, the last pushed one first.
    pub(crate) async fn search(
        &self,
        token: &Secret,
        search: RepositorySearch<'_>,
    ) -> Result<GitProviderRepositoryPage, SearchError> {
        let wanted = search
            .query
            .map(str::to_lowercase)
            .filter(|query| !query.is_empty());
        let mut cursor = Cursor::read(search.page_id)?;
        let mut items = Vec::new();
        let mut next = None;
        for _ in 0..MAX_PAGES {
            let response = self.page(token, cursor.page).await?;
            next = next_page(&response);
            let matches: Vec<GitProviderRepository> = repositories(response)
                .await?
                .into_iter()
                .filter(|found| {
                    wanted
                        .as_ref()
                        .is_none_or(|wanted| found.full_name.to_lowercase().contains(wanted))
                })
                .skip(cursor.offset)
                .collect();
            let room = search.limit.saturating_sub(items.len());
            if matches.len() > room {
                items.extend(matches.into_iter().take(room));
                let page_id = format!("{}:{}", cursor.page, cursor.offset + room);
                return Ok(page(items, Some(page_id)));
            }
            items.extend(matches);
            let Some(number) = next.as_deref() else { break };
            if wanted.is_none() || items.len() >= search.limit {
                break;
            }
            cursor = Cursor::read(Some(number))?;
        }
        Ok(page(items, next))
    }

    async fn page(&self, token: &Secret, number: u64) -> Result<Response, SearchError> {
        let request = self
            .client()?
            .get(format!("{}/user/repos", self.api))
            .query(&[
                ("per_page", "100"),
                ("page", &number.to_string()),
                ("sort", "pushed"),
                ("affiliation", "owner,collaborator,organization_member"),
            ])
            .header(header::ACCEPT, "application/vnd.github+json")
            .header(header::USER_AGENT, "openhands-agent-server")
            .header("X-GitHub-Api-Version", "2022-11-28")
            .bearer_auth(token.expose().unwrap_or_default())
            .timeout(TIME_LIMIT);
        let response = request.send().await.map_err(|error| unreachable(&error))?;
        match response.status() {
            status if status.is_success() => Ok(response),
            status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                Err(SearchError::failed(status))
            }
            status if status.is_server_error() => Err(SearchError::failed(StatusCode::BAD_GATEWAY)),
            _ => Err(SearchError::failed(StatusCode::BAD_REQUEST)),
        }
    }
}

impl Cursor {
    /// Reads `page` or `page:offset`.
    fn read(text: Option<&str>) -> Result<Self, SearchError> {
        let Some(text) = text else {
            return Ok(Self { page: 1, offset: 0 });
        };
        let invalid = SearchError::new(StatusCode::BAD_REQUEST, "Invalid repository page_id");
        let (page, offset) = text.split_once(':').unwrap_or((text, ""));
        let offset = if offset.is_empty() { "0" } else { offset };
        match (page.trim().parse(), offset.trim().parse()) {
            (Ok(page @ 1..), Ok(offset)) => Ok(Self { page, offset }),
            _ => Err(invalid),
        }
    }
}

fn unreachable(error: &reqwest::Error) -> SearchError {
    if error.is_timeout() {
        SearchError::new(
            StatusCode::GATEWAY_TIMEOUT,
            "GitHub repository search timed out",
        )
    } else {
        SearchError::failed(StatusCode::BAD_GATEWAY)
    }
}

/// The number of the page after this one, from the `Link` header.
fn next_page(response: &Response) -> Option<String> {
    let link = response.headers().get(header::LINK)?.to_str().ok()?;
    let next = link
        .split(',')
        .filter_map(|part| part.split_once(';'))
        .find(|(_, relation)| relation.trim() == r#"rel="next""#)?;
    let address = next.0.trim().strip_prefix('<')?.strip_suffix('>')?;
    let address = Url::parse(address).ok()?;
    let (_, page) = address.query_pairs().find(|(name, _)| name == "page")?;
    Some(page.into_owned()).filter(|page| !page.is_empty())
}

async fn repositories(response: Response) -> Result<Vec<GitProviderRepository>, SearchError> {
    let mut body = BytesMut::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(|error| unreachable(&error))?);
        if body.len() > MAX_PAGE_BYTES {
            return Err(SearchError::failed(StatusCode::BAD_GATEWAY));
        }
    }
    let listed: Vec<Value> =
        serde_json::from_slice(&body).map_err(|_| SearchError::failed(StatusCode::BAD_GATEWAY))?;
    Ok(listed.iter().map(repository).collect())
}

fn repository(item: &Value) -> GitProviderRepository {
    let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = match item.get("id") {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    GitProviderRepository {
        id,
        full_name: text("full_name").unwrap_or_default(),
        git_provider: GitProvider::Github.as_str().to_owned(),
        is_public: item.get("private").and_then(Value::as_bool) != Some(true),
        stargazers_count: item.get("stargazers_count").and_then(Value::as_i64),
        pushed_at: text("pushed_at"),
        main_branch: text("default_branch"),
        ..GitProviderRepository::default()
    }
}

fn page(
    items: Vec<GitProviderRepository>,
    next_page_id: Option<String>,
) -> GitProviderRepositoryPage {
    GitProviderRepositoryPage {
        items,
        next_page_id,
        ..GitProviderRepositoryPage::default()
    }
}

#[cfg(test)]
#[path = "github_tests.rs"]
mod tests;
