//! Frames: of the same site, of another one, and inside of each other.

use crate::lab::{SOON, lab};
use crate::site::Site;
use openhands_tools::browser::{Frame, Tab};

async fn frames_of(tab: &Tab, count: usize) -> Vec<Frame> {
    let deadline = tokio::time::Instant::now() + SOON;
    loop {
        let frames = tab.frames().await.unwrap();
        if frames.len() == count {
            return frames;
        }
        assert!(tokio::time::Instant::now() < deadline, "{frames:?}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_run_in_every_frame() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[
        ("inner", "<title>inner</title><p>inside</p>"),
        ("same", "<title>same</title><iframe src=inner></iframe>"),
        ("other", "<title>other</title><iframe src=inner></iframe>"),
    ])
    .await;
    let outer = format!(
        "<title>outer</title><iframe src='{}'></iframe><iframe src='{}'></iframe>",
        site.url("same"),
        site.elsewhere("other"),
    );
    let host = Site::with(&[("outer", &outer)]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&host.url("outer")).await.unwrap();
    let frames = frames_of(&tab, 5).await;
    let mut titles = Vec::new();
    for frame in &frames {
        let title = tab.evaluate_in(frame, "document.title").await.unwrap();
        titles.push(title.as_str().unwrap().to_owned());
    }
    assert_eq!(titles, ["outer", "same", "inner", "other", "inner"]);
    assert_eq!(frames[3].parent.as_deref(), Some(frames[0].id.as_str()));
    assert_eq!(frames[4].parent.as_deref(), Some(frames[3].id.as_str()));
    // The one of another site is in a process of its own.
    assert_ne!(frames[3].session, frames[0].session);
    assert_eq!(frames[4].session, frames[3].session);
    assert!(frames[3].is_local_root && !frames[4].is_local_root);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_place_of_a_frame_of_another_site_is_known() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[(
        "button",
        "<body style='margin:0'><button style='width:50px;height:40px' onclick='window.hit = 1'>x</button>",
    )])
    .await;
    let outer = format!(
        "<body style='margin:0'><iframe style='position:absolute;left:100px;top:200px;border:3px solid' src='{}'></iframe>",
        site.elsewhere("button"),
    );
    let host = Site::with(&[("outer", &outer)]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&host.url("outer")).await.unwrap();
    let frames = frames_of(&tab, 2).await;
    assert_eq!(
        tab.origin_of(&frames[0], &frames).await.unwrap(),
        (0.0, 0.0)
    );
    let (x, y) = tab.origin_of(&frames[1], &frames).await.unwrap();
    // Only what was drawn can be hit.
    let drawn =
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
    tab.evaluate_in(&frames[1], drawn).await.unwrap();
    assert_eq!((x, y), (103.0, 203.0));
    tab.click(openhands_tools::browser::Mouse::at(x + 20.0, y + 20.0))
        .await
        .unwrap();
    let deadline = tokio::time::Instant::now() + SOON;
    while tab.evaluate_in(&frames[1], "window.hit").await.unwrap() != 1 {
        assert!(tokio::time::Instant::now() < deadline);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
