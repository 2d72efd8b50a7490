//! PNG files: RGB, 8 bits, no interlacing.

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter, PixelDimensions, Unit};

/// Downsamples by averaging squares of `times` by `times` pixels. Width and height must be
/// multiples of `times`.
pub(super) fn shrink(pixels: &[u8], width: usize, times: usize) -> Vec<u8> {
    let (row, area) = (3 * width, (times * times) as u32);
    let mut small = Vec::with_capacity(pixels.len() / (times * times));
    for rows in pixels.chunks_exact(row * times) {
        for x in (0..width).step_by(times) {
            for channel in 0..3 {
                let square = (0..times).flat_map(|dy| (0..times).map(move |dx| dy * row + 3 * (x + dx) + channel));
                let sum: u32 = square.map(|i| u32::from(rows[i])).sum();
                small.push(((sum + area / 2) / area) as u8);
            }
        }
    }
    small
}

/// Encodes rows of RGB pixels as PNG with a resolution in pixels per inch.
///
/// # Errors
/// If the pixels do not fill the rows, which would be a bug.
pub(super) fn encode(pixels: &[u8], width: u32, per_inch: u32) -> Result<Vec<u8>, EncodingError> {
    let height = (pixels.len() / (3 * width.max(1) as usize)) as u32;
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    // The difference from the row above is mostly zero.
    encoder.set_filter(Filter::Up);
    let per_meter = (f64::from(per_inch) / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: per_meter, yppu: per_meter, unit: Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_averaged() {
        // Two rows of four pixels: the left square is black and white, the right one gray.
        let [black, white, gray] = [[0; 3], [255; 3], [9, 10, 11]];
        let pixels = [black, white, gray, gray, white, black, gray, gray].concat();
        assert_eq!(shrink(&pixels, 4, 2), [128, 128, 128, 9, 10, 11]);
    }

    #[test]
    fn images_are_decoded_with_their_resolution() {
        let pixels = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let bytes = encode(&pixels, 2, 254).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut decoded).unwrap();
        assert_eq!((decoded.as_slice(), reader.info().width, reader.info().height), (&pixels[..], 2, 2));
        // 254 pixels per inch are 10,000 per meter.
        assert_eq!(reader.info().pixel_dims.map(|dims| (dims.xppu, dims.unit)), Some((10_000, Unit::Meter)));
        assert!(encode(&pixels[..5], 2, 254).is_err());
    }
}
