import { bars, meter } from "./charts.js";
import { $, alertUser, element, labels } from "./page.js";
import { strings } from "./strings.js";

const deadPage = 20;
const dropRatio = 0.5;
const dropSentMin = 100;
const number = new Intl.NumberFormat("en-GB");
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: "UTC" });
const places = new Intl.DisplayNames(["en"], { type: "region" });

let session = null;
let view = "tenant";
let now = null;
let days = [];
let dayBefore = new Map();
let source = null;

const canDo = (scope) => Boolean(session?.scopes.includes(scope));
const ofService = () => view === "service";

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(strings.gone);
  }
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401 && session) showSignIn(strings.ended);
  if (!response.ok) throw Object.assign(new Error(answer.detail || `${response.status}`), { status: response.status });
  return answer;
}

function send(path, method, body) {
  return call(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

const statisticsPath = (rest = "") => `/v1/${ofService() ? "service/" : ""}statistics${rest}`;

// Tables.

function table(caption, columns, rows) {
  const made = element("table");
  if (caption) made.append(element("caption", caption));
  const head = element("tr");
  for (const [name, isNumber] of columns) {
    head.append(element("th", strings.columns[name], { scope: "col", class: isNumber ? "number" : "" }));
  }
  const top = element("thead");
  top.append(head);
  const body = element("tbody");
  for (const cells of rows) {
    const row = element("tr");
    cells.forEach((cell, index) => {
      const one = element("td", cell instanceof Node ? null : cell ?? strings.none, { class: columns[index][1] ? "number" : "" });
      if (cell instanceof Node) one.append(cell);
      row.append(one);
    });
    body.append(row);
  }
  made.append(top, body);
  return made;
}

const text = (words, kind = "hint") => element("p", words, { class: kind });

function put(id, ...nodes) {
  $(id).replaceChildren(...nodes);
}

const timeOf = (value) => (value ? value.replace("T", " ").replace(/\.\d+Z$/, "") : undefined);
const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : undefined);

function regionName(code) {
  if (code === "other") return strings.other;
  try {
    return `${code} ${places.of(code)}`;
  } catch {
    return code;
  }
}

// Today and the days.

const isChosen = (row) => !$("topic").value || row.topic === $("topic").value;

function sum(rows) {
  const all = { accepted: 0, tried: 0, sent: 0, received: 0, unopened: 0, undeliverable: 0 };
  for (const row of rows) for (const name of Object.keys(all)) all[name] += row[name];
  return all;
}

const keyOf = (row) => JSON.stringify([row.tenant, row.topic, row.region]);

// As the alert SealedPushRegionDrop, but beside the whole day before.
function hasDropped(row, before) {
  if (!before?.sent || row.sent <= dropSentMin) return false;
  return row.received / row.sent < dropRatio * (before.received / before.sent);
}

function regionTable(rows, before) {
  if (!rows.length) return text(strings.noDeliveries);
  const columns = [["topic"], ["region"], ["accepted", 1], ["sent", 1], ["received", 1], ["undeliverable", 1], ["rate", 1]];
  if (ofService()) columns.unshift(["tenant"]);
  if (before) columns.push(["before", 1], ["state"]);
  return table(null, columns, rows.map((row) => {
    const cells = [row.topic, regionName(row.region), number.format(row.accepted), number.format(row.sent),
      number.format(row.received), number.format(row.undeliverable), percent(row.received, row.sent)];
    if (ofService()) cells.unshift(row.tenant);
    if (before) {
      const old = before.get(keyOf(row));
      cells.push(old && percent(old.received, old.sent));
      cells.push(hasDropped(row, old) ? element("span", strings.drop, { class: "bad" }) : "");
    }
    return cells;
  }));
}

function drawFunnel(rows) {
  const all = sum(rows);
  const steps = { ...all, arrived: all.received + all.unopened };
  const lines = Object.entries(strings.steps).map(([name, title]) => [
    title, number.format(steps[name]), percent(steps[name], all.accepted), meter(steps[name] / all.accepted),
  ]);
  put("funnel", table(null, [["step"], ["count", 1], ["share", 1], ["bar"]], lines),
    text(strings.funnelNote(number.format(all.unopened), number.format(all.undeliverable))));
}

function drawToday() {
  const rows = now.deliveries.filter(isChosen);
  drawFunnel(rows);
  put("regions", regionTable(rows, dayBefore));
}

function drawTopics() {
  const topics = [...new Set([...now.deliveries, ...days.flatMap((day) => day.deliveries)].map((row) => row.topic))].sort();
  const known = [...$("topic").options].slice(1).map((option) => option.value);
  if ($("topic").options.length && JSON.stringify(known) === JSON.stringify(topics)) return;
  const chosen = $("topic").value;
  put("topic", element("option", strings.allApps, { value: "" }),
    ...topics.map((topic) => element("option", topic, { value: topic })));
  $("topic").value = topics.includes(chosen) ? chosen : "";
}

function drawDays() {
  const known = new Map(days.map((day) => [day.day, sum(day.deliveries.filter(isChosen))]));
  known.set(now.day, sum(now.deliveries.filter(isChosen)));
  const all = [...known].sort(([one], [other]) => (one < other ? -1 : 1));
  const groups = all.map(([day, one]) => ({ name: day.slice(5), values: [one.accepted, one.sent, one.received] }));
  const key = element("ul", null, { class: "key" });
  key.append(...strings.series.map((name) => element("li", name)));
  const numbers = element("details");
  const rows = element("div", null, { class: "scroll", role: "group", tabindex: "0", "aria-label": strings.numbers });
  rows.append(table(null, [["day"], ["accepted", 1], ["sent", 1], ["received", 1], ["undeliverable", 1], ["rate", 1]],
    all.reverse().map(([day, one]) => [day, number.format(one.accepted), number.format(one.sent),
      number.format(one.received), number.format(one.undeliverable), percent(one.received, one.sent)])));
  numbers.append(element("summary", strings.numbers), rows);
  numbers.open = $("days").querySelector("details")?.open || false;
  put("days", bars(groups, strings.daysOf(groups.length)), key, numbers);
  const names = all.map(([day]) => day);
  if (JSON.stringify([...$("day").options].slice(1).map((one) => one.value)) === JSON.stringify(names)) return;
  const chosen = $("day").value;
  put("day", element("option", strings.noDay, { value: "" }), ...names.map((day) => element("option", day, { value: day })));
  $("day").value = names.includes(chosen) ? chosen : "";
}

async function chooseDay() {
  const day = $("day").value;
  if (!day) return put("day-regions");
  const answer = await call(statisticsPath(`/days?day=${encodeURIComponent(day)}`));
  put("day-regions", regionTable(answer.days[0].deliveries.filter(isChosen)));
}

async function loadDays() {
  days = (await call(statisticsPath("/days"))).days;
  const before = days.find((day) => !now || day.day < now.day);
  dayBefore = new Map();
  if (before) {
    const answer = await call(statisticsPath(`/days?day=${before.day}`));
    dayBefore = new Map(answer.days[0].deliveries.map((row) => [keyOf(row), row]));
  }
}

// What is the case now.

function drawQueues() {
  const columns = [["lane"], ["queued", 1], ["sending", 1], ["parked", 1], ["dead", 1]];
  if (ofService()) columns.unshift(["tenant"]);
  else columns.push(["oldest", 1]);
  put("queues", table(null, columns, now.queues.map((row) => {
    const cells = [strings.lanes[row.lane] || row.lane, ...["queued", "sending", "parked", "dead"].map((name) => number.format(row[name]))];
    if (ofService()) cells.unshift(row.tenant);
    else cells.push(row["oldest-seconds"] === undefined ? undefined : strings.seconds(row["oldest-seconds"]));
    return cells;
  })));
  const own = now.queues.filter((row) => row.tenant === session.tenant);
  $("dead-count").textContent = canDo("manage")
    ? strings.deadCount(number.format(own.reduce((all, row) => all + row.dead, 0))) : strings.needs("manage");
}

// Upper bound of so large a share.
function bound(one, share) {
  let count = 0;
  for (const bucket of one.buckets) {
    count += bucket.count;
    if (count >= share * one.count) return strings.milliseconds(bucket.microseconds);
  }
  return strings.longer;
}

function drawLatency() {
  put("latency", ...Object.entries(strings.latencyNames).flatMap(([name, title]) => {
    const one = now.latency[name];
    if (!one.count) return [element("h3", title), text(strings.noLatency)];
    const words = strings.latencyOf(title, number.format(one.count), bound(one, 0.5), bound(one, 0.99));
    const groups = one.buckets.map((bucket) => ({ name: strings.milliseconds(bucket.microseconds), values: [bucket.count] }));
    const rest = one.count - one.buckets.reduce((all, bucket) => all + bucket.count, 0);
    groups.push({ name: strings.longer, values: [rest] });
    return [element("h3", title), bars(groups, words), text(words)];
  }));
}

function leftCell(row) {
  if (row["days-left"] === undefined) return strings.never;
  return element("span", number.format(row["days-left"]), { class: row["days-left"] < 14 ? "bad" : "" });
}

function drawCredentials() {
  const rows = now.credentials.map((row) => [row.topic, strings.kinds[row.kind] || row.kind,
    row["key-id"] || row.environment, leftCell(row),
    element("span", row.suspended ? strings.suspended(row.suspended) : strings.working, { class: row.suspended ? "bad" : "" })]);
  rows.push([strings.none, strings.kinds.server, strings.none, leftCell(now["server-certificate"]), ""]);
  for (const key of now.keys) rows.push([key.tenant, strings.kinds.api, key.name, leftCell(key), key.scopes.join(", ")]);
  put("credentials", table(null, [["topic"], ["kind"], ["name"], ["left", 1], ["state"]], rows));
}

function drawWebhooks() {
  if (!now.webhooks.length) return put("webhooks", text(strings.noWebhook));
  put("webhooks", table(null, [["tenant"], ["waiting", 1], ["dropped", 1], ["answered", 1], ["failed", 1], ["last"]],
    now.webhooks.map((row) => [row.tenant, ...["waiting", "dropped", "answered", "failed"].map((name) => number.format(row[name])),
      row["last-failed"] && strings.failure(timeOf(row["last-failed"]), row["last-failure"])])));
}

function draw() {
  drawTopics();
  drawToday();
  drawDays();
  drawQueues();
  drawLatency();
  drawCredentials();
  drawWebhooks();
  $("live").textContent = strings.live(clock.format(new Date()));
}

// Dead letters.

async function loadDead(cursor) {
  $("dead-next").hidden = true;
  if (!canDo("manage")) return put("dead");
  const answer = await call(`/v1/dead-letters?limit=${deadPage}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  put("dead", table(null, [["id"], ["device"], ["topic"], ["reason"], ["changed"], ["replay"]], answer["dead-letters"].map((one) =>
    [one.id, one.device, one.topic, [one["dead-reason"], one.status, one.reason].filter(Boolean).join(" "), timeOf(one.changed),
      one["replayed-as"] ? strings.replayed(one["replayed-as"]) : replayButton(one.id)])));
  $("dead-next").hidden = !answer.next;
  $("dead-next").onclick = () => attempt(() => loadDead(answer.next));
}

function replayButton(id) {
  const button = element("button", strings.replay, { type: "button", "aria-label": strings.replayOf(id) });
  button.addEventListener("click", () => attempt(async () => {
    button.disabled = true;
    const [result] = (await send("/v1/dead-letters/replay", "POST", { ids: [id] })).replays;
    const words = result["replayed-as"] ? strings.replayed(result["replayed-as"]) : strings.notReplayed[result.result] || result.result;
    button.replaceWith(element("span", words));
  }));
  return button;
}

// One notification, one device.

function life(one) {
  const steps = [[timeOf(one.accepted), strings.lifeSteps.accepted, one.device]];
  for (const attempt of one.attempts || []) {
    steps.push([timeOf(attempt.time), strings.lifeSteps.attempt,
      [strings.connections[attempt.connection] || attempt.connection, attempt.status, attempt.reason].filter(Boolean).join(" ")]);
  }
  if (one.receipt) steps.push([timeOf(one.receipt), strings.lifeSteps.receipt, ""]);
  if (one.due) steps.push([timeOf(one.due), strings.lifeSteps.due, one["waits-for"] ? strings.waits(one["waits-for"]) : ""]);
  steps.push([timeOf(one.changed), strings.lifeSteps.state,
    [strings.states[one.state] || one.state, one["dead-reason"], one["replayed-as"] && strings.replayed(one["replayed-as"])]
      .filter(Boolean).join(", ")]);
  steps.push([timeOf(one.deadline), strings.lifeSteps.deadline, [one.topic, one["push-type"], one.trace].filter(Boolean).join(", ")]);
  return table(strings.life(one.id), [["time"], ["step"], ["detail"]], steps);
}

async function find(kind) {
  const what = $("what").value.trim();
  put("found");
  if (!what) return put("found", text(strings.nothing, "bad"));
  if (!canDo("read")) return put("found", text(strings.needs("read"), "bad"));
  try {
    const name = encodeURIComponent(what);
    const isID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(what);
    if (kind === "device") {
      const { notifications } = await call(`/v1/devices/${name}/notifications`);
      put("found", table(what, [["id"], ["changed"], ["state"], ["reason"], ["attempts", 1]], notifications.map((one) => [one.id,
        timeOf(one.changed), strings.states[one.state] || one.state,
        [one["dead-reason"], one.status, one.reason].filter(Boolean).join(" "), one["attempt-count"]])));
    } else if (isID) put("found", life(await call(`/v1/notifications/${name.toLowerCase()}`)));
    else put("found", ...(await call(`/v1/traces/${name}`)).notifications.map(life));
  } catch (error) {
    put("found", text(error.message, "bad"));
  }
}

// Sessions and events.

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    if (session) alertUser(error.message);
  }
}

function show(isIn) {
  for (const one of document.querySelectorAll("[data-in]")) one.hidden = !isIn;
  $("bar").hidden = !isIn;
  $("sign-in").hidden = isIn;
}

function showSignIn(words = "") {
  source?.close();
  [source, session, now, days] = [null, null, null, []];
  for (const id of ["funnel", "regions", "days", "day", "day-regions", "queues", "latency", "dead", "credentials", "webhooks", "found", "topic"]) put(id);
  $("what").value = "";
  show(false);
  alertUser(words);
}

async function enter() {
  session = await call("/session");
  view = canDo("read") ? "tenant" : "service";
  put("view", ...["tenant", "service"].map((name) => element("option", strings.views[name], { value: name })));
  $("view").value = view;
  $("view-row").hidden = !(canDo("read") && canDo("metrics"));
  $("about").textContent = strings.about(session.tenant, session.key);
  alertUser("");
  show(true);
  put("found");
  listen();
  await attempt(loadDead);
}

function listen() {
  source?.close();
  source = new EventSource(`/events?of=${view}`);
  const own = source;
  let isFirst = true;
  own.addEventListener("statistics", (event) => attempt(async () => {
    const next = JSON.parse(event.data);
    const isNewDay = now && next.day !== now.day;
    now = next;
    alertUser("");
    if (isFirst || isNewDay) {
      isFirst = false;
      await loadDays();
    }
    if (own === source) draw();
  }));
  own.addEventListener("problem", (event) => alertUser(JSON.parse(event.data).detail));
  own.addEventListener("ended", () => showSignIn(strings.ended));
  own.addEventListener("stopping", () => alertUser(strings.stopping));
  own.addEventListener("error", () => {
    if (own !== source) return;
    if ($("alert").textContent !== strings.stopping) alertUser(strings.gone);
    if (own.readyState !== EventSource.CLOSED) return;
    // Refused: the session says why, or there are too many pages.
    setTimeout(() => attempt(async () => {
      if (own !== source) return;
      await call("/session");
      listen();
    }), 2000);
  });
}

async function signIn(event) {
  event.preventDefault();
  const key = $("key").value.trim();
  $("key").value = "";
  try {
    await send("/session", "POST", { key });
    await enter();
  } catch (error) {
    alertUser(error.status === 401 ? strings.wrongKey : error.message);
  }
}

async function start() {
  labels(strings);
  $("sign-in-form").addEventListener("submit", signIn);
  $("sign-out").addEventListener("click", async () => {
    await fetch("/session", { method: "DELETE" }).catch(() => {});
    showSignIn(strings.signedOut);
  });
  $("topic").addEventListener("change", () => {
    drawToday();
    drawDays();
    attempt(chooseDay);
  });
  $("day").addEventListener("change", () => attempt(chooseDay));
  $("view").addEventListener("change", () => {
    view = $("view").value;
    put("day-regions");
    $("day").value = "";
    listen();
  });
  $("dead-refresh").addEventListener("click", () => attempt(() => loadDead()));
  $("find-form").addEventListener("submit", (event) => {
    event.preventDefault();
    find(event.submitter?.name);
  });
  document.addEventListener("visibilitychange", () => {
    if (!session) return;
    if (!document.hidden) return listen();
    source?.close();
    source = null;
    $("live").textContent = strings.paused;
  });
  try {
    await enter();
  } catch (error) {
    showSignIn(error.status === 401 ? "" : error.message);
  }
}

start();
