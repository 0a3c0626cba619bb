//! Files in and out.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use futures_util::StreamExt as _;
use pretty_assertions::assert_eq;
use reqwest::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG,
    LAST_MODIFIED,
};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::{World, answer};
use crate::recording::recorded;

async fn upload(world: &World, path: &str, part: Part) -> (u16, Value) {
    let request = world
        .request(Method::POST, "/api/file/upload")
        .query(&[("path", path)])
        .multipart(Form::new().part("file", part));
    let (status, body) = answer(request).await;
    (status.as_u16(), body)
}

async fn download(world: &World, path: &str, range: Option<&str>) -> Response {
    let mut request = world
        .request(Method::GET, "/api/file/download")
        .query(&[("path", path)]);
    if let Some(range) = range {
        request = request.header("Range", range);
    }
    request.send().await.unwrap()
}

fn names_in(directory: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn files_go_in_and_out_as_recorded() {
    let world = World::new().await;
    let ws = world.path().join("ws");
    std::fs::create_dir_all(ws.join("f")).unwrap();
    std::fs::write(ws.join("f/ü n.html"), "abc").unwrap();
    let texts = [("/ws", ws.to_str().unwrap())];
    for exchange in recorded("file-upload-download") {
        let request = &exchange.0["request"];
        // Head requests and forms are looked at elsewhere.
        if request["method"] == "HEAD" || request.get("data").is_some() {
            continue;
        }
        let (status, body) = exchange.repeat(&world, &texts).await;
        let (expected_status, expected) = exchange.expected();
        assert_eq!(status, expected_status, "{request}: {body}");
        // Contents are not recorded.
        if expected.is_object() {
            assert_eq!(body, expected, "{request}");
        }
    }
    assert_eq!(
        std::fs::read(ws.join("f/new/dir/a.txt")).unwrap(),
        b"overwritten"
    );
}

#[tokio::test]
async fn a_download_says_what_a_browser_wants_to_know() {
    let world = World::new().await;
    let file = world.path().join("a.txt");
    std::fs::write(&file, "hello world").unwrap();
    let path = file.to_str().unwrap();
    let whole = download(&world, path, None).await;
    let headers = whole.headers().clone();
    assert_eq!(headers[CONTENT_TYPE], "application/octet-stream");
    assert_eq!(
        headers[CONTENT_DISPOSITION],
        "attachment; filename=\"a.txt\""
    );
    assert_eq!(headers[CONTENT_LENGTH], "11");
    assert_eq!(headers[ACCEPT_RANGES], "bytes");
    let etag = headers[ETAG].to_str().unwrap();
    assert_eq!((etag.len(), etag.matches('"').count()), (34, 2));
    assert!(headers[LAST_MODIFIED].to_str().unwrap().ends_with(" GMT"));
    assert_eq!(whole.text().await.unwrap(), "hello world");

    for (range, answered, content) in [
        ("bytes=0-4", "bytes 0-4/11", "hello"),
        ("bytes=-3", "bytes 8-10/11", "rld"),
        ("bytes=6-", "bytes 6-10/11", "world"),
    ] {
        let part = download(&world, path, Some(range)).await;
        assert_eq!(part.status(), 206);
        assert_eq!(part.headers()[CONTENT_RANGE], answered);
        assert_eq!(part.headers()[ETAG], headers[ETAG]);
        assert_eq!(part.text().await.unwrap(), content);
    }
    let none = download(&world, path, Some("bytes=50-60")).await;
    assert_eq!(
        (none.status().as_u16(), &none.headers()[CONTENT_RANGE]),
        (416, &"bytes */11".parse().unwrap())
    );
    let wrong = download(&world, path, Some("lines=0-1")).await;
    assert_eq!(wrong.status(), 400);
    assert_eq!(wrong.text().await.unwrap(), "Only support bytes range");

    let several = download(&world, path, Some("bytes=0-1,4-5")).await;
    assert_eq!(several.status(), 206);
    let kind = several.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
    let boundary = kind
        .strip_prefix("multipart/byteranges; boundary=")
        .unwrap();
    let length: usize = several.headers()[CONTENT_LENGTH]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    let body = several.text().await.unwrap();
    assert_eq!(body.len(), length);
    let part = |range: &str, content: &str| {
        format!(
            "--{boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes {range}/11\r\n\r\n{content}\r\n"
        )
    };
    assert_eq!(
        body,
        format!("{}{}--{boundary}--", part("0-1", "he"), part("4-5", "o "))
    );

    // A range of another state of the file is the whole file.
    for (if_range, status) in [(etag, 206), ("\"other\"", 200)] {
        let request = world
            .request(Method::GET, "/api/file/download")
            .query(&[("path", path)]);
        let request = request
            .header("Range", "bytes=0-1")
            .header("If-Range", if_range);
        assert_eq!(request.send().await.unwrap().status(), status);
    }
}

#[tokio::test]
async fn names_cannot_break_out_of_the_header() {
    let world = World::new().await;
    for (name, disposition) in [
        ("ü n.html", "attachment; filename*=utf-8''%C3%BC%20n.html"),
        (
            "a\r\nX-Evil: 1",
            "attachment; filename*=utf-8''a%0D%0AX-Evil%3A%201",
        ),
        ("q\"uo;te", "attachment; filename*=utf-8''q%22uo%3Bte"),
        (
            "plain-1.0_x~.tar",
            "attachment; filename=\"plain-1.0_x~.tar\"",
        ),
    ] {
        let file = world.path().join(name);
        let (status, body) = upload(
            &world,
            file.to_str().unwrap(),
            Part::text("x").file_name("f"),
        )
        .await;
        assert_eq!(
            (status, body),
            (200, json!({"success": true, "file_size": 1})),
            "{name:?}"
        );
        let response = download(&world, file.to_str().unwrap(), None).await;
        assert_eq!(response.headers()[CONTENT_DISPOSITION], disposition);
        assert!(response.headers().get("x-evil").is_none());
    }
}

#[tokio::test]
async fn an_upload_replaces_a_file_and_keeps_its_mode_and_links() {
    let world = World::new().await;
    let file = world.path().join("script.sh");
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o750)).unwrap();
    let link = world.path().join("link");
    symlink("script.sh", &link).unwrap();
    let (status, _) = upload(
        &world,
        link.to_str().unwrap(),
        Part::text("new").file_name("f"),
    )
    .await;
    assert_eq!(status, 200);
    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    let world = World::new().await;
    let directory = world.path().join("d");
    std::fs::create_dir(&directory).unwrap();
    let target = directory.join("x");
    let missing = |part: &str| json!({"detail": [{"type": "missing", "loc": ["body", part], "msg": "Field required", "input": null}]});
    let post = || {
        world
            .request(Method::POST, "/api/file/upload")
            .query(&[("path", &target)])
    };
    for request in [
        post(),
        post().json(&json!({"file": "x"})),
        post().body("raw"),
        post().multipart(Form::new().part("upload", Part::text("x").file_name("a"))),
        post()
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body("other=plain"),
    ] {
        let (status, body) = answer(request).await;
        assert_eq!((status.as_u16(), body), (422, missing("file")));
    }
    for request in [
        post()
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body("file=plain"),
        post().multipart(Form::new().text("file", "plain")),
    ] {
        let (status, body) = answer(request).await;
        assert_eq!(status, 422);
        let error = "Expected UploadFile, received: <class 'str'>";
        assert_eq!(
            body["detail"][0],
            json!({"type": "value_error", "loc": ["body", "file"], "msg": format!("Value error, {error}"), "input": "plain", "ctx": {"error": error}})
        );
    }
    let broken = post()
        .header(CONTENT_TYPE, "multipart/form-data; boundary=x")
        .body("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nhalf");
    let (status, _) = answer(broken).await;
    assert_eq!(status, 400);
    // What was written aside goes when the answer has been given.
    let gone = async {
        while !names_in(&directory).is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone)
        .await
        .expect("nothing is left of a broken upload");

    let pipe = directory.join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let part = || Part::text("x").file_name("a");
    for (path, detail) in [
        (pipe.to_str().unwrap(), "Path is not a file"),
        ("/dev/null", "Path is not a file"),
        ("rel", "Path must be absolute"),
        ("/a\0b", "Path must not contain a null byte"),
    ] {
        assert_eq!(
            upload(&world, path, part()).await,
            (400, json!({"detail": detail})),
            "{path:?}"
        );
        if path != "rel" && !path.contains('\0') {
            let response = download(&world, path, None).await;
            assert_eq!(response.status(), 400);
        }
    }
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    let long = format!("{}/{}", directory.display(), "n".repeat(300));
    assert_eq!(upload(&world, &long, part()).await.0, 400);
}

