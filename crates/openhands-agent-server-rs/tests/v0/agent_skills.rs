//! The functions of the plugin `agent_skills`, called by cells. The expected texts are those that the functions of OpenHands
//! 0.62 print.

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::ipython::{python, server, text};
use crate::server::{Server, Setup};

async fn prepared() -> Option<Server> {
    let server = server(&["agent_skills", "jupyter"]).await?;
    let lines: String = (1..=250).fold(String::new(), |text, i| text + &format!("line {i}\n"));
    std::fs::write(server.path("a.txt"), lines).unwrap();
    std::fs::write(server.path("short.txt"), "one\ntwo").unwrap();
    std::fs::create_dir(server.path("sub")).unwrap();
    std::fs::write(server.path("sub/b.py"), "x = 'line 7'\n").unwrap();
    std::fs::write(server.path("sub/.hidden"), "line 7\n").unwrap();
    Some(server)
}

/// The lines from one number to another, as a window shows them.
fn window(first: u32, last: u32) -> String {
    let lines: Vec<String> = (first..=last).map(|i| format!("{i}|line {i}")).collect();
    lines.join("\n")
}

#[tokio::test]
async fn a_window_moves_over_a_file() {
    let Some(server) = prepared().await else {
        return;
    };
    let none = "ERROR: No file open. Use the open_file function first.";
    assert_eq!(text(&server, "goto_line(3)").await, none);
    assert_eq!(text(&server, "scroll_down()").await, none);
    assert_eq!(
        text(&server, "open_file('nope')").await,
        "ERROR: File nope not found."
    );
    let header = format!("[File: {} (250 lines total)]", server.path("a.txt"));
    let top = format!(
        "{header}\n(this is the beginning of the file)\n{}\n(150 more lines below)",
        window(1, 100)
    );
    assert_eq!(
        text(&server, "open_file('a.txt')").await,
        format!("{top}\n[Use `scroll_down` to view the next 100 lines of the file!]")
    );
    let middle = window(101, 201);
    assert_eq!(
        text(&server, "scroll_down()").await,
        format!("{header}\n(100 more lines above)\n{middle}\n(49 more lines below)")
    );
    let end = window(151, 250);
    assert_eq!(
        text(&server, "scroll_down()").await,
        format!("{header}\n(150 more lines above)\n{end}\n(this is the end of the file)")
    );
    assert_eq!(text(&server, "goto_line(1)").await, top);
    assert_eq!(
        text(&server, "goto_line(251)").await,
        "ERROR: Line number must be between 1 and 250."
    );
    let around = window(95, 105);
    assert_eq!(
        text(&server, "open_file('a.txt', 100, 10)").await,
        format!(
            "{header}\n(94 more lines above)\n{around}\n(145 more lines below)\n\
             [Use `scroll_down` to view the next 100 lines of the file!]"
        )
    );
}

#[tokio::test]
async fn files_and_lines_are_found() {
    let Some(server) = prepared().await else {
        return;
    };
    assert_eq!(
        text(&server, "search_file('tw', 'short.txt')").await,
        "[Found 1 matches for \"tw\" in short.txt]\nLine 2: two\n[End of matches for \"tw\" in short.txt]"
    );
    assert_eq!(
        text(&server, "search_file('x')").await,
        "ERROR: No file specified or open. Use the open_file function first."
    );
    assert_eq!(
        text(&server, "search_dir('line 7', 'sub')").await,
        "[Found 1 matches for \"line 7\" in sub]\nsub/b.py (Line 1): x = 'line 7'\n[End of matches for \"line 7\" in sub]"
    );
    assert_eq!(
        text(&server, "search_dir('zzz')").await,
        "No matches found for \"zzz\" in ./"
    );
    assert_eq!(
        text(&server, "find_file('txt')").await,
        "[Found 2 matches for \"txt\" in ./]\n./a.txt\n./short.txt\n[End of matches for \"txt\" in ./]"
    );
    assert_eq!(
        text(&server, "find_file('b', 'nodir')").await,
        "ERROR: Directory nodir not found"
    );
}

/// What `file_editor` answered, without its marks.
async fn edit(server: &Server, arguments: &str) -> Value {
    let shown = text(server, &format!("print(file_editor({arguments}))")).await;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    let mark = lines[0].trim_matches(['<', '>']);
    assert!(mark.starts_with("oh_aci_output_"), "{shown}");
    assert_eq!(lines[2], format!("</{mark}>"));
    serde_json::from_str(lines[1]).unwrap()
}

