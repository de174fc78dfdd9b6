//! The tools by name.
use super::contract::Tool;
use crate::model::chat::ToolSpec;
use std::sync::Arc;
pub struct Registry {
    tools: Vec<Arc<dyn Tool>>,
}
impl Registry {
    pub fn find(&self, name: &str, offered: &[String]) -> Result<Arc<dyn Tool>, String> {
        let _ = offered;
        self.tools
            .iter()
            .find(|t| t.name() == name)
            .cloned()
            .ok_or_else(|| name.to_owned())
    }
    pub fn specs(&self, names: &[String]) -> Result<Vec<ToolSpec>, String> {
        names
            .iter()
            .map(|n| self.find(n, names).map(|t| t.spec()))
            .collect()
    }
}
