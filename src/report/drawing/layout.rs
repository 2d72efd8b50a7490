//! Where the nodes of a tree go: as close together as their boxes allow, each test in the middle of what follows from it.
//!
//! After Reingold and Tilford (1981, *Tidier drawings of trees*), for boxes of any size: subtrees keep the outline of both
//! their sides, level by level, and are pushed together until the outlines meet. Small trees grow downwards; large ones grow to the
//! right, since a page scrolls downwards.

use crate::report::figure::scene::Position;

/// Between boxes of a level.
const ASIDE: f64 = 14.0;
/// Between levels that lie below each other: space for the line and its word.
const BELOW: f64 = 34.0;
/// Between levels that lie beside each other.
const BESIDE: f64 = 50.0;
/// How far from the middle of a test its two lines begin.
const STEM: f64 = 5.0;
/// The most leaves of a tree that grows downwards.
const SMALL: usize = 8;
/// The size of the words at lines.
pub(super) const WORD: f64 = 11.0;

/// A line from a test to what follows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    /// Its corners.
    pub path: Vec<Position>,
    /// Where its word begins, on the line that letters stand on.
    pub label: Position,
    /// Whether the test holds there.
    pub yes: bool,
}

/// A tree that is laid out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreeLayout {
    /// The upper left corner of each node.
    pub corners: Vec<Position>,
    /// The lines.
    pub edges: Vec<Edge>,
    /// The width of all of it.
    pub width: f64,
    /// The height of all of it.
    pub height: f64,
}

impl TreeLayout {
    /// Lays out a tree: the children of each node, which stand behind it, and the width and height of its box.
    pub fn new(children: &[Option<[usize; 2]>], sizes: &[(f64, f64)]) -> Self {
        let leaves = children.iter().filter(|children| children.is_none()).count();
        let down = leaves <= SMALL;
        // What follows is written for trees that grow downwards; for the others the two directions change places.
        let turn = |(a, b): Position| if down { (a, b) } else { (b, a) };
        let turned: Vec<Position> = sizes.iter().map(|&size| turn(size)).collect();
        let levels = levels(children);
        let gap = if down { BELOW } else { BESIDE };
        let tops = tops(&levels, &turned, gap);
        let middles = middles(children, &levels, &turned);
        let least = middles.iter().zip(&turned).map(|(x, (wide, _))| x - wide / 2.0).fold(0.0, f64::min);
        let corner = |i: usize| (middles[i] - turned[i].0 / 2.0 - least, tops[levels[i]]);
        let corners: Vec<Position> = (0..sizes.len()).map(|i| turn(corner(i))).collect();
        let ends = |i: usize| (corners[i].0 + sizes[i].0, corners[i].1 + sizes[i].1);
        let width = (0..sizes.len()).map(|i| ends(i).0).fold(0.0, f64::max);
        let height = (0..sizes.len()).map(|i| ends(i).1).fold(0.0, f64::max);
        let mut edges = Vec::new();
        for (i, both) in children.iter().enumerate() {
            for (child, yes) in both.iter().flatten().copied().zip([true, false]) {
                // Side by side, so that the solid line does not hide the dashed one.
                let aside = if yes { -STEM } else { STEM };
                let from = (middles[i] - least + aside, tops[levels[i]] + turned[i].1);
                let to = (middles[child] - least, tops[levels[child]]);
                // Levels are as high as their highest box, so this is below all of them.
                let bend = to.1 - gap / 2.0;
                let path = [from, (from.0, bend), (to.0, bend), to].map(turn).to_vec();
                let (x, y) = turn(to);
                let label = if down { (x + 4.0, y - 5.0) } else { (x - BESIDE / 2.0 + 3.0, y - 4.0) };
                edges.push(Edge { path, label, yes });
            }
        }
        TreeLayout { corners, edges, width, height }
    }
}

/// How deep each node lies.
fn levels(children: &[Option<[usize; 2]>]) -> Vec<usize> {
    let mut levels = vec![0; children.len()];
    for (i, both) in children.iter().enumerate() {
        for &child in both.iter().flatten() {
            levels[child] = levels[i] + 1;
        }
    }
    levels
}

/// Where each level begins.
fn tops(levels: &[usize], sizes: &[Position], gap: f64) -> Vec<f64> {
    let mut heights = vec![0.0f64; levels.iter().max().map_or(0, |deepest| deepest + 1)];
    for (&level, &(_, height)) in levels.iter().zip(sizes) {
        heights[level] = heights[level].max(height);
    }
    let mut top = 0.0;
    heights.into_iter().map(|height| (top, top += height + gap).0).collect()
}

