#!/bin/sh
# Grades the one file that is taken out of the agent's container; this is another container.
exec python3 -I /tests/grade.py /tests/accepted.json /workspace/report.json /logs/verifier