#[tokio::test]
async fn files_are_edited_and_edits_taken_back() {
    let Some(server) = prepared().await else {
        return;
    };
    let path = server.path("short.txt");
    let edited = edit(
        &server,
        &format!("'str_replace', '{path}', old_str='two', new_str='zwei ü'"),
    )
    .await;
    assert_eq!(edited["error"], Value::Null, "{edited}");
    assert_eq!(edited["old_content"], "one\ntwo");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\nzwei ü");
    let undone = edit(&server, &format!("command='undo_edit', path='{path}'")).await;
    assert_eq!(undone["new_content"], "one\ntwo");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo");
    let missing = edit(&server, "command='view', path='/does/not/exist'").await;
    let error = missing["error"].as_str().unwrap();
    assert_eq!(
        missing["formatted_output_and_error"],
        format!("ERROR:\n{error}")
    );
    assert!(missing.get("path").is_none(), "{missing}");
}

#[tokio::test]
async fn documents_are_read() {
    let Some(server) = prepared().await else {
        return;
    };
    let make = "\
import docx, pptx
d = docx.Document(); d.add_paragraph('first'); d.add_paragraph('second'); d.save('d.docx')
p = pptx.Presentation(); s = p.slides.add_slide(p.slide_layouts[0]); s.shapes.title.text = 'Title'; p.save('p.pptx')
open('t.tex', 'w').write(r'Hello \\textbf{bold}')
None";
    assert_eq!(
        text(&server, make).await,
        "[Code executed successfully with no output]"
    );
    assert_eq!(
        text(&server, "parse_docx('d.docx')").await,
        "[Reading DOCX file from d.docx]\n@@ Page 1 @@\nfirst\n\n@@ Page 2 @@\nsecond"
    );
    assert_eq!(
        text(&server, "parse_pptx('p.pptx')").await,
        "[Reading PowerPoint file from p.pptx]\n@@ Slide 1 @@\nTitle"
    );
    assert_eq!(
        text(&server, "parse_latex('t.tex')").await,
        "[Reading LaTex file from t.tex]\nHello bold"
    );
    // A PDF of one page, written by hand.
    let pdf = "\
parts = [b'<< /Type /Catalog /Pages 2 0 R >>', b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 144] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
  b'<< /Length 40 >>\\nstream\\nBT /F1 24 Tf 50 100 Td (Hello PDF) Tj ET\\nendstream',
  b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
out, places = b'%PDF-1.4\\n', []
for i, part in enumerate(parts, 1):
    places.append(len(out)); out += b'%d 0 obj\\n%s\\nendobj\\n' % (i, part)
end = b'xref\\n0 6\\n0000000000 65535 f \\n' + b''.join(b'%010d 00000 n \\n' % at for at in places)
end += b'trailer << /Size 6 /Root 1 0 R >>\\nstartxref\\n%d\\n%%%%EOF\\n' % len(out)
open('f.pdf', 'wb').write(out + end)
parse_pdf('f.pdf')";
    assert_eq!(
        text(&server, pdf).await,
        "[Reading PDF file from f.pdf]\n@@ Page 1 @@\nHello PDF"
    );
}

#[tokio::test]
async fn a_missing_library_is_named() {
    let Some(server) = prepared().await else {
        return;
    };
    let hide = "import sys; sys.modules['docx'] = None; parse_docx('d.docx')";
    let said = text(&server, hide).await;
    assert!(
        said.contains("Install it with `%pip install python-docx`"),
        "{said}"
    );
    let hide =
        "sys.modules['openai'] = None; n = open('a.png', 'wb').write(b'x'); parse_image('a.png')";
    let said = text(&server, hide).await;
    assert!(said.contains("%pip install openai"), "{said}");
}

#[tokio::test]
async fn the_import_of_clients_works_and_is_quick() {
    let Some(server) = prepared().await else {
        return;
    };
    let code = "\
from openhands.runtime.plugins.agent_skills.agentskills import *
from openhands.runtime.plugins.agent_skills import agentskills
import sys
heavy = [name for name in ('docx', 'pptx', 'PyPDF2', 'openai', 'cv2') if name in sys.modules]
print(heavy, 'open_file(path' in agentskills.DOCUMENTATION)";
    assert_eq!(text(&server, code).await, "[] True");
}

#[tokio::test]
async fn an_installed_package_is_neither_loaded_nor_hidden() {
    if python().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let package = place.path().join("openhands/runtime/plugins/agent_skills");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("agentskills.py"), "installed = True\n").unwrap();
    let setup = Setup {
        plugins: &["agent_skills", "jupyter"],
        env: &[("PYTHONPATH", place.path().to_str().unwrap())],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    std::fs::write(server.path("short.txt"), "one\ntwo").unwrap();
    let loaded = "import sys; 'openhands' in sys.modules, callable(file_editor)";
    assert_eq!(text(&server, loaded).await, "(False, True)");
    assert!(
        text(&server, "open_file('short.txt')")
            .await
            .contains("2|two")
    );
    let import =
        "from openhands.runtime.plugins.agent_skills import agentskills; agentskills.installed";
    assert_eq!(text(&server, import).await, "True");
}
