//! Settings that pages notice: permissions and the proxy.

use crate::lab::lab_with;
use crate::site::Site;

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_the_permissions_that_were_set_and_no_others() {
    let Some(lab) = lab_with(|settings| settings.permissions = vec!["geolocation".to_owned()])
    else {
        return;
    };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("")).await.unwrap();
    let state = |name: &str| {
        format!("navigator.permissions.query({{name: '{name}'}}).then(it => it.state)")
    };
    let geolocation = tab.evaluate(&state("geolocation")).await.unwrap();
    assert_eq!(geolocation, "granted");
    let camera = tab.evaluate(&state("camera")).await.unwrap();
    assert_ne!(camera, "granted");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_come_through_the_proxy() {
    // The site answers for every name that it is asked for as a proxy.
    let site = Site::with(&[("page", "<title>by the proxy</title>")]).await;
    let Some(lab) = lab_with(|settings| {
        settings.proxy = Some(site.url("").trim_end_matches('/').to_owned());
        settings.proxy_bypass = Some("<-loopback>".to_owned());
    }) else {
        return;
    };
    let tab = lab.active().await.unwrap();
    tab.navigate("http://nowhere.invalid/page").await.unwrap();
    assert_eq!(tab.url(), "http://nowhere.invalid/page");
    assert_eq!(tab.title().await.unwrap(), "by the proxy");
}
