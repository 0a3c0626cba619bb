//! Where the secrets of a call are, and where they are not.

use std::path::Path;

use openhands_protocol::{ConversationId, Secret};
use openhands_sdk_rs::tools::CallContext;

use crate::binary::Binary;
use crate::world::{context, long_time, observe, processes_with, runtime_at, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_in_the_environment_and_nowhere_else() {
    let inner = Binary::start().await;
    let work = inner.directory.path().join("work");
    let runtime = runtime_at(&inner.url(), ConversationId::random(), &work);
    let secret = format!("hidden-{}", long_time());
    let seconds = long_time();
    let cx = || CallContext {
        env: vec![("TOKEN".to_owned(), Secret::new(&*secret))],
        ..context()
    };
    let go = work.join("go");
    let command = format!(
        "printenv TOKEN | rev; sleep {seconds} & until [ -e {} ]; do sleep 0.01; done; kill %1",
        go.display()
    );
    let calling = observe(&runtime, &command, cx());
    let looking = async {
        let marker = format!("sleep\0{seconds}");
        until("it runs", || !processes_with(&marker).is_empty()).await;
        assert_eq!(processes_with(&secret), Vec::<u32>::new());
        let child = processes_with(&marker)[0];
        let environment = std::fs::read(format!("/proc/{child}/environ")).unwrap();
        assert!(String::from_utf8_lossy(&environment).contains(&secret));
        assert_eq!(
            files_with(inner.directory.path(), &secret),
            Vec::<String>::new()
        );
        std::fs::write(&go, "").unwrap();
    };
    let (answer, ()) = tokio::join!(calling, looking);
    let reversed: String = secret.chars().rev().collect();
    let text = answer.unwrap().text();
    assert!(text.contains(&reversed), "{text}");
    assert!(!inner.log().is_empty());
    assert!(!inner.log().contains(&secret));
    assert_eq!(
        files_with(inner.directory.path(), &secret),
        Vec::<String>::new()
    );
}

/// The files below a directory that hold a text.
fn files_with(directory: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if path.is_file()
            && String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).contains(text)
        {
            found.push(path.display().to_string());
        }
    }
    found
}
