// Lets tests import modules that use D3, which Node would only look for in node_modules. Such modules
// must be imported by `await import(...)`, after this one. NODE_PATH says where D3 is, as for the
// build; without it, D3 is where Debian puts it.

import Module, { register } from "node:module";

const directory = process.env.NODE_PATH || "/usr/share/nodejs";

// D3's modules require each other; Node reads NODE_PATH for that only when it starts.
process.env.NODE_PATH = directory;
Module._initPaths();

const hooks = `
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const require = createRequire(${JSON.stringify(`${directory}/`)});
export async function resolve(specifier, context, next) {
  if (!specifier.startsWith("d3-")) return next(specifier, context);
  const path = require.resolve(${JSON.stringify(`${directory}/`)} + specifier);
  return { url: pathToFileURL(path).href, shortCircuit: true };
}`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
