use openhands_protocol::message::{Message, Role};
use pretty_assertions::assert_eq;

use super::*;
use crate::ScriptedModel;

fn model(window: Option<u64>) -> Arc<ScriptedModel> {
    let features = ModelFeatures {
        context_window: window,
        ..ModelFeatures::default()
    };
    Arc::new(
        ScriptedModel::from_json("[]")
            .unwrap()
            .with_features(features),
    )
}

async fn ask(router: &RouterModel, request: ChatRequest) {
    router
        .complete(request, CancellationToken::new())
        .await
        .unwrap();
}

fn text(text: &str) -> ChatRequest {
    ChatRequest::new([Message::text(Role::User, text)])
}

#[tokio::test]
async fn images_and_long_requests_go_to_the_primary_model() {
    let (primary, secondary) = (model(None), model(Some(100)));
    let router = RouterModel::multimodal(primary.clone(), secondary.clone());
    ask(&router, text("short")).await;
    assert_eq!((primary.calls(), secondary.calls()), (0, 1));
    ask(&router, text(&"long ".repeat(200))).await;
    assert_eq!((primary.calls(), secondary.calls()), (1, 1));
    let image = Message {
        role: Role::User,
        content: vec![Content::image("data:image/png;base64,AA==")],
        ..Message::default()
    };
    ask(&router, ChatRequest::new([image])).await;
    assert_eq!((primary.calls(), secondary.calls()), (2, 1));
}

#[tokio::test]
async fn chance_spreads_calls_evenly_and_repeatably() {
    let mut counts = Vec::new();
    for _ in 0..2 {
        let models = [model(None), model(None), model(None)];
        let others = models[1..]
            .iter()
            .map(|model| Arc::clone(model) as Arc<dyn ChatModel>)
            .collect();
        let router = RouterModel::random(models[0].clone(), others, 42);
        for _ in 0..300 {
            ask(&router, text("x")).await;
        }
        counts.push(models.map(|model| model.calls()));
    }
    assert_eq!(counts[0], counts[1]);
    assert!(
        counts[0].iter().all(|count| (60..140).contains(count)),
        "{counts:?}"
    );
}