#[tokio::test]
async fn an_upload_that_breaks_off_leaves_the_old_file() {
    let world = World::new().await;
    let file = world.path().join("d/f");
    std::fs::create_dir(world.path().join("d")).unwrap();
    std::fs::write(&file, "old").unwrap();
    let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Vec<u8>, std::io::Error>>(1);
    let body = futures_util::stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|item| (item, receiver))
    });
    let part = Part::stream(reqwest::Body::wrap_stream(body)).file_name("f");
    let request = world
        .request(Method::POST, "/api/file/upload")
        .query(&[("path", &file)])
        .multipart(Form::new().part("file", part))
        .send();
    let request = tokio::spawn(request);
    sender.send(Ok(vec![b'n'; 1 << 20])).await.unwrap();
    let begun = async {
        while names_in(&world.path().join("d")).len() < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), begun)
        .await
        .expect("written aside");
    sender
        .send(Err(std::io::ErrorKind::BrokenPipe.into()))
        .await
        .unwrap();
    assert!(request.await.unwrap().is_err());
    let ended = async {
        while names_in(&world.path().join("d")).len() > 1 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), ended)
        .await
        .expect("removed");
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
}

#[tokio::test]
async fn limits_of_the_configuration_hold() {
    let world = World::with(|config| {
        config.max_upload_bytes = Some(1000);
        config.allowed_upload_extensions = vec![".TXT".to_owned(), "md".to_owned()];
    })
    .await;
    let path = |name: &str| world.path().join(name).to_string_lossy().into_owned();
    let part = |size: usize| Part::bytes(vec![b'x'; size]).file_name("any");
    assert_eq!(upload(&world, &path("a.txt"), part(1000)).await.0, 200);
    assert_eq!(upload(&world, &path("b.Md"), part(1)).await.0, 200);
    let (status, body) = upload(&world, &path("c.txt"), part(5_000_000)).await;
    assert_eq!(
        (status, body),
        (
            413,
            json!({"detail": "The file is larger than the limit of 1000 bytes"})
        )
    );
    for name in ["d.exe", "txt", "e.txt.sh"] {
        let (status, body) = upload(&world, &path(name), part(1)).await;
        assert_eq!(status, 400);
        assert!(
            body["detail"]
                .as_str()
                .unwrap()
                .ends_with("allowed are: .txt, .md"),
            "{body}"
        );
    }
    let names = names_in(world.path());
    assert!(
        names
            .iter()
            .all(|name| !name.contains("c.txt") && !name.contains("d.exe")),
        "{names:?}"
    );
}

