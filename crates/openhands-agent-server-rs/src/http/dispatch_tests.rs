use axum::http::StatusCode;

use super::*;

#[test]
fn an_answer_without_its_body_says_how_long_it_was() {
    let mut response = "hello".into_response();
    take_body(&mut response);
    let headers = response.headers();
    assert_eq!(headers.get(header::CONTENT_LENGTH).unwrap(), "5");
    assert_eq!(response.body().size_hint().exact(), Some(0));
    // One that says it already is believed.
    let mut response = ([(header::CONTENT_LENGTH, "7")], "hello").into_response();
    take_body(&mut response);
    let headers = response.headers();
    assert_eq!(headers.get(header::CONTENT_LENGTH).unwrap(), "7");
}

#[test]
fn a_panic_is_an_answer() {
    let said: Box<dyn Any + Send> = Box::new("of no use to clients");
    let response = panicked(&*said);
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
}
