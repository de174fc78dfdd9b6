// Carries the run of a capsule by the client of npm: over standard input and output, then over HTTP with progress, a call
// that is aborted, and the answers.
//
//     node client.mjs PROGRAM ARGUMENTS...

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [program, ...words] = process.argv.slice(2);

function structured(result) {
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
}

function bash(client, command, options) {
  const call = { name: "bash", arguments: { command, seconds: 600 } };
  return client.callTool(call, undefined, options);
}

// A connection: the tools, a command, and what the run holds of earlier ones.
async function carried(transport, turn) {
  const client = new Client({ name: "of-npm", version: "1" });
  await client.connect(transport);
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(names.slice(0, 3), ["task", "bash", "submit"]);
  const task = structured(await client.callTool({ name: "task", arguments: {} }));
  assert.equal(task.turn, turn);
  const told = structured(await bash(client, "echo line >> log; wc -l < log"));
  assert.ok(told.exit_status === 0 && told.text.includes(`${turn + 1}\n[exit status 0]`), told.text);
  return client;
}

async function overStdio() {
  const transport = new StdioClientTransport({ command: program, args: words, env: process.env });
  const client = await carried(transport, 0);
  await client.close();
  console.log("over stdio");
}

// The address and the token of a server that was started.
async function listening(server) {
  let told = "";
  for await (const line of createInterface({ input: server.stdout })) {
    told += line;
    try {
      return JSON.parse(told);
    } catch {
      // Not whole yet.
    }
  }
  throw new Error(`the server says nothing: ${told}`);
}

async function overHttp({ url, token }) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const client = await carried(new StreamableHTTPClientTransport(new URL(url), { requestInit }), 1);
  let signs = 0;
  structured(await bash(client, "sleep 7", { onprogress: () => { signs += 1; } }));
  assert.ok(signs > 0, "no sign of life");
  const begun = Date.now();
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 1000);
  await assert.rejects(bash(client, "sleep 300", { signal: stop.signal }));
  const told = structured(await bash(client, "wc -l < log"));
  assert.ok(told.text.startsWith("2") && Date.now() - begun < 60_000, told.text);
  const { questions } = structured(await client.callTool({ name: "task", arguments: {} }));
  const answers = Object.fromEntries(questions.map((question) => [question, 1]));
  const taken = structured(await client.callTool({ name: "submit", arguments: { answers } }));
  assert.ok(taken.accepted && !JSON.stringify(taken).includes("score"));
  await client.close();
  console.log(`over http: handed in behind ${signs} signs of life and a call that was aborted`);
}

await overStdio();
const server = spawn(program, [...words, "--http", "127.0.0.1:0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
try {
  await overHttp(await listening(server));
} finally {
  server.kill("SIGTERM");
}
