// SPDX-License-Identifier: BSD-2-Clause
// schema.cjs SCHEMA FILE - does FILE have the shape of SCHEMA? Says what is wrong; exit status 1 when anything is.
const fs = require("fs");
const path = require("path");
const Ajv = require(path.join(process.env.modules, "ajv"));

const [schema, data] = process.argv.slice(2, 4).map((file) => JSON.parse(fs.readFileSync(file, "utf8")));
delete schema.$schema;   // ajv has draft 07 built in, and would look for it under its address
const validate = new Ajv({ strict: false }).compile(schema);
if (!validate(data)) {
	for (const error of validate.errors.slice(0, 5))
		console.log(`${error.instancePath}: ${error.message}`);
	process.exit(1);
}
