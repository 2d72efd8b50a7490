//! The arguments of `lrbm explain`.

use std::path::PathBuf;

use crate::cli::data_args::DataArgs;
use crate::cli::error::CommandError;
use crate::cli::fold_data::FoldArgs;
use crate::cli::output_files::OutputFiles;
use crate::cli::settings;
use crate::files::visible::ShownPath;
use crate::learn::SavedModel;
use crate::rbm::network::explain::FlipOptions;

/// Arguments of `lrbm explain`.
#[derive(clap::Args)]
#[command(after_help = NOTES)]
pub struct Explain {
    /// Model file, of any kind.
    #[arg(long, value_name = "MODEL.json")]
    pub model: PathBuf,
    /// Print the trees: a clause for each path in the order of evaluation, with weights and counts.
    #[arg(long, conflicts_with_all = ["query", "importance"])]
    pub trees: bool,
    /// Explain the prediction for this atom, such as 'advisedby(ann, bob)'.
    #[arg(long, value_name = "ATOM", conflicts_with = "importance")]
    pub query: Option<String>,
    /// Measure the importance of each rule and predicate on the examples of --data; trees and
    /// networks only.
    #[arg(long)]
    pub importance: bool,
    /// Directory with a facts file, for --importance also pos and neg files; or the id of a dataset
    /// as in `lrbm datasets list`.
    #[arg(long, value_name = "DIR|ID")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub fold: FoldArgs,
    /// File of modes and parameters [default: the one in the directory].
    #[arg(long, value_name = "FILE", requires = "data")]
    pub background: Option<PathBuf>,
    /// Set how the directory is read (time_predicate, time_type, time_by_argument).
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "data")]
    pub set: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// With --query: write a page with the active part of the network; trees and networks only.
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// With --importance: write the table to this file.
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
    /// With --importance: write a bar chart to this file.
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// With --query: probability above which the target is predicted to be true.
    #[arg(long, value_name = "P", default_value_t = 0.5, requires = "query", allow_negative_numbers = true)]
    pub threshold: f64,
    /// With --query: explain this class against the most likely other class; trees and networks
    /// only.
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    #[arg(long, value_name = "N", requires = "query", help = tries_help())]
    pub tries: Option<usize>,
    /// With --query: number of rules to print, by decreasing contribution; --json and --html show
    /// all.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "query")]
    pub top: usize,
    /// With --query: allow constants that the data do not mention.
    #[arg(long, requires = "query")]
    pub allow_unknown: bool,
}

fn tries_help() -> String {
    format!(
        "With --query: number of single-fact changes to try, to find those that reverse the decision [default: {}]; trees and \
         networks only",
        FlipOptions::default().budget
    )
}

const NOTES: &str = "\
Models of mln-boost, rrbm-c, rrbm-e and lrnn are printed as clauses, walks or rules; --query shows the contribution of each. \
Trees are converted to a network with the same probabilities, equivalent rules are merged, and rules are numbered by decreasing \
strength. The grounding shown for a rule is the first in a fixed order: literals from left to right, and facts in the canonical \
order of their arguments. \
A proposed change removes a fact of such a grounding, or adds the fact that a rule lacks for one more grounding, with constants of \
the query and of that grounding, or with the value of the data that just satisfies a comparison. Each change is tested on the \
network. The search is not exhaustive.";

impl Explain {
    /// Returns the files that the command writes.
    pub fn outputs(&self) -> Result<OutputFiles, CommandError> {
        OutputFiles::new([("--html", self.html.as_ref()), ("--csv", self.csv.as_ref()), ("--svg", self.svg.as_ref())])
    }

    /// Returns the data to read, if any are given.
    pub fn data(&self) -> Result<Option<DataArgs>, CommandError> {
        let Some(data) = self.data.clone() else { return Ok(None) };
        let (background, fold, set) = (self.background.clone(), self.fold.clone(), self.set.clone());
        let data = DataArgs { data, background, fold, set };
        match data.split_settings().others.first() {
            Some(setting) => Err(settings::unknown(setting)),
            None => Ok(Some(data)),
        }
    }

    /// Checks that no option for trees and networks only is given with another model.
    pub fn check_network(&self, model: &SavedModel) -> Result<(), CommandError> {
        if matches!(model, SavedModel::Trees(_) | SavedModel::Network(_)) {
            return Ok(());
        }
        let only_networks = [
            ("--importance", self.importance),
            ("--html", self.html.is_some()),
            ("--class", self.class.is_some()),
            ("--tries", self.tries.is_some()),
        ];
        let Some((flag, _)) = only_networks.iter().find(|(_, given)| *given) else { return Ok(()) };
        let instead = if self.query.is_some() { "omit it" } else { "use --query instead" };
        let model = self.model.shown();
        Err(CommandError::Input(format!("{model}: {flag} supports trees and networks only: {instead}")))
    }

    /// Checks that options are given together with those that they need.
    pub fn check(&self) -> Result<(), CommandError> {
        let (query, importance, data) = (self.query.is_some(), self.importance, self.data.is_some());
        let wrong = |message: &str| Err(CommandError::input(message));
        if query && !data {
            return wrong("--query needs facts: give their directory with --data");
        }
        if importance && !data {
            return wrong("--importance needs examples: give their directory with --data");
        }
        if data && !query && !importance {
            return wrong("--data needs --query 'p(a, b)' or --importance");
        }
        if self.html.is_some() && !query {
            return wrong("--html needs --query 'p(a, b)'");
        }
        if (self.csv.is_some() || self.svg.is_some()) && !importance {
            return wrong("--csv and --svg need --importance");
        }
        if self.class.is_some() && !query {
            return wrong("--class needs --query 'p(a, b)'");
        }
        if self.json && !query && !importance {
            return wrong("--json needs --query or --importance");
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(CommandError::Input(format!(
                "--threshold must be from 0 to 1, such as 0.5, got {}",
                self.threshold
            )));
        }
        Ok(())
    }
}
