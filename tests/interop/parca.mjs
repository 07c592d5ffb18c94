// SPDX-License-Identifier: BSD-2-Clause
// parca.mjs MODULES - reads lines of JSON, each the body of a WriteRaw, by the messages of Parca's own client, which refuse what they do not
// know. Prints for each series of each body the names and values of its labels, and how many bytes its profiles have, uncompressed.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

// The client is written for bundlers, which add the suffix of a file.
registerHooks({ resolve: (name, context, next) => next(name.startsWith(".") && !name.endsWith(".js") ? name + ".js" : name, context) });
const client = resolve(process.argv[2], "@parca/client/dist/parca/profilestore/v1alpha1/profilestore.js");
const { WriteRawRequest } = await import(pathToFileURL(client));

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
	const request = WriteRawRequest.fromJson(JSON.parse(line));
	const same = WriteRawRequest.fromBinary(WriteRawRequest.toBinary(request));

	for (const series of same.series)
		console.log(same.normalized, series.labels.labels.map(l => l.name + "=" + l.value).sort().join(" "),
			series.samples.reduce((bytes, s) => bytes + gunzipSync(s.rawProfile).length, 0));
}
