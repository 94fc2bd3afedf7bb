"""The schema of an outcome's JSON, ready to validate: `jsonschema.validate` would check the schema
itself each time.
"""

from __future__ import annotations

import json

from jsonschema import Draft202012Validator

from tests.corpus import REPOSITORY

SCHEMA = json.loads((REPOSITORY / "docs/schema/outcome.json").read_text(encoding="utf-8"))
OUTCOME = Draft202012Validator(SCHEMA)
