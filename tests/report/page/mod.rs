//! `lrbm report`: its files, its page, and the tables it splices into Markdown.

mod browser;
mod lab;
mod paper;
mod run;
mod splice;
mod static_page;
