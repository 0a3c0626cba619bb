use std::fs;

use pretty_assertions::assert_eq;
use reqwest::{Client, Response};
use tempfile::TempDir;

use super::*;

struct World {
    place: TempDir,
    url: String,
    client: Client,
    _viewer: FileViewer,
}

impl World {
    async fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let url_file = place.path().join("url");
        let viewer = FileViewer::start(0, &url_file).await.unwrap();
        Self {
            url: fs::read_to_string(url_file).unwrap(),
            place,
            client: Client::new(),
            _viewer: viewer,
        }
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.place.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    async fn get(&self, route: &str, path: &str) -> Response {
        let request = self.client.get(format!("{}{route}", self.url));
        request.query(&[("path", path)]).send().await.unwrap()
    }

    /// The page of a file.
    async fn page(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let response = self.get("/view", &self.file(name, content)).await;
        assert_eq!(response.status(), 200);
        assert_eq!(
            response.headers()["content-type"],
            "text/html; charset=utf-8"
        );
        response.text().await.unwrap()
    }
}

#[tokio::test]
async fn the_address_is_written_and_answers() {
    let world = World::new().await;
    assert!(world.url.starts_with("http://localhost:"), "{}", world.url);
    let response = world.client.get(format!("{}/", world.url)).send().await;
    let body = response.unwrap().text().await.unwrap();
    assert_eq!(body, r#"{"status":"File viewer server is running"}"#);
}

#[tokio::test]
async fn the_port_comes_after_the_main_one_and_another_viewer_takes_another() {
    let place = tempfile::tempdir().unwrap();
    // A link that somebody put there is replaced, not followed.
    let victim = place.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    let url_file = place.path().join("url");
    std::os::unix::fs::symlink(&victim, &url_file).unwrap();
    let port = |url: &str| -> u16 { url.rsplit(':').next().unwrap().parse().unwrap() };
    let one = FileViewer::start(23456, &url_file).await.unwrap();
    let first = port(&fs::read_to_string(&url_file).unwrap());
    let two = FileViewer::start(23456, &url_file).await.unwrap();
    let second = port(&fs::read_to_string(&url_file).unwrap());
    for port in [first, second] {
        assert!((23457..=23456 + 1024).contains(&port), "{port}");
    }
    assert_ne!(first, second);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    drop((one, two));
    let last = FileViewer::start(65534, &url_file).await;
    assert!(last.is_ok() || last.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse));
}

#[tokio::test]
async fn what_cannot_be_shown_has_the_status_that_clients_know() {
    let world = World::new().await;
    let place = world.place.path().to_str().unwrap().to_owned();
    let pipe = world.place.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let binary = world.file("a.bin", b"\x7fELF\0\0\0");
    for (path, status) in [
        ("relative/path", 400),
        (place.as_str(), 400),
        ("/no/such/<b>file</b>", 404),
        (binary.as_str(), 500),
        (pipe.to_str().unwrap(), 500),
    ] {
        let response = world.get("/view", path).await;
        assert_eq!(response.status(), status, "{path}");
        let page = response.text().await.unwrap();
        assert!(!page.contains("<b>"), "{page}");
    }
    let response = world.client.get(format!("{}/view", world.url)).send().await;
    assert_eq!(response.unwrap().status(), 422);
}

#[tokio::test]
async fn only_local_names_are_answered_and_browsers_are_told_to_be_careful() {
    let world = World::new().await;
    let path = world.file("a.txt", "secret");
    let url = format!("{}/view?path={path}", world.url);
    for (host, status) in [
        ("localhost", 200),
        ("localhost:80", 200),
        ("127.0.0.1:80", 200),
        ("[::1]:80", 200),
        ("LOCALHOST", 200),
        ("evil.example", 403),
        ("localhost.evil.example:80", 403),
        ("127.0.0.1.evil.example", 403),
    ] {
        let response = world.client.get(&url).header("host", host).send().await;
        let response = response.unwrap();
        assert_eq!(response.status(), status, "{host}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        let policy = response.headers()["content-security-policy"]
            .to_str()
            .unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("script-src"));
        assert_eq!(
            response.headers()["cross-origin-resource-policy"],
            "same-origin"
        );
        let page = response.text().await.unwrap();
        assert_eq!(page.contains("secret"), status == 200, "{host}");
    }
}

