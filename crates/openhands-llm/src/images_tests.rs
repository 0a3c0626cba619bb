use base64::Engine as _;
use image::{DynamicImage, RgbaImage};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::Role;

use super::*;
use crate::features::ModelFeatures;
use crate::target::Target;

fn images_for(model: &str) -> Images {
    let llm = Llm {
        model: model.to_owned(),
        api_key: Some("key".into()),
        ..Llm::default()
    };
    let features = ModelFeatures::of(&llm);
    let target = Target::of(&llm, &features).unwrap();
    let settings = Settings::of(&llm, &target, features);
    Images::of(&settings, target.protocol)
}

fn picture(width: u32, height: u32, format: ImageFormat) -> String {
    let mut image = DynamicImage::ImageRgba8(RgbaImage::new(width, height));
    if format == ImageFormat::Jpeg {
        image = image.to_rgb8().into();
    }
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).unwrap();
    format!(
        "data:{};base64,{}",
        format.to_mime_type(),
        STANDARD.encode(out.into_inner())
    )
}

fn sides(url: &str) -> (u32, u32) {
    let (_, data) = url.split_once(";base64,").unwrap();
    let bytes = STANDARD.decode(data).unwrap();
    let reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .unwrap();
    reader.into_dimensions().unwrap()
}

fn showing(urls: Vec<String>) -> ChatRequest {
    ChatRequest::new([Message {
        content: vec![
            "look".into(),
            Content::Image(ImageContent {
                image_urls: urls,
                ..ImageContent::default()
            }),
        ],
        ..Message::text(Role::User, "")
    }])
}

fn urls(request: &ChatRequest) -> Vec<String> {
    request
        .messages
        .iter()
        .flat_map(|message| images(message))
        .flat_map(|image| image.image_urls.clone())
        .collect()
}

#[tokio::test]
async fn large_images_are_made_smaller_in_their_own_format() {
    let http = Http::new().unwrap();
    let images = images_for("anthropic/claude-sonnet-4-5");
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
    ] {
        let request = showing(vec![picture(8200, 41, format), picture(40, 30, format)]);
        let made = urls(&images.prepare(request.clone(), &http).await);
        assert_eq!(sides(&made[0]), (8000, 40), "{format:?}");
        assert!(made[0].starts_with(&format!("data:{};", format.to_mime_type())));
        assert_eq!(made[1], urls(&request)[1]);
    }
}

#[tokio::test]
async fn many_images_must_be_smaller() {
    let http = Http::new().unwrap();
    let images = images_for("anthropic/claude-sonnet-4-5");
    let mut list = vec![picture(2500, 5, ImageFormat::Png)];
    list.resize(20, picture(4, 4, ImageFormat::Png));
    let twenty = showing(list.clone());
    let made = images.prepare(twenty.clone(), &http).await;
    assert_eq!(urls(&made), urls(&twenty));
    list.push(picture(4, 4, ImageFormat::Png));
    let made = images.prepare(showing(list), &http).await;
    assert_eq!(sides(&urls(&made)[0]), (2000, 4));
}

#[tokio::test]
async fn what_was_made_is_made_once() {
    let http = Http::new().unwrap();
    let images = images_for("anthropic/claude-sonnet-4-5");
    let request = showing(vec![picture(8200, 8, ImageFormat::Png)]);
    let first = images.prepare(request.clone(), &http).await;
    let second = images.prepare(request.clone(), &http).await;
    assert!(Arc::ptr_eq(&first.messages[0], &second.messages[0]));
    assert!(!Arc::ptr_eq(&first.messages[0], &request.messages[0]));
}

#[tokio::test]
async fn what_is_no_image_and_what_others_take_stays_as_it_is() {
    let http = Http::new().unwrap();
    let broken = vec![
        "data:image/png;base64,AAAA".to_owned(),
        "data:image/png,x".to_owned(),
        "nonsense".to_owned(),
    ];
    let request = showing(broken);
    let images = images_for("anthropic/claude-sonnet-4-5");
    assert_eq!(images.prepare(request.clone(), &http).await, request);
    let large = showing(vec![picture(8200, 8, ImageFormat::Png)]);
    let images = images_for("openai/gpt-4o");
    assert_eq!(images.prepare(large.clone(), &http).await, large);
}
