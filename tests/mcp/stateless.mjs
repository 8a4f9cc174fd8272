// A client of @modelcontextprotocol/client, held to revision 2026-07-28: stateless.mjs TDTOP. Prints as before.mjs.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
const client = new Client({ name: "tdtop-test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp"], env: process.env }));
const say = (what, value) => console.log(JSON.stringify({ what, value }));
say("revision", client.getNegotiatedProtocolVersion());
say("tools", (await client.listTools()).tools.map((t) => t.name));
say("resources", (await client.listResources()).resources.map((r) => r.uri));
say("call", await client.callTool({ name: "get_funnel", arguments: { level: 1 } }));
say("read", await client.readResource({ uri: "tdtop://runs" }));
await client.close();
