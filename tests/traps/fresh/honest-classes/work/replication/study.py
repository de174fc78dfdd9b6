import json

import reprise

from .data import Source
from .models import REGISTRY


class Study:
    def __init__(self, settings):
        self.settings = settings
        self.source = Source(settings["data"], (settings["outcome"], *settings["predictors"]))
        self.model = REGISTRY["LeastSquares"](settings["outcome"], settings["predictors"])

    @classmethod
    def from_file(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file))

    def run(self):
        fit = self.model.fit(self.source.load())
        reprise.report(fit, self.settings["focal"], scale="difference")
        for name in self.settings["predictors"]:
            if name != self.settings["focal"]:
                reprise.report(fit, name, scale="difference")