#[tokio::test]
async fn pictures_and_pdf_are_embedded_whatever_their_size() {
    let world = World::new().await;
    let pages = [
        ("a.png", "image/png"),
        ("b.JPG", "image/jpeg"),
        ("c.gif", "image/gif"),
        ("d.bmp", "image/bmp"),
        ("e.webp", "image/webp"),
        ("f.svg", "image/svg+xml"),
        ("g.pdf", "application/pdf"),
    ];
    for (name, media) in pages {
        let page = world.page(name, "abcd").await;
        assert!(
            page.contains(&format!("\"data:{media};base64,YWJjZA==\"")),
            "{page}"
        );
        assert_eq!(page.contains("<img"), name != "g.pdf");
    }
    // More than one piece, and just as much as the pieces hold.
    for size in [0, 1, 49_152, 49_153, 100_000, 147_456] {
        let content: Vec<u8> = (0..size).map(|at: u32| at.to_le_bytes()[0] ^ 7).collect();
        let page = world.page("big.png", &content).await;
        let (_, rest) = page.split_once("base64,").unwrap();
        let (data, _) = rest.split_once('"').unwrap();
        let decoded = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data);
        assert_eq!(decoded.unwrap(), content);
    }
    // What is too big for a page comes by itself.
    let path = world.file("huge.png", "");
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(20 << 20)
        .unwrap();
    let page = world.get("/view", &path).await.text().await.unwrap();
    assert!(
        page.len() < 2000 && page.contains("src=\"/raw?path=/"),
        "{page}"
    );
    let raw = world.get("/raw", &path).await;
    assert_eq!(raw.headers()["content-type"], "image/png");
    assert_eq!(raw.bytes().await.unwrap().len(), 20 << 20);
}

#[tokio::test]
async fn text_and_code_have_line_numbers_and_are_only_text() {
    let world = World::new().await;
    let code = "fn main() {\n    <script>alert(1)</script>\n\n}\n";
    for name in ["a.rs", "README.md", "noname", "data.json"] {
        let page = world.page(name, code).await;
        assert!(
            page.contains("<i>2  </i>    &lt;script&gt;alert(1)&lt;/script&gt;\n"),
            "{page}"
        );
        assert!(page.contains("<i>4  </i>}\n</pre>"), "{page}");
        assert!(!page.contains("<script"), "{page}");
    }
    let latin = world
        .page("latin.txt", b"caf\xe9 and much more that is plain")
        .await;
    assert!(latin.contains("caf\u{fffd}"), "{latin}");
    let long = "0123456789abcde\n".repeat(100_000);
    let page = world.page("long.log", &long).await;
    assert!(page.contains("Only the first 1 MB are shown."));
    assert!(page.contains("<i>65536  </i>0123456789abcde\n</pre>"));
    let one_line = "é".repeat(700_000);
    let page = world.page("line.txt", &one_line).await;
    assert!(page.contains("Only the first") && !page.contains('\u{fffd}'));
}

#[tokio::test]
async fn html_is_shown_without_its_scripts() {
    let world = World::new().await;
    let document = "<p title=\"x\">hello</p><script>parent.document.title = 'owned'</script>";
    let page = world.page("a.html", document).await;
    let frame =
        "<iframe sandbox srcdoc=\"&lt;p title=&quot;x&quot;&gt;hello&lt;/p&gt;&lt;script&gt;";
    assert!(page.contains(frame), "{page}");
    assert!(!page.contains("<script"), "{page}");
    let path = world.file("b.html", document);
    assert_eq!(world.get("/raw", &path).await.status(), 500);
    let svg = world.file("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    let raw = world.get("/raw", &svg).await;
    assert_eq!(raw.headers()["content-type"], "image/svg+xml");
    let policy = raw.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.ends_with("sandbox"), "{policy}");
}

#[tokio::test]
async fn video_plays_in_parts() {
    let world = World::new().await;
    let path = world.file("a film.mp4", (0..=255).collect::<Vec<u8>>());
    let page = world.get("/view", &path).await.text().await.unwrap();
    assert!(page.contains("<video controls src=\"/raw?path=/"), "{page}");
    assert!(page.contains("a%20film.mp4\""), "{page}");
    let url = format!("{}/raw", world.url);
    let request = world.client.get(url).query(&[("path", &path)]);
    let part = request.header("range", "bytes=16-31").send().await.unwrap();
    assert_eq!(part.status(), 206);
    assert_eq!(part.headers()["content-type"], "video/mp4");
    assert_eq!(part.headers()["content-range"], "bytes 16-31/256");
    assert_eq!(part.bytes().await.unwrap(), (16..32).collect::<Vec<u8>>());
}
