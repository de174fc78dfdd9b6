//! The models of a run, and whatever answers its network tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::effects::ports::{DatedIndexes, Network};
use crate::effects::program::program_model::ProgramModel;
use crate::model::chat::ChatModel;
use crate::model::layers::spend_account::SpendAccount;
use crate::model::layers::waits::Waits;
use crate::policy::limits::Budget;

/// The models of a run and whatever answers its network tools.
#[derive(Clone)]
pub struct RunModels {
    pub model: Arc<dyn ChatModel>,
    /// The same, as a program that is the agent asks it.
    pub program: Option<ProgramModel>,
    pub network: Arc<dyn Network>,
    /// The model that was named to look at pictures.
    pub seeing: Option<Arc<dyn ChatModel>>,
    pub account: Arc<SpendAccount>,
    /// The same, for each further model that is asked, by its full name.
    pub accounts: BTreeMap<String, Arc<SpendAccount>>,
    pub waits: Arc<Waits>,
    /// Whether a provider is asked.
    pub is_live: bool,
    /// An earlier run in the place of the indexes of packages.
    pub indexes: Option<Arc<dyn DatedIndexes>>,
}

impl RunModels {
    /// A model that costs nothing and waits for nobody.
    pub fn free(model: Arc<dyn ChatModel>, network: Arc<dyn Network>) -> Self {
        Self {
            model,
            program: None,
            network,
            seeing: None,
            account: SpendAccount::new(Budget::default(), None, Arc::default()),
            accounts: BTreeMap::new(),
            waits: Arc::default(),
            is_live: false,
            indexes: None,
        }
    }
}
