//! The steps of a build, as the builder's log tells them.

use super::verdict::Layer;

/// The steps of one build.
#[derive(Debug, Default)]
pub struct Steps(Vec<Step>);

#[derive(Debug, Default)]
struct Step {
    instruction: String,
    /// The image that it made, or that was found in the cache.
    image: Option<String>,
    cached: bool,
}

impl Steps {
    /// Takes a line in the words of Docker's builder or of Podman's.
    pub fn take(&mut self, line: &str) {
        let step = line.strip_prefix("Step ").or_else(|| line.strip_prefix("STEP "));
        if let Some((_, instruction)) = step.and_then(|rest| rest.split_once(": ")) {
            self.0.push(Step {
                instruction: instruction.to_owned(),
                ..Step::default()
            });
            return;
        }
        let made = line.strip_prefix(" ---> ").or_else(|| line.strip_prefix("--> "));
        if let Some(made) = made
            && let Some(step) = self.0.last_mut()
        {
            step.cached |= made.starts_with("Using cache");
            let id = made.strip_prefix("Using cache ").unwrap_or(made);
            if (11..=64).contains(&id.len()) && id.chars().all(|letter| letter.is_ascii_hexdigit()) {
                step.image = Some(id.to_owned());
            }
        }
    }

    /// The images from a layer's script on.
    pub fn from(&self, layer: Layer) -> Vec<String> {
        self.at(layer).filter_map(|step| step.image.clone()).collect()
    }

    /// Whether a layer came out of the cache.
    pub fn cached(&self, layer: Layer) -> bool {
        self.at(layer).next().is_some_and(|step| step.cached)
    }

    fn at(&self, layer: Layer) -> impl Iterator<Item = &Step> {
        self.0.iter().skip_while(move |step| {
            !(step.instruction.starts_with("RUN") && step.instruction.contains(layer.script()))
        })
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
            assert!(steps.cached(Layer::System) && !steps.cached(Layer::R));
        }
    }
}
