use super::super::properties::ElementProperties;
use super::*;

fn white(width: u32, height: u32) -> Vec<u8> {
    let picture = RgbImage::from_pixel(width, height, WHITE);
    let mut png = Vec::new();
    picture
        .write_to(&mut Cursor::new(&mut png), ImageFormat::Png)
        .unwrap();
    png
}

fn marked(bounds: [i64; 4], set_of_marks: Option<bool>) -> ElementProperties {
    ElementProperties {
        bbox: Some(bounds.map(Number::from)),
        set_of_marks,
        ..ElementProperties::default()
    }
}

fn draw(elements: &[(&str, ElementProperties)]) -> RgbImage {
    let properties = elements
        .iter()
        .map(|(bid, each)| ((*bid).to_owned(), each.clone()))
        .collect();
    let png = drawn(&white(120, 60), &properties).unwrap();
    image::load_from_memory(&png).unwrap().into_rgb8()
}

/// The black and white of a part of a picture, as text.
fn shown(picture: &RgbImage, left: u32, top: u32, width: u32, height: u32) -> String {
    let row = |y: u32| -> String {
        (left..left + width)
            .map(|x| {
                if *picture.get_pixel(x, y) == BLACK {
                    '#'
                } else {
                    '.'
                }
            })
            .collect()
    };
    (top..top + height).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_marked_element_has_a_dashed_box_and_its_id() {
    let picture = draw(&[("a7", marked([20, 20, 80, 30], Some(true)))]);
    // Dashes of five pixels every twelve, two rows high, from the corner that the label covers on.
    assert_eq!(
        shown(&picture, 44, 19, 30, 4),
        "..............................\n\
         #####.......#####.......#####.\n\
         #####.......#####.......#####.\n\
         .............................."
    );
    // The label: half as high above the box as below, less four pixels.
    assert_eq!(
        shown(&picture, 20, 16, 20, 15),
        "....................\n\
         .##################.\n\
         .##################.\n\
         .##########.....###.\n\
         .##############.###.\n\
         .##############.###.\n\
         .####...######.####.\n\
         .#######.#####.####.\n\
         .####....####.#####.\n\
         .###.###.####.#####.\n\
         .###.###.####.#####.\n\
         .####....####.#####.\n\
         .##################.\n\
         .##################.\n\
         ...................."
    );
}

#[test]
fn broken_pixels_are_drawn_as_the_reference_draws_them() {
    let bounds = [20.5, 20.25, 80.75, 29.5].map(|place| Number::from_f64(place).unwrap());
    let element = ElementProperties {
        bbox: Some(bounds),
        ..marked([0; 4], Some(true))
    };
    let picture = draw(&[("a7", element)]);
    assert_eq!(
        shown(&picture, 80, 19, 25, 16),
        ".........................\n\
         #####.......#####....##..\n\
         #####.......#####....##..\n\
         .....................##..\n\
         .....................##..\n\
         .....................##..\n\
         .........................\n\
         .........................\n\
         .........................\n\
         .........................\n\
         .........................\n\
         .........................\n\
         .........................\n\
         .....................##..\n\
         .....................##..\n\
         .....................##.."
    );
    assert_eq!(
        shown(&picture, 16, 45, 40, 7),
        "........................................\n\
         ...##...................................\n\
         ...##...................................\n\
         ...##...................................\n\
         ...##....#####.......#####.......#####..\n\
         ...##....#####.......#####.......#####..\n\
         ........................................"
    );
}

#[test]
fn nothing_else_is_drawn() {
    let untouched = shown(&draw(&[]), 0, 0, 120, 60);
    let elements = [
        ("1", marked([20, 20, 80, 30], Some(false))),
        ("2", marked([20, 20, 80, 30], None)),
        ("3", marked([20, 20, 4, 4], Some(true))),
        (
            "4",
            ElementProperties {
                set_of_marks: Some(true),
                ..ElementProperties::default()
            },
        ),
    ];
    assert_eq!(shown(&draw(&elements), 0, 0, 120, 60), untouched);
}

#[test]
fn boxes_far_outside_of_the_picture_cost_nothing() {
    let huge = [-1_000_000_000_000, -5, 2_000_000_000_000, 3_000_000_000_000];
    let picture = draw(&[("1", marked(huge, Some(true)))]);
    assert_eq!(
        shown(&picture, 0, 10, 120, 50),
        shown(&draw(&[]), 0, 10, 120, 50)
    );
}
