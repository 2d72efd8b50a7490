//! PNG encoder: RGB, 8 bits, no interlacing (Portable Network Graphics, 2nd edition, W3C 2003).

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

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
pub(super) fn encode(pixels: &[u8], width: u32, per_inch: u32) -> Vec<u8> {
    let row = 3 * width.max(1) as usize;
    let height = (pixels.len() / row) as u32;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut above = vec![0; row];
    for pixels in pixels.chunks_exact(row) {
        // Filter 2: the difference from the row above, mostly zero.
        let mut line = vec![2];
        line.extend(pixels.iter().zip(&above).map(|(here, above)| here.wrapping_sub(*above)));
        // Writing to memory cannot fail.
        let _ = packed.write_all(&line);
        above.copy_from_slice(pixels);
    }
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    // 8 bits, RGB, and the only defined methods.
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let per_meter = (f64::from(per_inch) / 0.0254).round() as u32;
    let density = [&per_meter.to_be_bytes()[..], &per_meter.to_be_bytes(), &[1]].concat();
    chunk(&mut png, b"IHDR", &header);
    chunk(&mut png, b"pHYs", &density);
    chunk(&mut png, b"IDAT", &packed.finish().unwrap_or_default());
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    let mut crc = Crc::new();
    for part in [kind, data] {
        crc.update(part);
        png.extend(part);
    }
    png.extend(crc.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn squares_are_averaged() {
        // Two rows of four pixels: the left square is black and white, the right one gray.
        let [black, white, gray] = [[0; 3], [255; 3], [9, 10, 11]];
        let pixels = [black, white, gray, gray, white, black, gray, gray].concat();
        assert_eq!(shrink(&pixels, 4, 2), [128, 128, 128, 9, 10, 11]);
    }

    #[test]
    fn chunks_follow_the_standard() {
        let png = encode(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 2, 254);
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&png[8..33], b"\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x02\x08\x02\0\0\0\xfd\xd4\x9a\x73");
        // 254 pixels per inch are 10,000 per meter.
        assert_eq!(&png[33..54], b"\0\0\0\x09pHYs\0\0\x27\x10\0\0\x27\x10\x01\x94\x69\x51\x19");
        let length = u32::from_be_bytes(png[54..58].try_into().unwrap()) as usize;
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&png[62..62 + length]).read_to_end(&mut rows).unwrap();
        assert_eq!(rows, [2, 1, 2, 3, 4, 5, 6, 2, 6, 6, 6, 6, 6, 6]);
        // Every PNG has the same end.
        assert!(png.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"));
    }
}
