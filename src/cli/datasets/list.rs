//! `lrbm datasets list`

use super::super::table::Table;
use super::super::{CommandError, Output};
use crate::data::generate::Domain;

pub fn run(output: &mut Output) -> Result<(), CommandError> {
    let mut table = Table::new(&["id", "target", "kind", "title"]);
    for domain in Domain::ALL {
        let info = domain.info();
        table.row([info.id.into(), info.target.into(), "generated".into(), info.title.into()]);
    }
    table.print(&mut output.out)?;
    Ok(())
}
