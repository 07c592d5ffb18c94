#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""validate.py SCHEMA FILE - is FILE what SCHEMA says? Here a member that SCHEMA does not name is wrong, too, unless it says what such are.

Needs jsonschema (Debian: python3-jsonschema). Prints the first things that are wrong; exit status 1 when any is, 77 without jsonschema.
"""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def strict(schema):
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            strict(value)
    elif isinstance(schema, list):
        for value in schema:
            strict(value)


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    strict(schema)
    errors = list(jsonschema.Draft7Validator(schema).iter_errors(json.load(open(sys.argv[2], encoding="utf-8"))))
    for error in errors[:5]:
        print("/".join(str(step) for step in error.path) + ":", error.message[:200])
    sys.exit(1 if errors else 0)


main()
