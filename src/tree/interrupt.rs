//! A way to end what takes long, from outside.

use std::fmt;

/// Somebody who is asked, now and then, whether to go on. Whoever has enough unwinds and does not come back.
#[derive(Clone, Copy, Default)]
pub struct Interrupt<'a>(Option<&'a (dyn Fn() + Sync)>);

impl<'a> Interrupt<'a> {
    /// Asks `look`, from any thread and often, so it should be quick.
    pub fn new(look: &'a (dyn Fn() + Sync)) -> Self {
        Interrupt(Some(look))
    }

    /// Asks, if there is somebody.
    pub fn look(self) {
        if let Some(look) = self.0 {
            look();
        }
    }
}

impl fmt::Debug for Interrupt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interrupt").field(&self.0.is_some()).finish()
    }
}
