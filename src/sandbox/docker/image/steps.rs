//! The steps of a build, as the builder's log tells them.

use super::verdict::Layer;

/// Instructions, and the images that they made.
#[derive(Debug, Default)]
pub struct Steps(Vec<(String, Option<String>)>);

impl Steps {
    /// Takes a line in the words of Docker's builder or of Podman's.
    pub fn take(&mut self, line: &str) {
        let step = line.strip_prefix("Step ").or_else(|| line.strip_prefix("STEP "));
        if let Some((_, instruction)) = step.and_then(|rest| rest.split_once(": ")) {
            self.0.push((instruction.to_owned(), None));
            return;
        }
        let made = line.strip_prefix(" ---> ").or_else(|| line.strip_prefix("--> "));
        if let Some(made) = made
            && let Some(step) = self.0.last_mut()
        {
            let id = made.strip_prefix("Using cache ").unwrap_or(made);
            if (11..=64).contains(&id.len()) && id.chars().all(|letter| letter.is_ascii_hexdigit()) {
                step.1 = Some(id.to_owned());
            }
        }
    }

    /// The images from a layer's script on.
    pub fn from(&self, layer: Layer) -> Vec<String> {
        self.0
            .iter()
            .skip_while(|(instruction, _)| {
                !(instruction.starts_with("RUN") && instruction.contains(layer.script()))
            })
            .filter_map(|(_, id)| id.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_both_builders_are_read() {
        let docker = "Step 1/5 : FROM x\n ---> aaaaaaaaaaaa\nStep 2/5 : RUN [\"/bin/sh\", \"/opt/reprise/system.sh\"]\n \
                      ---> Using cache\n ---> bbbbbbbbbbbb\nStep 3/5 : RUN [\"/bin/sh\", \"/opt/reprise/r.sh\"]\n ---> \
                      Running in cccccccccccc\nprinted\n ---> dddddddddddd\nStep 4/5 : COPY a b\n ---> eeeeeeeeeeee";
        let podman = "STEP 1/5: FROM x\nSTEP 2/5: RUN [\"/bin/sh\", \"/opt/reprise/system.sh\"]\n--> Using cache \
                      bbbbbbbbbbbb\nSTEP 3/5: RUN [\"/bin/sh\", \"/opt/reprise/r.sh\"]\nprinted\n--> dddddddddddd\nSTEP \
                      4/5: COPY a b\n--> eeeeeeeeeeee";
        for log in [docker, podman] {
            let mut steps = Steps::default();
            log.lines().for_each(|line| steps.take(line));
            assert_eq!(steps.from(Layer::R), ["dddddddddddd", "eeeeeeeeeeee"]);
            assert_eq!(steps.from(Layer::System).len(), 3);
            assert!(steps.from(Layer::Python).is_empty());
        }
    }
}
