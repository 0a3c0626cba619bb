//! The picture of a page with a dashed box and the id of each element that one could use.

use super::glyphs;
use super::properties::Properties;
use image::{ImageError, ImageFormat, Rgb, RgbImage};
use serde_json::Number;
use std::io::Cursor;

const BLACK: Rgb<u8> = Rgb([0; 3]);
const WHITE: Rgb<u8> = Rgb([255; 3]);
/// Boxes smaller than these pixels are not drawn.
const MIN_AREA: f64 = 20.0;
/// How long a dash is, and how far the next one begins.
const DASH: f64 = 4.0;
const STRIDE: f64 = 12.0;
/// From the edge of a label to its letters, the outline among it.
const MARGIN: u32 = 3;

/// Draws the boxes of all marked elements on a PNG, and gives a PNG.
pub(super) fn drawn(png: &[u8], properties: &Properties) -> Result<Vec<u8>, ImageError> {
    let mut picture = image::load_from_memory_with_format(png, ImageFormat::Png)?.into_rgb8();
    for (bid, properties) in properties {
        let (Some(true), Some(bounds)) = (properties.set_of_marks, &properties.bbox) else {
            continue;
        };
        let [x, y, width, height] = bounds
            .each_ref()
            .map(|number| Number::as_f64(number).unwrap_or_default());
        if width * height < MIN_AREA {
            continue;
        }
        outline(&mut picture, (x, y), (x + width, y + height));
        label(&mut picture, bid, x, y);
    }
    let mut out = Vec::new();
    picture.write_to(&mut Cursor::new(&mut out), ImageFormat::Png)?;
    Ok(out)
}

/// Four dashed lines, two pixels wide, around a box; the second pixel of each lies to the right of its direction.
fn outline(picture: &mut RgbImage, (left, top): (f64, f64), (right, bottom): (f64, f64)) {
    for (start, end) in dashes(left, right, picture.width()) {
        for x in start..=end {
            for row in [0, 1] {
                dot(picture, x, pixel(top) + row, BLACK);
            }
        }
    }
    for (start, end) in dashes(top, bottom, picture.height()) {
        for y in start..=end {
            for column in [0, 1] {
                dot(picture, pixel(right) + column, y, BLACK);
            }
        }
    }
    for (start, end) in dashes(-right, -left, picture.width()) {
        for x in -end..=-start {
            for row in [-1, 0] {
                dot(picture, x, pixel(bottom) + row, BLACK);
            }
        }
    }
    for (start, end) in dashes(-bottom, -top, picture.height()) {
        for y in -end..=-start {
            for column in [-1, 0] {
                dot(picture, pixel(left) + column, y, BLACK);
            }
        }
    }
}

/// The first and the last pixel of each dash on the way from `from` to `to`; those far outside of the picture are left out.
fn dashes(from: f64, to: f64, size: u32) -> impl Iterator<Item = (i64, i64)> {
    // Both ways of counting: a line may be counted from its end, with its places negative.
    let reach = f64::from(size) + STRIDE;
    let skipped = ((-reach - from) / STRIDE).floor().max(0.0);
    let limit = to.min(reach);
    let mut at = from + skipped * STRIDE;
    std::iter::from_fn(move || {
        let start = at;
        at += STRIDE;
        (start < limit).then(|| (pixel(start), pixel((start + DASH).min(to))))
    })
}

/// Black with a white edge, at the upper left corner of the box.
fn label(picture: &mut RgbImage, bid: &str, x: f64, y: f64) {
    let letters = u32::try_from(bid.chars().count())
        .unwrap_or(u32::MAX)
        .min(64);
    let width = letters * glyphs::ADVANCE + 2 * MARGIN;
    let height = glyphs::HEIGHT + 2 * MARGIN;
    let left = pixel(x);
    let top = pixel(y - f64::from(height) / 2.0 + 4.0);
    for row in 0..height {
        for column in 0..width {
            let is_edge = row == 0 || column == 0 || row + 1 == height || column + 1 == width;
            let color = if is_edge { WHITE } else { BLACK };
            dot(
                picture,
                left + i64::from(column),
                top + i64::from(row),
                color,
            );
        }
    }
    for (place, letter) in (0..letters).zip(bid.chars()) {
        for (column, row) in glyphs::dots(letter) {
            let x = left + i64::from(MARGIN + place * glyphs::ADVANCE + column);
            dot(picture, x, top + i64::from(MARGIN + row), WHITE);
        }
    }
}

fn dot(picture: &mut RgbImage, x: i64, y: i64, color: Rgb<u8>) {
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
        && let Some(pixel) = picture.get_pixel_mut_checked(x, y)
    {
        *pixel = color;
    }
}

/// The nearest whole number; the even one of two.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
fn pixel(place: f64) -> i64 {
    place.round_ties_even() as i64
}

#[cfg(test)]
#[path = "set_of_marks_tests.rs"]
mod tests;
