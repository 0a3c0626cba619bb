//! Looking around.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::harness::World;
use crate::recording::recorded;

#[tokio::test]
async fn directories_are_made_and_listed_as_recorded() {
    // The server's own files are not in this home.
    let world = World::with(|config| {
        config.persistence_dir = config.conversations_path.with_file_name("user");
    })
    .await;
    let (ws, home) = (world.path().join("ws"), world.path().join("home"));
    for directory in ["f/d1/alpha", "f/d1/Beta", "f/d1/gamma", "f/d1/.hid"] {
        std::fs::create_dir_all(ws.join(directory)).unwrap();
    }
    std::fs::write(ws.join("f/e"), "").unwrap();
    std::fs::write(ws.join("f/d1/file"), "").unwrap();
    symlink(ws.join("f"), ws.join("f/d1/link")).unwrap();
    // A name that is no text cannot be asked for.
    std::fs::create_dir(ws.join("f/d1").join(std::ffi::OsStr::from_bytes(b"\xff"))).unwrap();
    for directory in ["projects", ".config"] {
        std::fs::create_dir_all(home.join(directory)).unwrap();
    }
    symlink(&ws, home.join("link")).unwrap();
    let texts = [
        ("/ws", ws.to_str().unwrap()),
        ("/home/user", home.to_str().unwrap()),
    ];
    for exchange in recorded("file-directories") {
        exchange.check(&world, &texts).await;
    }
}

/// Not even root makes directories there.
#[tokio::test]
async fn what_the_server_may_not_do_is_forbidden() {
    let world = World::new().await;
    let (status, body) = world
        .post(
            "/api/file/create_directory?path=/sys/openhands",
            &json!(null),
        )
        .await;
    assert_eq!(status, 403, "{body}");
}

#[tokio::test]
async fn names_that_differ_by_case_are_both_reached() {
    let world = World::new().await;
    for name in ["foo", "Foo", "FOO"] {
        std::fs::create_dir_all(world.path().join("d").join(name)).unwrap();
    }
    let base = format!(
        "/api/file/search_subdirs?limit=1&path={}/d",
        world.path().display()
    );
    let mut names = Vec::new();
    let mut page_id = String::new();
    loop {
        let (_, page) = world.get(&format!("{base}{page_id}")).await;
        names.push(page["items"][0]["name"].as_str().unwrap().to_owned());
        match page["next_page_id"].as_str() {
            Some(next) => page_id = format!("&page_id={next}"),
            None => break,
        }
    }
    assert_eq!(names, ["FOO", "Foo", "foo"]);
}