#[tokio::test]
async fn a_huge_file_is_sent_in_pieces() {
    let world = World::new().await;
    let file = world.path().join("sparse");
    let size = 3_u64 << 40;
    std::fs::File::create(&file).unwrap().set_len(size).unwrap();
    let path = file.to_str().unwrap();
    let whole = download(&world, path, None).await;
    assert_eq!(
        whole.headers()[CONTENT_LENGTH].to_str().unwrap(),
        size.to_string()
    );
    // The first piece comes at once; nobody waits for the rest.
    let first = whole.bytes_stream().next().await.unwrap().unwrap();
    assert!(!first.is_empty());
    let end = download(&world, path, Some("bytes=-10")).await;
    assert_eq!(
        end.headers()[CONTENT_RANGE].to_str().unwrap(),
        format!("bytes {}-{}/{size}", size - 10, size - 1)
    );
    assert_eq!(end.bytes().await.unwrap().as_ref(), [0; 10]);
}

#[tokio::test]
async fn a_large_file_goes_in_and_comes_out_the_same() {
    let world = World::new().await;
    let content: Vec<u8> = (0..5_000_000_u32)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes())
        .collect();
    let path = world
        .path()
        .join("big/file.bin")
        .to_string_lossy()
        .into_owned();
    let (status, body) = upload(&world, &path, Part::bytes(content.clone()).file_name("f")).await;
    assert_eq!(
        (status, body),
        (200, json!({"success": true, "file_size": content.len()}))
    );
    let back = download(&world, &path, None).await.bytes().await.unwrap();
    assert!(back == content);
}
