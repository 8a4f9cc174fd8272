// A client of @modelcontextprotocol/sdk, which begins with `initialize`: before.mjs TDTOP. Prints what it got as lines of JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const client = new Client({ name: "tdtop-test", version: "1" });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp", "--allow-collect"], env: process.env }));
const say = (what, value) => console.log(JSON.stringify({ what, value }));
say("server", client.getServerVersion());
say("tools", (await client.listTools()).tools.map((t) => t.name));
say("templates", (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate));
say("call", await client.callTool({ name: "query_bottlenecks", arguments: {} }));
say("collect", await client.callTool({ name: "collect_topdown", arguments: { all: true, duration: "1s" } }));
say("read", await client.readResource({ uri: "tdtop://explanations/L3_Bound" }));
say("none", await client.readResource({ uri: "tdtop://nothing" }).catch((e) => e.code));
await client.close();
