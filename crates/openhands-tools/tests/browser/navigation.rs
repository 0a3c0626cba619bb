//! Addresses: what opens, what does not, and what never ends.

use crate::lab::{SOON, lab, lab_with, until};
use crate::site::Site;
use openhands_tools::browser::{BrowserError, Note, Opened, Underway};
use std::time::{Duration, Instant};
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread")]
async fn back_and_forward() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[("a", "<title>a</title>"), ("b", "<title>b</title>")]).await;
    let tab = lab.active().await.unwrap();
    assert!(!tab.go_back().await.unwrap());
    assert_eq!(tab.navigate(&site.url("a")).await.unwrap(), Opened::Loaded);
    tab.navigate(&site.url("b")).await.unwrap();
    assert!(tab.go_back().await.unwrap());
    assert_eq!(tab.title().await.unwrap(), "a");
    assert!(tab.go_forward().await.unwrap());
    assert_eq!(tab.url(), site.url("b"));
    assert!(!tab.go_forward().await.unwrap());
    // A place in the same page is an address, too.
    assert_eq!(
        tab.navigate(&site.url("b#part")).await.unwrap(),
        Opened::Loaded
    );
    assert_eq!(tab.url(), site.url("b#part"));
    tab.reload().await.unwrap();
    assert_eq!(tab.url(), site.url("b#part"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_opened_says_why() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    let refused = {
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    for (url, expected) in [
        (site.url("loop"), "net::ERR_TOO_MANY_REDIRECTS"),
        (refused, "net::ERR_CONNECTION_REFUSED"),
        ("http://127.0.0.1:1/".to_owned(), "net::ERR_UNSAFE_PORT"),
    ] {
        match tab.navigate(&url).await {
            Err(BrowserError::Navigation { text, .. }) => assert_eq!(text, expected),
            other => panic!("{url}: {other:?}"),
        }
    }
    match tab.navigate("no address at all").await {
        Err(BrowserError::Refused { message, .. }) => {
            assert!(message.contains("invalid URL"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    // The tab is as good as before. A page that is not there is a page.
    tab.navigate(&site.url("missing")).await.unwrap();
    assert_eq!(
        tab.evaluate("document.body.innerText").await.unwrap(),
        "Nothing here"
    );
    let told = lab
        .take_notes()
        .iter()
        .any(|note| matches!(note, Note::RequestFailed { text, .. } if text.contains("404")));
    assert!(told);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_ends_is_shown_as_far_as_it_is() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    let opened = tab
        .navigate_within(&site.url("endless"), Duration::from_secs(2))
        .await
        .unwrap();
    assert_eq!(opened, Opened::StillLoading);
    assert!(tab.is_loading());
    assert_eq!(tab.title().await.unwrap(), "endless");
    tab.screenshot().await.unwrap();
    tab.navigate(&site.url("")).await.unwrap();
    assert_eq!(tab.title().await.unwrap(), "home");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_ends_in_a_timeout() {
    let Some(lab) = lab_with(|settings| settings.navigation_timeout = Duration::from_secs(1))
    else {
        return;
    };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    let error = tab.navigate(&site.url("hanging")).await.unwrap_err();
    assert!(matches!(error, BrowserError::Timeout { .. }), "{error:?}");
    tab.navigate(&site.url("")).await.unwrap();
    assert_eq!(tab.title().await.unwrap(), "home");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_saved_and_told_with_its_place() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("")).await.unwrap();
    let url = site.url("file/report.bin");
    assert_eq!(tab.navigate(&url).await.unwrap(), Opened::Download);
    assert_eq!(tab.title().await.unwrap(), "home");
    lab.downloads_done(&Underway::default(), SOON).await;
    let path = lab.folder.path().join("downloads/report.bin");
    assert_eq!(
        lab.take_notes(),
        [Note::Downloaded {
            url,
            path: path.clone()
        }]
    );
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        "what the file holds"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_that_leaves_the_page_is_waited_for() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[
        ("a", "<button onclick=\"location.href = 'b'\">go</button>"),
        ("b", "<title>there</title>"),
        ("still", "<button>nothing</button>"),
        (
            "mail",
            "<a href='mailto:ada@example.org' style='font-size:40px'>write</a>",
        ),
    ])
    .await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("a")).await.unwrap();
    tab.click(openhands_tools::browser::Mouse::at(20.0, 20.0))
        .await
        .unwrap();
    tab.settle(&Underway::default(), SOON).await;
    assert_eq!(tab.title().await.unwrap(), "there");
    // Neither a page that does nothing nor an address for another program costs the limit.
    tab.navigate(&site.url("mail")).await.unwrap();
    tab.click(openhands_tools::browser::Mouse::at(20.0, 20.0))
        .await
        .unwrap();
    let began = Instant::now();
    tab.settle(&Underway::default(), SOON).await;
    assert!(began.elapsed() < SOON / 2 && !tab.is_loading());
    tab.navigate(&site.url("still")).await.unwrap();
    let began = Instant::now();
    tab.settle(&Underway::default(), SOON).await;
    assert!(began.elapsed() < SOON / 2);
}

/// Longer than anybody waits for a test: what comes to its end in time was not waited for.
const HOUR: Duration = Duration::from_hours(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loaded_before_an_action_is_not_waited_for() {
    let Some(lab) = lab() else { return };
    let page = "<title>page</title><a href='/file/report.bin'>file</a><a href='/'>home</a>";
    let site = Site::with(&[("page", page)]).await;
    let tab = lab.active().await.unwrap();
    let url = site.url("endless/page");
    let opening = tab.navigate_within(&url, HOUR);
    let acting = async {
        until(&tab, "document.querySelectorAll('a').length", 2).await;
        let before = lab.underway();
        tab.press("Tab").await.unwrap();
        timeout(SOON, tab.settle(&before, HOUR)).await.unwrap();
        assert!(tab.is_loading());
        let before = lab.underway();
        tab.evaluate("document.querySelector('a').click()")
            .await
            .unwrap();
        timeout(SOON, tab.settle(&before, HOUR)).await.unwrap();
        // What an action begins is waited for all the same.
        let before = lab.underway();
        tab.evaluate("document.querySelectorAll('a')[1].click()")
            .await
            .unwrap();
        timeout(SOON, tab.settle(&before, HOUR)).await.unwrap();
        assert_eq!(tab.title().await.unwrap(), "home");
    };
    let (opened, ()) = tokio::join!(opening, acting);
    assert_eq!(opened.unwrap(), Opened::Loaded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_came_before_an_action_is_not_waited_for() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    let nothing = lab.underway();
    tab.navigate(&site.url("file/endless/big.bin"))
        .await
        .unwrap();
    let deadline = Instant::now() + SOON;
    while lab
        .downloads_done(&nothing, Duration::from_millis(10))
        .await
    {
        assert!(Instant::now() < deadline, "the file does not come");
        tokio::task::yield_now().await;
    }
    let before = lab.underway();
    assert!(
        timeout(SOON, lab.downloads_done(&before, HOUR))
            .await
            .unwrap()
    );
    tab.navigate(&site.url("file/small.bin")).await.unwrap();
    let small = lab.folder.path().join("downloads/small.bin");
    while !small.exists() {
        assert!(Instant::now() < deadline, "the other file does not come");
        lab.downloads_done(&before, Duration::from_millis(10)).await;
        tokio::task::yield_now().await;
    }
}
