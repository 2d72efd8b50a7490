//! Layout of trees: compact, with each test centered over its branches.
//!
//! After Reingold and Tilford (1981, *Tidier drawings of trees*), for boxes of any size: subtrees
//! keep their left and right contours per level, and are moved together until the contours meet.
//! Small trees grow downwards; large ones grow to the right, since pages scroll vertically.

use crate::report::figure::scene::Position;

/// Gap between boxes of a level.
const SIBLING_GAP: f64 = 14.0;
/// Gap between levels of a tree that grows downwards: space for the edge and its label.
const LEVEL_GAP_DOWN: f64 = 34.0;
/// Gap between levels of a tree that grows to the right.
const LEVEL_GAP_RIGHT: f64 = 50.0;
/// Distance of the two edges from the center of a test.
const STEM: f64 = 5.0;
/// Largest number of leaves of a tree that grows downwards.
const SMALL: usize = 8;
/// Font size of edge labels.
pub(super) const LABEL_SIZE: f64 = 11.0;

/// An edge from a test to a branch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    /// Vertices.
    pub path: Vec<Position>,
    /// Start of its label, on the baseline.
    pub label: Position,
    /// Whether it leads to the true branch.
    pub yes: bool,
}

/// Layout of a tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreeLayout {
    /// Upper left corner of each node.
    pub corners: Vec<Position>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Total width.
    pub width: f64,
    /// Total height.
    pub height: f64,
}

impl TreeLayout {
    /// Lays out a tree, given the children of each node (which have larger indices) and the sizes
    /// of the boxes.
    pub fn new(children: &[Option<[usize; 2]>], sizes: &[(f64, f64)]) -> Self {
        let leaves = children.iter().filter(|children| children.is_none()).count();
        let down = leaves <= SMALL;
        // The algorithm assumes growth downwards; for growth to the right, the axes are swapped.
        let turn = |(a, b): Position| if down { (a, b) } else { (b, a) };
        let turned: Vec<Position> = sizes.iter().map(|&size| turn(size)).collect();
        let levels = levels(children);
        let gap = if down { LEVEL_GAP_DOWN } else { LEVEL_GAP_RIGHT };
        let tops = tops(&levels, &turned, gap);
        let centers = centers(children, &levels, &turned);
        let leftmost = centers.iter().zip(&turned).map(|(x, (wide, _))| x - wide / 2.0).fold(0.0, f64::min);
        let corner = |i: usize| (centers[i] - turned[i].0 / 2.0 - leftmost, tops[levels[i]]);
        let corners: Vec<Position> = (0..sizes.len()).map(|i| turn(corner(i))).collect();
        let ends = |i: usize| (corners[i].0 + sizes[i].0, corners[i].1 + sizes[i].1);
        let width = (0..sizes.len()).map(|i| ends(i).0).fold(0.0, f64::max);
        let height = (0..sizes.len()).map(|i| ends(i).1).fold(0.0, f64::max);
        let mut edges = Vec::new();
        for (i, both) in children.iter().enumerate() {
            for (child, yes) in both.iter().flatten().copied().zip([true, false]) {
                // Side by side, so that the solid edge does not hide the dashed one.
                let aside = if yes { -STEM } else { STEM };
                let from = (centers[i] - leftmost + aside, tops[levels[i]] + turned[i].1);
                let to = (centers[child] - leftmost, tops[levels[child]]);
                // Levels are as high as their highest box, so this is below all of them.
                let bend = to.1 - gap / 2.0;
                let path = [from, (from.0, bend), (to.0, bend), to].map(turn).to_vec();
                let (x, y) = turn(to);
                let label = if down { (x + 4.0, y - 5.0) } else { (x - LEVEL_GAP_RIGHT / 2.0 + 3.0, y - 4.0) };
                edges.push(Edge { path, label, yes });
            }
        }
        TreeLayout { corners, edges, width, height }
    }
}

