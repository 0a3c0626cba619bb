use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response as Answer};
use axum::routing::get;
use axum::{Json, Router};
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio_util::task::AbortOnDropHandle;

use super::*;

type Asked = Arc<Mutex<Vec<(String, String)>>>;

/// A GitHub of 250 repositories on three pages. Requests are noted.
async fn github() -> (GithubRepositories, Asked, AbortOnDropHandle<()>) {
    let asked = Asked::default();
    let router = Router::new()
        .route("/user/repos", get(user_repos))
        .with_state(Arc::clone(&asked));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (
        GithubRepositories::at(&address),
        asked,
        AbortOnDropHandle::new(server),
    )
}

async fn user_repos(
    State(asked): State<Asked>,
    Query(query): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Answer {
    let page = query
        .iter()
        .find(|(name, _)| name == "page")
        .unwrap()
        .1
        .clone();
    let token = headers["authorization"].to_str().unwrap().to_owned();
    asked.lock().push((page.clone(), token.clone()));
    match token.as_str() {
        "Bearer good" => {}
        "Bearer broken" => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        "Bearer odd" => return StatusCode::IM_A_TEAPOT.into_response(),
        _ => return StatusCode::UNAUTHORIZED.into_response(),
    }
    let page: u64 = page.parse().unwrap();
    let numbers = (page - 1) * 100..(page * 100).min(250);
    let items: Vec<Value> = numbers
        .map(|number| {
            json!({
                "id": number,
                "full_name": format!("Owner/repo-{number}"),
                "private": number % 2 == 0,
                "stargazers_count": number,
                "pushed_at": "2026-01-01T00:00:00Z",
                "default_branch": "main",
            })
        })
        .collect();
    let link = format!(
        r#"<https://api.github.com/user/repos?per_page=100&page={}>; rel="next", <https://x/?page=3>; rel="last""#,
        page + 1
    );
    let mut answer = Json(items).into_response();
    if page < 3 {
        answer
            .headers_mut()
            .insert(header::LINK, link.parse().unwrap());
    }
    answer
}

fn search<'a>(
    query: Option<&'a str>,
    limit: usize,
    page_id: Option<&'a str>,
) -> RepositorySearch<'a> {
    RepositorySearch {
        query,
        limit,
        page_id,
    }
}

fn names(page: &GitProviderRepositoryPage) -> Vec<&str> {
    page.items
        .iter()
        .map(|item| item.full_name.as_str())
        .collect()
}

#[tokio::test]
async fn pages_follow_each_other() {
    let (github, asked, _server) = github().await;
    let token = Secret::new("good");
    let first = github
        .search(&token, search(None, 100, None))
        .await
        .unwrap();
    assert_eq!(
        (first.items.len(), first.next_page_id.as_deref()),
        (100, Some("2"))
    );
    let item = &first.items[1];
    assert_eq!(
        (
            item.id.as_str(),
            item.is_public,
            item.main_branch.as_deref()
        ),
        ("1", true, Some("main"))
    );
    let last = github
        .search(&token, search(None, 100, Some("3")))
        .await
        .unwrap();
    assert_eq!((last.items.len(), last.next_page_id), (50, None));
    assert_eq!(
        *asked.lock(),
        [
            ("1".to_owned(), "Bearer good".to_owned()),
            ("3".to_owned(), "Bearer good".to_owned())
        ]
    );
}

#[tokio::test]
async fn a_page_that_is_cut_goes_on_where_it_was_cut() {
    let (github, _, _server) = github().await;
    let token = Secret::new("good");
    let first = github.search(&token, search(None, 60, None)).await.unwrap();
    assert_eq!(first.next_page_id.as_deref(), Some("1:60"));
    let second = github
        .search(&token, search(None, 60, first.next_page_id.as_deref()))
        .await
        .unwrap();
    assert_eq!(names(&second).first(), Some(&"Owner/repo-60"));
    assert_eq!(
        (second.items.len(), second.next_page_id.as_deref()),
        (40, Some("2"))
    );
}

#[tokio::test]
async fn a_name_is_looked_for_on_all_pages() {
    let (github, _, _server) = github().await;
    let token = Secret::new("good");
    let found = github
        .search(&token, search(Some("REPO-24"), 100, None))
        .await
        .unwrap();
    assert_eq!(found.items.len(), 11);
    assert_eq!(names(&found).first(), Some(&"Owner/repo-24"));
    assert_eq!(names(&found).last(), Some(&"Owner/repo-249"));
    assert_eq!(found.next_page_id, None);
}

#[tokio::test]
async fn failures_have_the_status_that_callers_know() {
    let (github, _, _server) = github().await;
    for (token, page_id, status) in [
        ("bad", None, 401),
        ("broken", None, 502),
        ("odd", None, 400),
        ("good", Some("x"), 400),
        ("good", Some("0"), 400),
        ("good", Some("1:-1"), 400),
    ] {
        let error = github
            .search(&Secret::new(token), search(None, 10, page_id))
            .await
            .unwrap_err();
        assert_eq!(error.status.as_u16(), status, "{token} {page_id:?}");
    }
    let nowhere = GithubRepositories::at("http://127.0.0.1:1");
    let error = nowhere
        .search(&Secret::new("good"), search(None, 10, None))
        .await
        .unwrap_err();
    assert_eq!(error.status.as_u16(), 502);
}
