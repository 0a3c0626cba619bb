use axum::body::Body;
use axum::response::IntoResponse as _;
use proptest::prelude::*;

use super::*;

const KIND: &str = "multipart/form-data; boundary=b-o";

/// Reads a form that comes in these pieces: its parts with their content.
async fn parts(pieces: Vec<Vec<u8>>) -> Result<Vec<(Part, Vec<u8>)>, FormError> {
    let pieces = pieces.into_iter().map(Ok::<_, std::io::Error>);
    let body = Body::from_stream(futures_util::stream::iter(pieces));
    let request = Request::post("/").header(header::CONTENT_TYPE, KIND);
    let mut form = Form::of(request.body(body).unwrap())?;
    let mut parts = Vec::new();
    while let Some(part) = form.next_part().await? {
        let mut content = Vec::new();
        while let Some(piece) = form.data().await? {
            assert!(!piece.is_empty());
            content.extend_from_slice(&piece);
        }
        assert_eq!(form.data().await?, None);
        parts.push((part, content));
    }
    assert_eq!(form.next_part().await?, None);
    Ok(parts)
}

fn part(name: &str, file_name: Option<&str>, content: &[u8]) -> (Part, Vec<u8>) {
    let part = Part {
        name: Some(name.to_owned()),
        file_name: file_name.map(str::to_owned),
    };
    (part, content.to_vec())
}

/// A form with two parts around this content.
fn form_with(content: &[u8]) -> Vec<u8> {
    [
        b"before\r\n--b-o \t\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\nContent-Type: text/plain\r\n\r\n",
        content,
        b"\r\n--b-o\r\ncontent-disposition: form-data; name=other\r\n\r\n\r\n--b-o--\r\nafter",
    ]
    .concat()
}

#[tokio::test]
async fn a_form_is_the_same_however_it_is_cut() {
    let content = b"\r\n--b-\r\r\n-\r\n--b\r\n\r\n--b-";
    let whole = form_with(content);
    let expected = [
        part("file", Some("a.bin"), content),
        part("other", None, b""),
    ];
    assert_eq!(parts(vec![whole.clone()]).await.unwrap(), expected);
    let bytes = whole.iter().map(|byte| vec![*byte]).collect();
    assert_eq!(parts(bytes).await.unwrap(), expected);
    for at in 0..whole.len() {
        let (start, end) = whole.split_at(at);
        let cut = vec![start.to_vec(), end.to_vec()];
        assert_eq!(parts(cut).await.unwrap(), expected, "cut at {at}");
    }
}

#[tokio::test]
async fn what_nobody_reads_is_passed_over() {
    let body = Body::from(form_with(&[b'x'; 100]));
    let request = Request::post("/").header(header::CONTENT_TYPE, KIND);
    let mut form = Form::of(request.body(body).unwrap()).unwrap();
    form.next_part().await.unwrap();
    let other = form.next_part().await.unwrap().unwrap();
    assert_eq!(other.name.as_deref(), Some("other"));
    assert_eq!(form.next_part().await.unwrap(), None);
}

#[tokio::test]
async fn data_are_handed_on_without_a_copy() {
    let whole = Bytes::from(form_with(&[b'x'; 1000]));
    let all = whole.as_ptr_range();
    let pieces = [whole.slice(..500), whole.slice(500..)].map(Ok::<_, std::io::Error>);
    let body = Body::from_stream(futures_util::stream::iter(pieces));
    let request = Request::post("/").header(header::CONTENT_TYPE, KIND);
    let mut form = Form::of(request.body(body).unwrap()).unwrap();
    form.next_part().await.unwrap();
    // The first piece came with the head.
    form.data().await.unwrap().unwrap();
    let second = form.data().await.unwrap().unwrap();
    assert!(all.contains(&second.as_ptr()));
}

#[tokio::test]
async fn a_form_that_ends_too_soon_or_has_no_head_is_broken() {
    let head = "--b-o\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n";
    for (text, expected) in [
        (String::new(), "incomplete multipart stream"),
        ("no form".to_owned(), "incomplete multipart stream"),
        ("--b-o".to_owned(), "incomplete multipart stream"),
        (
            "--b-o\r\nContent-Di".to_owned(),
            "incomplete multipart stream",
        ),
        (
            "--b-o more\r\n\r\nx\r\n--b-o--".to_owned(),
            "incomplete multipart stream",
        ),
        (
            "--b-o\r\nno head\r\n\r\nx\r\n--b-o--".to_owned(),
            "failed to read headers",
        ),
        (
            format!(
                "--b-o\r\n{}\r\n\r\n--b-o--",
                "a: b\r\n".repeat(MAX_LINES + 1)
            ),
            "failed to read headers",
        ),
        (
            format!("--b-o\r\n{}", "a".repeat(MAX_LINE_BYTES + 1)),
            "failed to read headers",
        ),
        (
            format!("{head}half\r\n--b-"),
            "field \"file\" received with incomplete data",
        ),
    ] {
        let error = parts(vec![text.clone().into()]).await.unwrap_err();
        assert_eq!(error.to_string(), expected, "{text:.60}");
        let answer = ApiError::from(error).into_response();
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    }
}

#[test]
fn parameters_of_a_header_are_found() {
    for (value, expected) in [
        ("form-data; name=\"a\"", Some("a")),
        ("form-data; name=a", Some("a")),
        ("form-data;name = a ; filename=b", Some("a")),
        (
            "form-data; filename=\"; name=x\"; Name=\"a;b\"",
            Some("a;b"),
        ),
        ("form-data; name=\"a\\\"b\"", Some("a\"b")),
        ("form-data; name=\"C:\\dir\\a\"", Some("C:\\dir\\a")),
        ("form-data; name=\"\"", Some("")),
        ("form-data; name=ü", Some("ü")),
        ("form-data; flag; name=a", Some("a")),
        ("form-data; filename=name", None),
        ("form-data; name", None),
        ("form-data; name=\"a", None),
        ("name=a", None),
        ("", None),
    ] {
        let found = parameter(value.as_bytes(), "name");
        assert_eq!(found.as_deref(), expected, "{value}");
    }
}

#[test]
fn only_a_form_has_a_boundary() {
    let of = |kind: &'static str| {
        boundary(&HeaderMap::from_iter([(
            header::CONTENT_TYPE,
            kind.parse().unwrap(),
        )]))
    };
    assert_eq!(
        of("Multipart/Form-Data; boundary=\"x y\"").as_deref(),
        Some("x y")
    );
    assert_eq!(
        of("multipart/form-data; charset=utf-8; boundary=--x").as_deref(),
        Some("--x")
    );
    for kind in [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/mixed; boundary=x",
    ] {
        assert_eq!(of(kind), None, "{kind}");
    }
    assert_eq!(boundary(&HeaderMap::new()), None);
}

proptest! {
    #[test]
    fn any_content_is_read_as_it_was_sent(
        content in proptest::collection::vec(prop_oneof![Just(b"\r".to_vec()), Just(b"\r\n--b".to_vec()), Just(b"-".to_vec()), proptest::collection::vec(any::<u8>(), 0..5)], 0..20),
        cut in 1..20_usize,
    ) {
        let content = content.concat();
        prop_assume!(memmem::find(&[&content, b"\r\n--b-o".as_slice()].concat(), b"\r\n--b-o") == Some(content.len()));
        let pieces = form_with(&content).chunks(cut).map(<[u8]>::to_vec).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let read = runtime.block_on(parts(pieces)).unwrap();
        prop_assert_eq!(read, [part("file", Some("a.bin"), &content), part("other", None, b"")]);
    }
}
