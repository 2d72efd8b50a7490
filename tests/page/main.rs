//! `lrbm report`: the files it writes, the page it makes, and the tables it puts into Markdown.

mod browser;
mod lab;
mod paper;
mod run;
mod splice;
mod static_page;
