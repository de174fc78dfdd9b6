"""Validates a crate by roc-validator without the web.

The context of RO-Crate comes from the package `rocrate`, which brings that of version 1.3 along: the
terms of Bioschemas are put back to where 1.1 has them. The two checks that fetch the context are
passed over."""

import json
import pathlib
import sys

import rocrate
from rocrate_validator import models, services
from rocrate_validator.utils import document_loader

bundled = pathlib.Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld"
fetch = document_loader._fetch_json_ld


def local(url):
    if url.startswith("https://w3id.org/ro/crate/1.1/context"):
        return json.loads(bundled.read_text().replace("bioschemas.org/terms/", "bioschemas.org/"))
    return fetch(url)


document_loader._fetch_json_ld = local
severity = getattr(models.Severity, sys.argv[2])
result = services.validate(
    services.ValidationSettings(
        rocrate_uri=sys.argv[1],
        profile_identifier="workflow-run-crate",
        requirement_severity=severity,
        skip_checks=["ro-crate-1.1_3.1", "ro-crate-1.1_3.2"],
    )
)
issues = result.get_issues(severity)
for issue in issues:
    print(f"{issue.severity.name} {issue.check.identifier}: {issue.message} ({getattr(issue, 'violatingEntity', '')})")
print("roc-validator:", len(issues), "issues at", severity.name)
sys.exit(0 if not issues else 1)
