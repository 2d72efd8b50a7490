//! Sets of examples as bit vectors.

/// A subset of `0..len`, one bit per element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    len: usize,
    /// Bits from `len` on are 0.
    words: Vec<u64>,
}

impl Bits {
    /// Returns the empty set.
    pub fn zeros(len: usize) -> Self {
        Bits { len, words: vec![0; len.div_ceil(64)] }
    }

    /// Returns the full set `0..len`.
    pub fn ones(len: usize) -> Self {
        let mut bits = Bits { len, words: vec![u64::MAX; len.div_ceil(64)] };
        bits.clear_tail();
        bits
    }

    /// Returns the set of elements for which `f` is true.
    #[inline]
    pub fn from_fn(len: usize, mut f: impl FnMut(usize) -> bool) -> Self {
        let mut words = Vec::with_capacity(len.div_ceil(64));
        for start in (0..len).step_by(64) {
            words.push((start..len.min(start + 64)).fold(0, |word, i| word | u64::from(f(i)) << (i - start)));
        }
        Bits { len, words }
    }

    /// Returns the set with the bits of `words`, lowest first; bits from `len` on are cleared.
    ///
    /// # Panics
    /// If the number of words is not `len.div_ceil(64)`.
    pub fn from_words(len: usize, words: Vec<u64>) -> Self {
        assert_eq!(words.len(), len.div_ceil(64), "wrong number of words for {len} bits");
        let mut bits = Bits { len, words };
        bits.clear_tail();
        bits
    }

    fn clear_tail(&mut self) {
        if let Some(last) = self.words.last_mut().filter(|_| !self.len.is_multiple_of(64)) {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }

    /// Returns the size of the universe, not of the set.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the universe is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bits, 64 to a word, lowest first.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns whether `i` is in the set.
    ///
    /// # Panics
    /// If `i` is not less than [`Bits::len`].
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        assert!(i < self.len, "bit {i} is out of range for {} bits", self.len);
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// Adds `i` to the set or removes it.
    ///
    /// # Panics
    /// If `i` is not less than [`Bits::len`].
    pub fn set(&mut self, i: usize, value: bool) {
        assert!(i < self.len, "bit {i} is out of range for {} bits", self.len);
        let bit = 1 << (i % 64);
        if value { self.words[i / 64] |= bit } else { self.words[i / 64] &= !bit }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the number of elements of the intersection.
    pub fn count_and(&self, other: &Bits) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Returns whether the set has an element.
    pub fn any(&self) -> bool {
        self.words.iter().any(|&word| word != 0)
    }

    /// Returns the intersection.
    pub fn and(&self, other: &Bits) -> Bits {
        self.combine(other, |a, b| a & b)
    }

    /// Returns the difference, `self` without `other`.
    pub fn and_not(&self, other: &Bits) -> Bits {
        self.combine(other, |a, b| a & !b)
    }

    /// Removes the elements that are not in `other`.
    pub fn and_assign(&mut self, other: &Bits) {
        assert_eq!(self.len, other.len, "sets over universes of different sizes");
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Adds the elements of `other`.
    pub fn or_assign(&mut self, other: &Bits) {
        assert_eq!(self.len, other.len, "sets over universes of different sizes");
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    #[inline]
    fn combine(&self, other: &Bits, f: impl Fn(u64, u64) -> u64) -> Bits {
        assert_eq!(self.len, other.len, "sets over universes of different sizes");
        Bits { len: self.len, words: self.words.iter().zip(&other.words).map(|(&a, &b)| f(a, b)).collect() }
    }

    /// Returns the elements in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        elements_of_words(&self.words)
    }

    /// Returns the sum of the values at the elements, added in ascending order.
    ///
    /// # Panics
    /// If `values` is shorter than the universe.
    pub fn sum(&self, values: &[f64]) -> f64 {
        self.iter().map(|i| values[i]).sum()
    }

    /// Returns the values at the elements, in ascending order.
    ///
    /// # Panics
    /// If `values` is shorter than the universe.
    pub fn pick<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.iter().map(|i| values[i]).collect()
    }
}

/// Returns the elements of a set that is given as words, in ascending order.
pub(crate) fn elements_of_words(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(k, &word)| elements(word).map(move |i| 64 * k + i))
}

/// Returns the elements of a set that is given as one word, in ascending order.
pub(super) fn elements(set: u64) -> impl Iterator<Item = usize> {
    let rest = |&set: &u64| Some(set & (set - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(set).filter(|&set| set != 0), rest).map(|set| set.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(len: usize, numbers: &[usize]) -> Bits {
        Bits::from_fn(len, |i| numbers.contains(&i))
    }

    #[test]
    fn sets_combine() {
        let (a, b) = (of(130, &[0, 63, 64, 129]), of(130, &[63, 129, 7]));
        assert_eq!(a.and(&b), of(130, &[63, 129]));
        assert_eq!(a.and_not(&b), of(130, &[0, 64]));
        assert_eq!((a.count(), a.count_and(&b)), (4, 2));
        assert_eq!(a.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        let mut c = a.clone();
        c.and_assign(&b);
        assert_eq!(c, a.and(&b));
        let mut d = c.clone();
        d.or_assign(&a);
        assert_eq!(d, a);
        assert!(c.get(129) && !c.get(0));
        c.set(129, false);
        c.set(5, true);
        assert_eq!(c, of(130, &[5, 63]));
    }

    #[test]
    fn bits_beyond_the_length_are_zero() {
        for len in [0, 1, 63, 64, 65, 128] {
            assert_eq!(Bits::ones(len).count(), len);
            assert_eq!(Bits::ones(len), Bits::from_fn(len, |_| true));
            assert_eq!(Bits::from_words(len, vec![u64::MAX; len.div_ceil(64)]), Bits::ones(len));
            assert!(!Bits::zeros(len).any());
        }
    }

    #[test]
    fn values_are_picked_and_summed_in_order() {
        let values: Vec<f64> = (0..70).map(f64::from).collect();
        assert_eq!(of(70, &[69, 1, 3]).sum(&values), 73.0);
        assert_eq!(of(70, &[69, 1, 3]).pick(&values), [1.0, 3.0, 69.0]);
    }
}
