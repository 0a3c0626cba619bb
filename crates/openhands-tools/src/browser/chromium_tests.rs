use super::*;
use std::os::unix::fs::PermissionsExt as _;

fn environment_with(variables: &[(&str, &Path)]) -> Environment {
    variables
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()))
        .collect()
}

fn program(file: &Path) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "").unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_program_is_found_by_name_then_from_playwright() {
    let folder = tempfile::tempdir().unwrap();
    let (bin, home) = (folder.path().join("bin"), folder.path().join("home"));
    let variables = environment_with(&[("PATH", &bin), ("HOME", &home)]);
    assert!(matches!(
        find(None, &variables),
        Err(BrowserError::NoChromium)
    ));
    let old = home.join(".cache/ms-playwright/chromium-1100/chrome-linux/chrome");
    let new = home.join(".cache/ms-playwright/chromium-1187/chrome-linux/chrome");
    program(&old);
    program(&new);
    assert_eq!(find(None, &variables).unwrap(), new);
    program(&bin.join("google-chrome"));
    assert_eq!(find(None, &variables).unwrap(), bin.join("google-chrome"));
    program(&bin.join("chromium"));
    assert_eq!(find(None, &variables).unwrap(), bin.join("chromium"));
    let named = find(Some(Path::new("google-chrome")), &variables);
    assert_eq!(named.unwrap(), bin.join("google-chrome"));
    let missing = find(Some(Path::new("/nowhere/chromium")), &variables);
    assert!(matches!(missing, Err(BrowserError::NotThere(_))));
}

#[test]
fn settings_become_arguments() {
    let mut settings = BrowserSettings::new("/", []);
    settings.proxy = Some("socks5://127.0.0.1:9".to_owned());
    settings.proxy_bypass = Some("<-loopback>".to_owned());
    settings.user_agent = Some("Sandpiper".to_owned());
    settings.arguments = vec!["--lang=de".to_owned()];
    let all = arguments(&settings, true, Path::new("/profile"));
    for expected in [
        "--remote-debugging-pipe",
        "--disable-background-networking",
        "--user-data-dir=/profile",
        "--proxy-server=socks5://127.0.0.1:9",
        "--proxy-bypass-list=<-loopback>",
        "--user-agent=Sandpiper",
        "--lang=de",
    ] {
        assert!(
            all.iter().any(|argument| argument == expected),
            "{expected}"
        );
    }
    let is_open = |all: &[OsString]| all.iter().any(|argument| argument == "--no-sandbox");
    assert!(!is_open(&all));
    assert!(is_open(&arguments(&settings, false, Path::new("/profile"))));
}
