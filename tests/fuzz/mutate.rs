//! Seeded mutation of valid inputs with a dictionary of tokens.

use lrbm::internal::determinism::Stream;

/// Tokens that often reveal bugs.
const TOKENS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "63",
    "64",
    "65",
    "100",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "9999",
    "10000",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1e308",
    "-1e308",
    "1e309",
    "1e-308",
    "5e-324",
    "1e-400",
    "0.1",
    "1e100",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "null",
    "true",
    "false",
    "\"\"",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\\ud800",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{feff}",
    "é",
    "ä̈",
    "🦀",
    "\r\n",
    "\n",
    "\r",
    "\t",
    "..",
    "../",
    "/",
    "//",
    "/*",
    "*/",
    "%",
    "#",
    "<script>",
    "</script>",
    "&lt;",
    "$(x)",
    "`x`",
    ";",
    ":",
    ":-",
    "\\+",
    "!",
    ".",
    ",",
    ",,",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "()",
    "[]",
    "{}",
    "[[",
    "]]",
    "=",
    "==",
    "_",
    "A",
    "X",
    "|",
    "~",
    "^",
    "?",
    "*",
    "con",
    "nul",
    " ",
    "    ",
];

/// Mutator of valid inputs.
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    max_len: usize,
}

impl Mutator {
    /// Creates a mutator of `seeds` for inputs of at most `max_len` bytes.
    pub fn new(seeds: Vec<Vec<u8>>, max_len: usize) -> Self {
        assert!(!seeds.is_empty());
        let mut words: Vec<Vec<u8>> = TOKENS.iter().map(|word| word.as_bytes().to_vec()).collect();
        for seed in &seeds {
            let split = seed.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_' && *byte != b'-');
            words.extend(split.filter(|word| (2..40).contains(&word.len())).map(<[u8]>::to_vec));
        }
        words.sort();
        words.dedup();
        Mutator { seeds, words, max_len }
    }

    /// Returns the input with this number.
    pub fn input(&self, seed: u64, target: &str, number: u64) -> Vec<u8> {
        let mut stream = Stream::new(seed, &["fuzz", target, &number.to_string()]);
        let mut input = self.seeds[stream.index(self.seeds.len())].clone();
        // Few mutations preserve most of the structure, many little.
        let rounds = [1, 1, 2, 3, 5, 8][stream.index(6)];
        for _ in 0..rounds {
            self.mutate(&mut input, &mut stream);
            input.truncate(self.max_len);
        }
        input
    }

    fn mutate(&self, input: &mut Vec<u8>, stream: &mut Stream) {
        let at = stream.index(input.len() + 1);
        let (from, to) = span(input.len(), stream);
        match stream.below(16) {
            0 if at < input.len() => input[at] ^= 1 << stream.below(8),
            1 if at < input.len() => input[at] = stream.below(256) as u8,
            2 => {
                drop(input.splice(at..at, (0..=stream.below(8)).map(|_| stream.below(256) as u8).collect::<Vec<u8>>()))
            }
            3 => drop(input.drain(from..to)),
            4 => {
                let copy = input[from..to].to_vec();
                drop(input.splice(at..at, copy));
            }
            5 | 6 => drop(input.splice(at..at, self.word(stream))),
            7..=9 => {
                let (from, to) = word_at(input, at);
                drop(input.splice(from..to, self.word(stream)));
            }
            10 => input.truncate(at),
            11 => {
                let other = &self.seeds[stream.index(self.seeds.len())];
                let rest = other[stream.index(other.len() + 1)..].to_vec();
                input.truncate(at);
                input.extend(rest);
            }
            12 => {
                // Huge repetitions are slow and therefore rare.
                let times = if stream.below(40) == 0 { 1_000_000 } else { [2, 10, 100, 1000][stream.index(4)] };
                let copy = &input[from..to.min(from + 40)];
                let times = times.min(self.max_len / copy.len().max(1));
                let many = copy.repeat(times);
                drop(input.splice(at..at, many));
            }
            13 => {
                let (open, close) =
                    [("f(", ")"), ("[", "]"), ("{\"a\":", "}"), ("(", ")"), ("a.", "")][stream.index(5)];
                let depth = if stream.below(20) == 0 { 20_000 } else { [3, 50, 300][stream.index(3)] };
                let inside = format!("{}{}{}", open.repeat(depth), "x", close.repeat(depth));
                drop(input.splice(at..at, inside.into_bytes()));
            }
            14 => {
                let (from, to) = line_at(input, at);
                drop(input.drain(from..to));
            }
            _ => {
                let (from, to) = line_at(input, at);
                let line = input[from..to].to_vec();
                let (there, _) = line_at(input, stream.index(input.len() + 1));
                drop(input.splice(there..there, line));
            }
        }
    }

    fn word(&self, stream: &mut Stream) -> Vec<u8> {
        self.words[stream.index(self.words.len())].clone()
    }
}

/// Draws a range, usually a short one.
fn span(length: usize, stream: &mut Stream) -> (usize, usize) {
    let from = stream.index(length + 1);
    let max = [4, 16, 64, 1 << 20][stream.index(4)];
    (from, (from + stream.index(max)).min(length))
}

/// Returns the range of the word or number around an offset.
fn word_at(input: &[u8], at: usize) -> (usize, usize) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-+".contains(byte);
    let at = at.min(input.len());
    let before = input[..at].iter().rev().take_while(|byte| is_part(byte)).count();
    let after = input[at..].iter().take_while(|byte| is_part(byte)).count();
    (at - before, at + after)
}

fn line_at(input: &[u8], at: usize) -> (usize, usize) {
    let at = at.min(input.len());
    let from = input[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |i| i + 1);
    let to = input[at..].iter().position(|byte| *byte == b'\n').map_or(input.len(), |i| at + i + 1);
    (from, to)
}
