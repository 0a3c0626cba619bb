//! What cells show.

use crate::lab::Lab;
use openhands_tools::OutputSink;
use openhands_tools::ipython::{Cell, End};
use pretty_assertions::assert_eq;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn prints_values_and_variables_are_there() {
    let Some(lab) = Lab::new() else { return };
    assert_eq!(lab.text("print('hi')").await, "hi");
    assert_eq!(lab.text("x = 1").await, "");
    assert_eq!(lab.text("x + 41").await, "42");
    let both = "import sys; print('o'); print('e', file=sys.stderr)";
    let text = lab.text(both).await;
    assert!(text == "o\ne" || text == "e\no", "{text:?}");
    assert_eq!(lab.text("print('a'); 7").await, "a\n7");
    assert_eq!(lab.text("print('é ☃ \\U0001f600')").await, "é ☃ \u{1f600}");
}

#[tokio::test]
async fn what_subprocesses_print_is_there() {
    let Some(lab) = Lab::new() else { return };
    let code = "import subprocess\nsubprocess.run(['echo', 'from a child'])\nNone";
    for _ in 0..10 {
        assert_eq!(lab.text(code).await, "from a child");
    }
    assert_eq!(lab.text("!echo from a shell").await, "from a shell");
}

#[tokio::test]
async fn an_exception_shows_its_traceback_without_colours() {
    let Some(lab) = Lab::new() else { return };
    let ran = lab.run("1/0").await;
    assert_eq!(ran.end, End::Failed("ZeroDivisionError".to_owned()));
    let wanted = "\
---------------------------------------------------------------------------
ZeroDivisionError                         Traceback (most recent call last)
Cell In[1], line 1
----> 1 1/0

ZeroDivisionError: division by zero";
    assert_eq!(ran.text, wanted);
    let ran = lab.run("this is no Python").await;
    assert_eq!(ran.end, End::Failed("SyntaxError".to_owned()));
    assert!(!ran.text.contains('\u{1b}'), "{:?}", ran.text);
}

#[tokio::test]
async fn images_become_data_urls() {
    let Some(lab) = Lab::new() else { return };
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==";
    let code = format!(
        "from IPython.display import Image, display\nimport base64\n\
         display(Image(data=base64.b64decode('{png}')))"
    );
    let ran = lab.run(&code).await;
    assert_eq!(ran.images, [format!("data:image/png;base64,{png}")]);
    assert_eq!(ran.text, "<IPython.core.display.Image object>");
}

#[tokio::test]
async fn no_print_is_lost() {
    let Some(lab) = Lab::new() else { return };
    let wanted: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
    let wanted = wanted.join("\n");
    let plain = "for i in range(1000): print(i)";
    let flushed = "for i in range(1000): print(i, flush=True)";
    for code in [plain, flushed] {
        assert_eq!(lab.text(code).await, wanted, "{code}");
    }
    // More messages than a kernel queues by default.
    let ran = lab.run("for i in range(5000): display(i)").await;
    let wanted: String = (0..5000).map(|i| i.to_string()).collect();
    assert_eq!(ran.text, wanted);
}

#[tokio::test]
async fn long_output_keeps_both_ends() {
    let Some(lab) = Lab::new() else { return };
    let begin = Instant::now();
    let ran = lab
        .run("print('begin'); print('x' * (20 << 20)); print('end')")
        .await;
    assert!(ran.text.starts_with("begin\nxxx"));
    assert!(ran.text.ends_with("xxx\nend"));
    assert!(
        ran.text
            .contains("[... Observation truncated due to length ...]")
    );
    assert!(ran.text.len() < (16 << 20) + 100, "{}", ran.text.len());
    println!("20 MB in {:?}", begin.elapsed());
    assert_eq!(lab.text("print('after')").await, "after");
}

#[tokio::test]
async fn text_that_is_no_unicode_and_control_characters_do_no_harm() {
    let Some(lab) = Lab::new() else { return };
    let text = lab.text("print('a\\ud800b')").await;
    assert!(text.contains('a') && text.contains('b'), "{text:?}");
    assert_eq!(lab.text("print('x\\0y\\x07z')").await, "x\0y\u{7}z");
    let code = "import sys; sys.stdout.flush(); import os; os.write(1, bytes(range(128, 256))); print('end')";
    assert!(lab.text(code).await.contains("end"));
}

