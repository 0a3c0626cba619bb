use super::{Element, State};
use crate::browser::elements::Left;
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

fn element(index: i64, seen: bool, text: &str, more: Value) -> Element {
    Element {
        index,
        seen,
        tag: "a".to_owned(),
        text: text.to_owned(),
        more: serde_json::from_value::<Map<String, Value>>(more).unwrap(),
    }
}

fn state() -> State {
    State {
        url: "http://127.0.0.1/".to_owned(),
        title: "Übung 🙂".to_owned(),
        tabs: vec![("http://127.0.0.1/".to_owned(), "Übung 🙂".to_owned())],
        elements: vec![
            element(7, true, "a link", json!({"href": "/other"})),
            element(9, true, "", json!({"placeholder": "Name", "value": "Ada"})),
        ],
        viewport: [1280.0, 720.0],
        page: [1280.0, 3887.4],
        scroll: [0.0, 12.0],
        ..State::default()
    }
}

#[test]
fn the_text_has_the_contracts_keys_in_their_order() {
    assert_eq!(
        state().text(),
        r#"{
  "url": "http://127.0.0.1/",
  "title": "Übung 🙂",
  "tabs": [
    {
      "url": "http://127.0.0.1/",
      "title": "Übung 🙂"
    }
  ],
  "interactive_elements": [
    {
      "index": 7,
      "tag": "a",
      "text": "a link",
      "href": "/other"
    },
    {
      "index": 9,
      "tag": "a",
      "text": "",
      "placeholder": "Name",
      "value": "Ada"
    }
  ],
  "viewport": {
    "width": 1280,
    "height": 720
  },
  "page": {
    "width": 1280,
    "height": 3887
  },
  "scroll": {
    "x": 0,
    "y": 12
  }
}"#
    );
}

#[test]
fn a_picture_and_notes_come_last_and_only_if_there_are_any() {
    let told = State {
        screenshot: Some([1280, 720]),
        notes: vec!["A dialog was closed.".to_owned()],
        left: Left {
            below: 3,
            covered: 1,
            ..Left::default()
        },
        ..state()
    };
    let text: Value = serde_json::from_str(&told.text()).unwrap();
    let keys: Vec<_> = text.as_object().unwrap().keys().skip(4).cloned().collect();
    assert_eq!(
        keys,
        [
            "viewport",
            "page",
            "scroll",
            "screenshot_dimensions",
            "notes"
        ]
    );
    assert_eq!(
        text["screenshot_dimensions"],
        json!({"width": 1280, "height": 720})
    );
    assert_eq!(
        text["notes"],
        json!([
            "A dialog was closed.",
            "About 3 more interactive elements are further below; scroll down to list them.",
            "1 interactive elements are covered by something in front of them and are not listed.",
        ])
    );
}

#[test]
fn too_many_elements_are_cut_those_in_sight_stay_and_the_cut_is_said() {
    let elements: Vec<_> = (0..3000)
        .map(|index| {
            element(
                index,
                index >= 2900,
                &"طويل ".repeat(15),
                json!({"href": format!("/{index}")}),
            )
        })
        .collect();
    let full = State {
        elements,
        left: Left {
            more: 10,
            ..Left::default()
        },
        notes: vec!["n".repeat(4000); 5],
        ..state()
    };
    let text = full.text();
    assert!(text.len() < 50_000, "{}", text.len());
    assert!(text.len() > 40_000, "{}", text.len());
    let state: Value = serde_json::from_str(&text).unwrap();
    let shown: Vec<i64> = state["interactive_elements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|element| element["index"].as_i64().unwrap())
        .collect();
    assert!(shown.is_sorted());
    assert_eq!(shown.iter().filter(|index| **index >= 2900).count(), 100);
    let notes = state["notes"].as_array().unwrap();
    assert_eq!(notes[1], "4 more notes were left out.");
    assert_eq!(
        notes[2],
        format!(
            "The list of interactive elements was cut: {} more near the visible part of the page are not listed. Scroll to get to them.",
            3010 - shown.len()
        )
    );
}

#[test]
fn long_titles_addresses_and_many_tabs_are_cut_and_the_cut_is_said() {
    let url = format!("data:text/html,{}", "x".repeat(200_000));
    let title = "\u{1}".repeat(100_000);
    let elements = (0..3000).map(|index| element(index, true, &"text ".repeat(15), json!({})));
    let full = State {
        url: url.clone(),
        title: title.clone(),
        tabs: vec![(url, title); 100],
        elements: elements.collect(),
        notes: vec!["n".repeat(4000); 5],
        ..state()
    };
    let text = full.text();
    assert!(text.len() < 50_000, "{}", text.len());
    let state: Value = serde_json::from_str(&text).unwrap();
    let begin = format!("data:text/html,{}…", "x".repeat(485));
    assert_eq!(state["url"], begin);
    assert_eq!(state["tabs"][0]["url"], begin);
    assert!(!state["interactive_elements"].as_array().unwrap().is_empty());
    let listed = state["tabs"].as_array().unwrap().len();
    assert_eq!(
        state["notes"][2],
        format!(
            "The list of tabs was cut: {} more are not listed. browser_list_tabs lists all of them.",
            100 - listed
        )
    );
}