/// The outline of a subtree: for each level, from its own down, how far it reaches left and right of its root's middle.
type Outline = Vec<(f64, f64)>;

/// The middle of each node.
fn middles(children: &[Option<[usize; 2]>], levels: &[usize], sizes: &[Position]) -> Vec<f64> {
    let mut outlines: Vec<Outline> = vec![Vec::new(); children.len()];
    // How far each child lies from its parent.
    let mut shifts = vec![0.0; children.len()];
    // Children stand behind their parents, so they are done first.
    for i in (0..children.len()).rev() {
        let half = sizes[i].0 / 2.0;
        let mut outline = vec![(-half, half)];
        if let Some([yes, no]) = children[i] {
            let (left, right) = (std::mem::take(&mut outlines[yes]), std::mem::take(&mut outlines[no]));
            let distances = left.iter().zip(&right).map(|((_, end), (start, _))| end - start + ASIDE);
            let apart = distances.fold(0.0, f64::max);
            (shifts[yes], shifts[no]) = (-apart / 2.0, apart / 2.0);
            for level in 0..left.len().max(right.len()) {
                let (a, b) = (left.get(level), right.get(level));
                let start = a.map(|a| a.0 - apart / 2.0).into_iter().chain(b.map(|b| b.0 + apart / 2.0));
                let end = a.map(|a| a.1 - apart / 2.0).into_iter().chain(b.map(|b| b.1 + apart / 2.0));
                outline.push((start.fold(f64::INFINITY, f64::min), end.fold(f64::NEG_INFINITY, f64::max)));
            }
        }
        outlines[i] = outline;
    }
    debug_assert_eq!(levels.len(), children.len());
    let mut middles = vec![0.0; children.len()];
    for (i, both) in children.iter().enumerate() {
        for &child in both.iter().flatten() {
            middles[child] = middles[i] + shifts[child];
        }
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::font;
    use crate::report::figure::scene::disjoint;
    use proptest::prelude::*;

    /// A tree that is grown by splitting the leaves that the numbers name.
    fn grown(splits: &[usize]) -> Vec<Option<[usize; 2]>> {
        let mut children = vec![None];
        for &split in splits {
            let leaves: Vec<usize> = (0..children.len()).filter(|&i| children[i].is_none()).collect();
            let next = children.len();
            children[leaves[split % leaves.len()]] = Some([next, next + 1]);
            children.extend([None, None]);
        }
        children
    }

    #[test]
    fn a_test_is_in_the_middle() {
        let layout = TreeLayout::new(&grown(&[0]), &[(100.0, 20.0), (50.0, 30.0), (50.0, 30.0)]);
        // Two boxes of 50 and 14 between them are 114 wide; the root, 100 wide, is in the middle.
        assert_eq!(layout.corners, [(7.0, 0.0), (0.0, 54.0), (64.0, 54.0)]);
        assert_eq!((layout.width, layout.height), (114.0, 84.0));
        assert_eq!(layout.edges[0].path, [(52.0, 20.0), (52.0, 37.0), (25.0, 37.0), (25.0, 54.0)]);
        assert!(layout.edges[0].yes && !layout.edges[1].yes);
    }

    proptest! {
        #[test]
        fn nothing_overlaps(
            splits in prop::collection::vec(0usize..1000, 0..40),
            // No box is lower than one line of text.
            sizes in prop::collection::vec((24.0f64..220.0, 27.0f64..110.0), 81),
        ) {
            let children = grown(&splits);
            let sizes = &sizes[..children.len()];
            let layout = TreeLayout::new(&children, sizes);
            let boxes = layout.corners.iter().zip(sizes).map(|(&(x, y), &(w, h))| [x, y, x + w, y + h]);
            let words = layout.edges.iter().map(|edge| {
                let (x, y) = edge.label;
                [x, y - 0.7 * WORD, x + font::reserved_width(if edge.yes { "yes" } else { "no" }, WORD), y + 0.2 * WORD]
            });
            let all: Vec<[f64; 4]> = boxes.chain(words).collect();
            for (i, &here) in all.iter().enumerate() {
                prop_assert!(here[0] >= -1e-9 && here[1] >= -1e-9 && here[3] <= layout.height + 1e-9);
                for &there in &all[..i] {
                    // Boxes may touch, but for what rounding does.
                    let shrunk = [there[0] + 1e-6, there[1] + 1e-6, there[2] - 1e-6, there[3] - 1e-6];
                    prop_assert!(disjoint(here, shrunk), "{here:?} and {there:?}");
                }
            }
        }
    }
}
