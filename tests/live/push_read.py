# SPDX-License-Identifier: BSD-2-Clause
"""push_read.py - what protoc reads of the bodies in a log of push_store.py.

usage: push_read.py LOG PROTO_DIR pprof|otlp|parca

parca: as pprof, and the object around is what the JSON mapping of parca.profilestore.v1alpha1.WriteRawRequest has (series,
labels, samples, normalized; POST /api/profiles/writeraw of its gateway), with labels that Parca takes. pprof: of each profile a line "KIND FUNCTIONS...", the functions on the stack of the heaviest sample, outermost first, and
its value. otlp: of each profile a line "SAMPLE_TYPE/UNIT PERIOD_TYPE/UNIT SECONDS VALUE FUNCTIONS..." of the same; a line
"resource KEY=VALUE ..."; and "sound" when every index is one of its table and each table begins with an empty entry.
"""
import base64
import gzip
import json
import re
import subprocess
import sys

log, protos, what = sys.argv[1:]


def decode(data, proto, message):
    text = subprocess.run(["protoc", "--proto_path=" + protos, "--decode=" + message, proto], input=data, check=True,
                          capture_output=True).stdout.decode()
    stack = [{}]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{"):
            child = {}
            stack[-1].setdefault(line[:-1].strip(), []).append(child)
            stack.append(child)
        elif line == "}":
            stack.pop()
        else:
            key, _, value = line.partition(": ")
            if not re.fullmatch(r"[a-z_]+", key):
                raise SystemExit("a field that the protocol has not: " + line)
            value = json.loads(re.sub(r"\\([0-7]{3})", lambda m: "\\u%04x" % int(m[1], 8), value.replace("\\'", "'"))) \
                if value.startswith('"') else value == "true" if value in ("true", "false") else int(value)
            stack[-1].setdefault(key, []).append(value)
    return stack[0]


def one(message, key, default=0):
    return message.get(key, [default])[0]


def pprof(kind, data):
    p = decode(gzip.decompress(data), "pprof.proto", "pprof.Profile")
    text = p["text"]
    functions = {one(f, "id"): text[one(f, "name")] for f in p["function"]}
    places = {one(q, "id"): [functions[one(n, "function_id")] for n in q.get("line", [])] for q in p["location"]}
    time = [i for i, t in enumerate(p["value_type"]) if text[one(t, "unit")] == "nanoseconds"]
    heaviest = max(p["sample"], key=lambda s: sum(s["value"][i] for i in time))
    names = [n for q in heaviest["location_id"] for n in places[q]]
    print(kind, sum(heaviest["value"][i] for i in time), *reversed(names))


def otlp(data):
    r = decode(gzip.decompress(data), "otlp.proto", "t.ExportProfilesServiceRequest")
    d = r["dictionary"][0]
    text = d["string_table"]
    assert text[0] == "" and len(set(text)) == len(text)
    for table in ("mapping", "location", "function", "link", "attribute", "stack"):
        assert d[table + "_table"][0] == {}, table
    functions, places = d["function_table"], d["location_table"]
    resource = one(r["resource_profiles"][0], "resource")
    print("resource", *["%s=%s" % (one(a, "key"), one(one(a, "value"), "string_value")) for a in resource["attributes"]])
    for p in r["resource_profiles"][0]["scope_profiles"][0]["profiles"]:
        kind = [one(p, t, {}) for t in ("sample_type", "period_type")]
        kind = ["/".join(text[one(k, f)] for f in ("type_strindex", "unit_strindex")) for k in kind]
        heaviest = max(p["samples"], key=lambda s: one(s, "values"))
        for s in p["samples"]:
            assert 0 < one(s, "stack_index") < len(d["stack_table"])
            for a in s["attribute_indices"]:
                assert text[one(d["attribute_table"][a], "key_strindex")]
        names = [text[one(functions[one(n, "function_index")], "name_strindex")]
                 for i in d["stack_table"][one(heaviest, "stack_index")]["location_indices"]
                 for n in places[i].get("lines", [])]
        print(*kind, one(p, "duration_nano") // 1000000000, one(heaviest, "values"), *reversed(names))
    for m in d["mapping_table"][1:]:
        text[one(m, "filename_strindex")]
    print("sound")


def shape(value, table):
    """VALUE has the members of TABLE and no others, each of its kind: a dict, a list of one kind, or a type."""
    if isinstance(table, dict):
        assert isinstance(value, dict) and set(value) == set(table), value.keys()
        for key in table:
            shape(value[key], table[key])
    elif isinstance(table, list):
        assert isinstance(value, list) and value
        for one_of in value:
            shape(one_of, table[0])
    else:
        assert isinstance(value, table), value


WRITE_RAW = {"normalized": bool, "series": [{"labels": {"labels": [{"name": str, "value": str}]},
                                             "samples": [{"rawProfile": str}]}]}

for line in open(log):
    body = json.loads(line)["body"]
    if what == "parca":
        shape(body, WRITE_RAW)
        for s in body["series"]:
            names = [x["name"] for x in s["labels"]["labels"]]
            assert "__name__" in names and len(set(names)) == len(names), names
            assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) for name in names), names
    if what == "otlp":
        otlp(base64.b64decode(body))
        continue
    for s in body["series"]:
        labels = s["labels"]["labels"] if isinstance(s["labels"], dict) else s["labels"]
        pprof(next(x["value"] for x in labels if x["name"] == "__name__"),
              base64.b64decode(s["samples"][0]["rawProfile"]))