/// Returns the depth of each node.
fn levels(children: &[Option<[usize; 2]>]) -> Vec<usize> {
    let mut levels = vec![0; children.len()];
    for (i, both) in children.iter().enumerate() {
        for &child in both.iter().flatten() {
            levels[child] = levels[i] + 1;
        }
    }
    levels
}

/// Returns the start of each level.
fn tops(levels: &[usize], sizes: &[Position], gap: f64) -> Vec<f64> {
    let mut heights = vec![0.0f64; levels.iter().max().map_or(0, |deepest| deepest + 1)];
    for (&level, &(_, height)) in levels.iter().zip(sizes) {
        heights[level] = heights[level].max(height);
    }
    let mut top = 0.0;
    heights.into_iter().map(|height| (top, top += height + gap).0).collect()
}

/// Contour of a subtree: for each level, its extent left and right of the root's center.
type Contour = Vec<(f64, f64)>;

/// Returns the center of each node.
fn centers(children: &[Option<[usize; 2]>], levels: &[usize], sizes: &[Position]) -> Vec<f64> {
    let mut contours: Vec<Contour> = vec![Vec::new(); children.len()];
    // Offset of each child from its parent.
    let mut shifts = vec![0.0; children.len()];
    // Children have larger indices than their parents, so they are processed first.
    for i in (0..children.len()).rev() {
        let half = sizes[i].0 / 2.0;
        let mut contour = vec![(-half, half)];
        if let Some([yes, no]) = children[i] {
            let (left, right) = (std::mem::take(&mut contours[yes]), std::mem::take(&mut contours[no]));
            let distances = left.iter().zip(&right).map(|((_, end), (start, _))| end - start + SIBLING_GAP);
            let apart = distances.fold(0.0, f64::max);
            (shifts[yes], shifts[no]) = (-apart / 2.0, apart / 2.0);
            for level in 0..left.len().max(right.len()) {
                let (a, b) = (left.get(level), right.get(level));
                let start = a.map(|a| a.0 - apart / 2.0).into_iter().chain(b.map(|b| b.0 + apart / 2.0));
                let end = a.map(|a| a.1 - apart / 2.0).into_iter().chain(b.map(|b| b.1 + apart / 2.0));
                contour.push((start.fold(f64::INFINITY, f64::min), end.fold(f64::NEG_INFINITY, f64::max)));
            }
        }
        contours[i] = contour;
    }
    debug_assert_eq!(levels.len(), children.len());
    let mut centers = vec![0.0; children.len()];
    for (i, both) in children.iter().enumerate() {
        for &child in both.iter().flatten() {
            centers[child] = centers[i] + shifts[child];
        }
    }
    centers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::font;
    use crate::report::figure::scene::disjoint;
    use proptest::prelude::*;

    /// Grows a tree by splitting the given leaves.
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
    fn tests_are_centered() {
        let layout = TreeLayout::new(&grown(&[0]), &[(100.0, 20.0), (50.0, 30.0), (50.0, 30.0)]);
        // Two boxes of 50 with a gap of 14 are 114 wide; the root, 100 wide, is centered.
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
                [x, y - 0.7 * LABEL_SIZE, x + font::reserved_width(if edge.yes { "yes" } else { "no" }, LABEL_SIZE), y + 0.2 * LABEL_SIZE]
            });
            let all: Vec<[f64; 4]> = boxes.chain(words).collect();
            for (i, &here) in all.iter().enumerate() {
                prop_assert!(here[0] >= -1e-9 && here[1] >= -1e-9 && here[3] <= layout.height + 1e-9);
                for &there in &all[..i] {
                    // Boxes may touch, up to rounding.
                    let shrunk = [there[0] + 1e-6, there[1] + 1e-6, there[2] - 1e-6, there[3] - 1e-6];
                    prop_assert!(disjoint(here, shrunk), "{here:?} and {there:?}");
                }
            }
        }
    }
}
