"""ROUGE-L by Google's rouge_score, without stemming: [[candidate, reference]] in, [[p, r, f]] out."""
import json
import sys

from rouge_score import rouge_scorer

scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
scores = [scorer.score(reference, candidate)["rougeL"] for candidate, reference in json.load(sys.stdin)]
json.dump([[s.precision, s.recall, s.fmeasure] for s in scores], sys.stdout)
