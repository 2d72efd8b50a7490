//! File checksums: SHA-256 and git blob ids.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of bytes in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 of a file in lower-case hexadecimal.
pub fn sha256_of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    read_in_blocks(path, |block| hash.update(block))?;
    Ok(hex(&hash.finalize()))
}

/// Returns the git blob id of a file: SHA-1 of `blob <length>`, a zero byte and the content.
pub fn git_blob_of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha1::default();
    hash.update(format!("blob {}\0", std::fs::metadata(path)?.len()).as_bytes());
    read_in_blocks(path, |block| hash.update(block))?;
    Ok(hex(&hash.finish()))
}

fn read_in_blocks(path: &Path, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(n) => take(&block[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-1 (RFC 3174). For one dataset file, the git blob id is the only published checksum. It
/// protects against corruption there, not against attacks, and is used for nothing else.
struct Sha1 {
    state: [u32; 5],
    pending: Vec<u8>,
    length: u64,
}

impl Default for Sha1 {
    fn default() -> Self {
        Sha1 { state: [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0], pending: Vec::new(), length: 0 }
    }
}

impl Sha1 {
    fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let (blocks, rest) = pending.as_chunks::<64>();
        blocks.iter().for_each(|block| self.absorb(block));
        self.pending = rest.to_vec();
    }

    fn finish(mut self) -> [u8; 20] {
        let bits = self.length * 8;
        let zeros = (119 - self.pending.len()) % 64;
        let mut end = vec![0x80];
        end.resize(1 + zeros, 0);
        end.extend_from_slice(&bits.to_be_bytes());
        self.update(&end);
        let mut out = [0; 20];
        for (to, from) in out.chunks_exact_mut(4).zip(self.state) {
            to.copy_from_slice(&from.to_be_bytes());
        }
        out
    }

    fn absorb(&mut self, block: &[u8; 64]) {
        let mut w = [0u32; 80];
        for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        for t in 16..80 {
            w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = self.state;
        for (t, word) in w.into_iter().enumerate() {
            let (f, k) = match t {
                0..20 => ((b & c) | (!b & d), 0x5a827999),
                20..40 => (b ^ c ^ d, 0x6ed9eba1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8f1bbcdc),
                _ => (b ^ c ^ d, 0xca62c1d6u32),
            };
            let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (sum, part) in self.state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha1(bytes: &[u8]) -> String {
        let mut hash = Sha1::default();
        // Pieces of seven bytes, so that block borders fall inside pieces.
        bytes.chunks(7).for_each(|piece| hash.update(piece));
        hex(&hash.finish())
    }

    #[test]
    fn sha1_matches_published_test_vectors() {
        assert_eq!(sha1(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(sha1(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            sha1(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        );
        assert_eq!(sha1(&vec![b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }

    #[test]
    fn file_digests_match_git_and_sha256sum() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hello");
        std::fs::write(&path, "hello world\n").unwrap();
        assert_eq!(git_blob_of_file(&path).unwrap(), "3b18e512dba79e4c8300dd08aeb37f8e728b8dad");
        let sha = "a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447";
        assert_eq!(sha256_of_file(&path).unwrap(), sha);
        assert_eq!(sha256(b"hello world\n"), sha);
    }
}
