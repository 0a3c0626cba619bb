#![allow(clippy::all, clippy::pedantic, clippy::restriction)]
use openhands_process::*;
#[tokio::main]
async fn main() {
    let shell = Shell::start({
        let mut c = ShellConfig::new("/tmp", std::env::vars_os());
        if let Some(b) = std::env::var_os("BASHBIN") {
            c.bash = b.into();
        }
        c
    })
    .await
    .unwrap();
    for c in std::env::args().skip(1) {
        if let Some(k) = c.strip_prefix("KEY:") {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            shell.send_key(Key::parse(k).unwrap()).await.unwrap();
        } else {
            shell.run(&c, &[]).await.unwrap();
        }
        let o = shell
            .wait(
                Wait {
                    soft: None,
                    hard: Some(std::time::Duration::from_secs(1)),
                },
                &Default::default(),
            )
            .await;
        println!(
            "{c:?} -> {o:?}\n   {:?}",
            String::from_utf8_lossy(&shell.output().raw.head)
        );
    }
}
