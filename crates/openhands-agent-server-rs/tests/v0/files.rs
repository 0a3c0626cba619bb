//! Reading, writing and moving files: what the recordings do not show.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::replay::zip;
use crate::server::Server;

#[tokio::test]
async fn a_file_that_is_written_keeps_its_mode_and_its_link() {
    let server = Server::start().await;
    fs::write(server.path("script"), "old\n").unwrap();
    fs::set_permissions(server.path("script"), fs::Permissions::from_mode(0o750)).unwrap();
    std::os::unix::fs::symlink("script", server.path("link")).unwrap();
    let args = json!({"path": "link", "content": "new"});
    let observation = server.act("write", args, 10.0).await;
    assert_eq!(observation["observation"], "write", "{observation}");
    assert_eq!(fs::read_to_string(server.path("script")).unwrap(), "new\n");
    assert_eq!(
        fs::metadata(server.path("script")).unwrap().mode() & 0o7777,
        0o750
    );
    assert!(
        fs::symlink_metadata(server.path("link"))
            .unwrap()
            .is_symlink()
    );
}

#[tokio::test]
async fn media_are_data_urls_by_a_relative_path() {
    let server = Server::start().await;
    for (name, mime) in [
        ("a.png", "image/png"),
        ("a.JPG", "image/jpeg"),
        ("a.bmp", "image/bmp"),
        ("a.gif", "image/gif"),
        ("a.pdf", "application/pdf"),
        ("a.mp4", "video/mp4"),
        ("a.webm", "video/webm"),
        ("a.ogg", "audio/ogg"),
    ] {
        fs::write(server.path(name), b"\x00\x01\x02").unwrap();
        let observation = server.act("read", json!({"path": name}), 10.0).await;
        let content = observation["content"].as_str().unwrap();
        assert_eq!(content, format!("data:{mime};base64,AAEC"), "{name}");
    }
}

#[tokio::test]
async fn lines_are_edited_in_the_range_mode() {
    let server = Server::start().await;
    let path = server.path("a.txt");
    fs::write(&path, "1\n2\n3\n").unwrap();
    let args = json!({"path": path, "content": "two", "start": 2, "end": 2});
    let observation = server.act("edit", args, 10.0).await;
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\ntwo\n3\n");
    let diff = observation["extras"]["diff"].as_str().unwrap();
    assert!(diff.ends_with("@@ -2 +2 @@\n-2\n+two"), "{diff}");
    let undone = server
        .act("edit", json!({"path": path, "command": "undo_edit"}), 10.0)
        .await;
    assert!(
        undone["content"]
            .as_str()
            .unwrap()
            .starts_with("Last edit to")
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n3\n");
}

async fn upload(server: &Server, query: &str, name: &str, content: Vec<u8>) -> (u16, Value) {
    let part = Part::bytes(content).file_name(name.to_owned());
    let request = server
        .client
        .post(server.url(&format!("/upload_file?{query}")))
        .multipart(Form::new().part("file", part));
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// The members of an archive, sorted.
fn names<R: std::io::Read + std::io::Seek>(zip: &zip::ZipArchive<R>) -> Vec<String> {
    let mut names: Vec<String> = zip
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_large_file_goes_in_and_out() {
    let server = Server::start().await;
    let content: Vec<u8> = (0..20_000_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let (status, body) = upload(
        &server,
        &format!("destination={}", server.path("in/deep")),
        "big.bin",
        content.clone(),
    )
    .await;
    assert_eq!(status, 200, "{body}");
    assert!(fs::read(server.path("in/deep/big.bin")).unwrap() == content);
    let answer = server
        .get(&format!("/download_files?path={}", server.path("in")))
        .await;
    assert_eq!(
        answer.headers()["content-disposition"],
        "attachment; filename=\"in.zip\""
    );
    let bytes = answer.bytes().await.unwrap();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    assert_eq!(names(&zip), ["deep/big.bin"]);
    let mut out = Vec::new();
    std::io::copy(&mut zip.by_index(0).unwrap(), &mut out).unwrap();
    assert!(out == content);
}

#[tokio::test]
async fn what_is_unpacked_can_be_read_by_everybody() {
    let server = Server::start().await;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let private = zip::write::SimpleFileOptions::default().unix_permissions(0o600);
    archive.start_file("d/key", private).unwrap();
    let query = format!("destination={}", server.path("in"));
    let archive = archive.finish().unwrap().into_inner();
    let (status, body) = upload(&server, &query, "a.zip", archive).await;
    assert_eq!(status, 200, "{body}");
    let mode = fs::metadata(server.path("in/d/key")).unwrap().mode();
    assert_eq!(mode & 0o7777, 0o644);
}

#[tokio::test]
async fn a_directory_that_cannot_be_read_does_not_spoil_a_download() {
    let server = Server::start().await;
    fs::create_dir_all(server.path("d/open")).unwrap();
    fs::write(server.path("d/open/a"), "1").unwrap();
    // A path that is too long cannot be opened, not even by root.
    server
        .output("python3 -c \"import os; os.chdir('d'); [(os.mkdir('x' * 250), os.chdir('x' * 250)) for _ in range(20)]\"")
        .await;
    let answer = server
        .get(&format!("/download_files?path={}", server.path("d")))
        .await;
    let bytes = answer.bytes().await.unwrap();
    let zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    assert_eq!(names(&zip), ["open/a"]);
}

#[tokio::test]
async fn nothing_is_written_outside_of_the_destination() {
    let server = Server::start().await;
    let query = format!("destination={}", server.path("in"));
    let (status, body) = upload(&server, &query, "../../evil.txt", b"x".to_vec()).await;
    assert_eq!(status, 500, "{body}");
    let slip = zip(&[("../evil.txt", "x"), ("good.txt", "y")]);
    let (status, body) = upload(
        &server,
        &format!("{query}&recursive=true"),
        "slip.zip",
        slip,
    )
    .await;
    assert_eq!(status, 500, "{body}");
    assert!(!server.workspace.join("evil.txt").exists());
    assert!(!server.workspace.parent().unwrap().join("evil.txt").exists());
}

#[tokio::test]
async fn a_download_has_every_file_and_follows_no_directory_link() {
    let server = Server::start().await;
    fs::create_dir_all(server.path("d/empty")).unwrap();
    fs::write(server.path("d/\u{e9} b.txt"), "1").unwrap();
    fs::write(server.path("d/.hidden"), "2").unwrap();
    std::os::unix::fs::symlink("..", server.path("d/up")).unwrap();
    std::os::unix::fs::symlink("/nowhere", server.path("d/dangling")).unwrap();
    let answer = server
        .get(&format!("/download_files?path={}", server.path("d")))
        .await;
    let bytes = answer.bytes().await.unwrap();
    let zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    assert_eq!(names(&zip), [".hidden", "\u{e9} b.txt"]);
    // A file is an archive without members; what is not there is told in the known words.
    let answer = server
        .get(&format!(
            "/download_files?path={}",
            server.path("d/.hidden")
        ))
        .await;
    assert_eq!(answer.bytes().await.unwrap().len(), 22);
    for (path, detail) in [
        ("rel", "400: Path must be an absolute path"),
        ("/no/x", "404: File not found"),
    ] {
        let answer = server.get(&format!("/download_files?path={path}")).await;
        assert_eq!(answer.status(), 500);
        assert_eq!(answer.json::<Value>().await.unwrap()["detail"], detail);
    }
    let answer = server.get("/download_files").await;
    assert_eq!(answer.status(), 422);
}
