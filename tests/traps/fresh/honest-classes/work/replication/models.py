import statsmodels.api as sm

REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls


@register
class LeastSquares:
    def __init__(self, outcome, predictors):
        self.outcome, self.predictors = outcome, list(predictors)

    def fit(self, frame):
        return sm.OLS(frame[self.outcome], sm.add_constant(frame[self.predictors])).fit()
