//! The text of pages.

use crate::desk::Desk;
use crate::site::Site;
use pretty_assertions::assert_eq;
use serde_json::json;

const PAGE: &str = r#"<!doctype html><meta charset=utf-8><title>Text</title><style>p{color:red}</style><script>var x = 'script';</script>
<h1>Head <small>line</small></h1><p>Hello <b>bold</b> and <a href="/other">a link</a>,
<em>em</em>.<br>Next</p><p style="display:none">hidden</p><p style="visibility:hidden">unseen <b style="visibility:visible">but this</b></p>
<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><ol start=3><li>third</li></ol>
<pre><code>let x = 1;
  y</code></pre><blockquote>quoted</blockquote><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
<form><input value=typed><input type=password value=secret><input type=checkbox checked><select><option>No<option selected>Yes</select>
<textarea>written</textarea><button>Send</button><button>Cancel</button></form><div>first</div><div>second</div>"#;

#[tokio::test]
async fn a_page_is_told_as_markdown() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("page", PAGE)]).await;
    desk.open(&site.url("page")).await;
    let text = desk.call("get_content", json!({})).await;
    let url = site.url("page");
    let begin = format!("<url>\n{url}\n</url>\n<content>\n<content_stats>\nContent processed: ");
    assert!(text.starts_with(&begin), "{text}");
    let expected = "# Head line\n\nHello **bold** and a link, *em*.\nNext\n\n**but this**\n\n- one\n  - inner\n- two\n\n3. third\n\n\
                    ```\nlet x = 1;\n  y\n```\n\n> quoted\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\ntyped [x] Yes written Send Cancel\nfirst\nsecond";
    assert_eq!(desk.page().await, expected);
    let linked = desk
        .call("get_content", json!({"extract_links": true}))
        .await;
    assert!(linked.contains("and [a link](/other), *em*."), "{linked}");
}

#[tokio::test]
async fn a_long_page_is_read_in_pieces() {
    let Some(desk) = Desk::new() else { return };
    let long: Vec<String> = (0..900)
        .map(|number| {
            format!(
                "<p>Paragraph {number}: {}</p>",
                "words and words ".repeat(4)
            )
        })
        .collect();
    let site = Site::with(&[("long", &long.concat())]).await;
    desk.open(&site.url("long")).await;
    let mut start = 0;
    let mut seen = String::new();
    let mut pieces = 0;
    loop {
        let text = desk
            .call("get_content", json!({"start_from_char": start}))
            .await;
        let (_, rest) = text.split_once("<webpage_content>\n").unwrap();
        let (piece, _) = rest.split_once("\n</webpage_content>").unwrap();
        assert!(piece.chars().count() <= 30_000);
        seen.push_str(piece);
        pieces += 1;
        let Some((_, next)) = text.split_once("use start_from_char=") else {
            break;
        };
        start = next.split(' ').next().unwrap().parse::<usize>().unwrap();
    }
    assert!(pieces >= 3, "{pieces}");
    for number in 0..900 {
        assert!(seen.contains(&format!("Paragraph {number}: ")), "{number}");
    }
    let total = seen.chars().count();
    let text = desk
        .call("get_content", json!({"start_from_char": total + 5}))
        .await;
    assert_eq!(
        text,
        format!(
            "start_from_char ({}) exceeds content length ({total}). Content has {total} characters after filtering.",
            total + 5
        )
    );
}

#[tokio::test]
async fn a_deeply_nested_page_is_read() {
    let Some(desk) = Desk::new() else { return };
    let page = "<title>t</title><div id=top></div><script>let at = top_; for (let i = 0; i < 700; i += 1) at = at.appendChild(document.createElement('div'));
        at.textContent = 'the bottom'; at.innerHTML = '<button>deep button</button> the bottom';</script>"
        .replace("top_", "document.getElementById('top')");
    let site = Site::with(&[("deep", &page)]).await;
    desk.open(&site.url("deep")).await;
    assert_eq!(desk.page().await, "deep button the bottom");
    desk.click("deep button").await;
}
