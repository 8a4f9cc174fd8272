// Both clients listen to a process, the second held to revision 2026-07-28, which does so over HTTP as well: live.mjs TDTOP URI URL TOKEN. Prints as before.mjs.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import * as stateless from "@modelcontextprotocol/client";
import * as line from "@modelcontextprotocol/client/stdio";
const [tdtop, uri, url, token] = process.argv.slice(2);
const how = { command: tdtop, args: ["mcp", "--allow-collect"], env: process.env };
const say = (what, value) => console.log(JSON.stringify({ what, value }));
const text = (r) => JSON.parse(r.contents[0].text);
const before = new Client({ name: "tdtop-test", version: "1" });
await before.connect(new StdioClientTransport(how));
const told = new Promise((done) => before.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => done(n.params.uri)));
await before.subscribeResource({ uri });
say("before", { can: before.getServerCapabilities().resources, told: await told, read: text(await before.readResource({ uri })), left: await before.unsubscribeResource({ uri }) });
say("free", text(await before.readResource({ uri: "tdtop://live" })));
await before.close();
for (const [name, transport] of [
  ["stateless", new line.StdioClientTransport(how)],
  ["http", new stateless.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })],
]) {
  const client = new stateless.Client({ name: "tdtop-test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(transport);
  const changed = new Promise((done) => client.setNotificationHandler("notifications/resources/updated", (n) => done(n.params.uri)));
  const listen = await client.listen({ resourceSubscriptions: [uri, "tdtop://runs"] });
  const got = { heard: listen.honoredFilter, told: await changed, read: text(await client.readResource({ uri })) };
  await listen.close();
  for (let i = 0; i < 50 && text(await client.readResource({ uri: "tdtop://live" })).targets[0]?.subscribed; i++) await new Promise((done) => setTimeout(done, 100));
  say(name, { ...got, free: text(await client.readResource({ uri: "tdtop://live" })) });
  await client.close();
}