#[tokio::test]
async fn nobody_answers_questions() {
    let Some(lab) = Lab::new() else { return };
    let ran = lab.run("input('name? ')").await;
    assert_eq!(ran.end, End::Failed("StdinNotImplementedError".to_owned()));
    assert!(
        ran.text.contains("StdinNotImplementedError"),
        "{}",
        ran.text
    );
}

#[tokio::test]
async fn displays_are_replaced_and_cleared() {
    let Some(lab) = Lab::new() else { return };
    let code = "\
print('before')
handle = display('10%', display_id=True)
for i in (20, 100): handle.update(f'{i}%')
print('after')";
    let text = lab.text(code).await;
    assert!(
        text.contains("'100%'") && !text.contains("10%'\n"),
        "{text}"
    );
    let code =
        "from IPython.display import clear_output\nprint('gone')\nclear_output()\nprint('new')";
    assert_eq!(lab.text(code).await, "new");
}

#[tokio::test]
async fn cells_follow_a_directory_and_leave_it_by_themselves() {
    let Some(lab) = Lab::new() else { return };
    let one = lab
        .directory
        .path()
        .canonicalize()
        .unwrap()
        .join("it's \"one\" é");
    std::fs::create_dir(&one).unwrap();
    let cell = |code: &str| Cell {
        code: code.to_owned(),
        directory: Some(one.clone()),
        ..Cell::default()
    };
    let ran = lab.run_cell(cell("import os; print(os.getcwd())")).await;
    assert_eq!(ran.text, one.display().to_string());
    lab.run_cell(cell("os.chdir('/')")).await;
    let ran = lab.run_cell(cell("print(os.getcwd())")).await;
    assert_eq!(ran.text, "/", "nobody asked for another directory since");
    let gone = Cell {
        directory: Some("/does/not/exist".into()),
        ..cell("print(os.getcwd())")
    };
    assert_eq!(lab.run_cell(gone).await.text, "/");
}

#[tokio::test]
async fn variables_reach_the_kernel_and_the_one_after_it() {
    let Some(lab) = Lab::new() else { return };
    let value = "it's \"quoted\"\n☃";
    lab.ipython.start().await.unwrap();
    lab.ipython
        .set_variables([("OH_A".to_owned(), value.to_owned())])
        .await
        .unwrap();
    let show = "import os; print(repr([os.environ.get('OH_A'), os.environ.get('OH_B')]))";
    let ran = lab
        .run_cell(Cell {
            code: show.to_owned(),
            variables: vec![
                ("OH_B".to_owned(), "b".to_owned()),
                ("bad=name".to_owned(), String::new()),
            ],
            ..Cell::default()
        })
        .await;
    assert_eq!(ran.text, "['it\\'s \"quoted\"\\n☃', 'b']");
    lab.ipython.restart().await.unwrap();
    assert_eq!(lab.text(show).await, "['it\\'s \"quoted\"\\n☃', None]");
}

#[tokio::test]
async fn output_comes_while_the_cell_runs() {
    let Some(lab) = Lab::new() else { return };
    let (output, mut pieces) = OutputSink::channel(64);
    let file = lab.directory.path().join("go");
    // The cell goes on only after its first output was seen.
    let code = "\
import os, time
print('first', flush=True)
while not os.path.exists('go'): time.sleep(0.01)
print('second')";
    let cell = Cell {
        code: code.to_owned(),
        output,
        timeout: Some(Duration::from_mins(1)),
        ..Cell::default()
    };
    let cancel = CancellationToken::new();
    let seen = async {
        let first = pieces.recv().await.unwrap();
        assert!(first.starts_with(b"first"), "{first:?}");
        std::fs::write(&file, "").unwrap();
    };
    let (ran, ()) = tokio::join!(lab.ipython.run(cell, &cancel), seen);
    assert_eq!(ran.unwrap().text, "first\nsecond");
}

#[tokio::test]
async fn cells_that_are_sent_together_run_one_after_the_other() {
    let Some(lab) = Lab::new() else { return };
    lab.run("seen = []").await;
    let cells = (0..8).map(|i| {
        let code = format!("seen.append({i}); import time; time.sleep(0.01); print('cell {i}')");
        let lab = &lab;
        async move { (i, lab.text(&code).await) }
    });
    for (i, text) in futures_util::future::join_all(cells).await {
        assert_eq!(text, format!("cell {i}"));
    }
    assert_eq!(lab.text("sorted(seen)").await, "[0, 1, 2, 3, 4, 5, 6, 7]");
}
