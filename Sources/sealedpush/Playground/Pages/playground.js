import { $, alertUser, element, labels } from "./page.js";
import { strings } from "./strings.js";

const pushCountMax = 200;
const sampleActivity = {
  aps: { timestamp: 0, event: "update", "content-state": { score: "2:1" }, alert: { title: "Goal", body: "2:1" } },
};
const templates = {
  alert: ["alert", { aps: { alert: { title: "Hello", body: "From the playground" } } }],
  mutable: ["alert", { aps: { alert: { title: "Hello", body: "The extension may change this" }, "mutable-content": 1 } }],
  sensitive: ["alert", { aps: { alert: { title: "Door", body: "The bell rings" }, sound: "default", badge: 3,
    "interruption-level": "time-sensitive", "mutable-content": 1 } }],
  background: ["background", { aps: { "content-available": 1 } }, "5"],
  liveactivity: ["liveactivity", sampleActivity],
  voip: ["voip", { caller: "Ada" }],
  dubious: ["alert", { aps: { "mutable-content": 1 } }],
};

// The secret is in the fragment, which no request carries; the address bar and history lose it at once.
const given = /^#([\w-]{43})$/.exec(location.hash)?.[1];
const secret = given || sessionStorage.getItem("secret") || "";
if (given) {
  sessionStorage.setItem("secret", secret);
  history.replaceState(null, "", location.pathname);
}

let state = { "push-types": [], conditions: [], topic: "" };
const pushes = new Map();
let selected = "";
let isFollowing = true;

async function call(path, body, raw) {
  let response;
  try {
    response = await fetch(`/v1/playground${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { Authorization: `Bearer ${secret}` },
      body: raw ? body : body && JSON.stringify(body),
    });
  } catch {
    throw new Error(strings.gone);
  }
  if (response.status === 401) throw new Error(strings.noSecret);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail || `${response.status}`);
  return answer;
}

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    alertUser(error.message);
  }
}

// Composer.

function draft() {
  return {
    payload: $("payload").value, "apns-push-type": $("push-type").value, "apns-topic": $("topic").value.trim(),
    "apns-priority": $("priority").value, "apns-expiration": $("expiration").value.trim(),
    "apns-collapse-id": $("collapse-id").value.trim(), token: $("token").value.trim(),
  };
}

function choose(name) {
  const [type, payload, priority] = templates[name];
  if (type === "liveactivity") payload.aps.timestamp = Math.floor(Date.now() / 1000);
  $("payload").value = JSON.stringify(payload, null, 2);
  setType(type);
  $("priority").value = priority || "";
  check();
}

function setType(type) {
  $("push-type").value = type;
  $("topic").value = state.topic + (state["push-types"].find((one) => one.name === type)?.suffix || "");
}

let checkNumber = 0;
let checkTimer = 0;
function checkSoon() {
  clearTimeout(checkTimer);
  checkTimer = setTimeout(check, 120);
}

async function check() {
  const number = ++checkNumber;
  const asked = draft();
  const max = state["push-types"].find((one) => one.name === asked["apns-push-type"])?.["bytes-max"] || 4096;
  $("size").textContent = strings.size(new TextEncoder().encode(asked.payload).length, max);
  let remarks;
  try {
    const answer = await call("/checks", asked);
    remarks = answer.remarks;
    if (answer.reason) remarks.unshift(strings.wouldBe(answer.status, answer.reason, answer.advice));
    if (!remarks.length) remarks.push(strings.fine);
  } catch (error) {
    remarks = [error.message];
  }
  if (number !== checkNumber) return;
  const isFine = remarks[0] === strings.fine;
  $("remarks").replaceChildren(...remarks.map((text) => element("li", text, { class: isFine ? "good" : "bad" })));
}

function fire() {
  isFollowing = true;
  alertUser("");
  return attempt(() => call("/pushes", draft()));
}

function showConditions(conditions) {
  $("conditions").replaceChildren(...conditions.map((condition) => {
    const row = element("p");
    const select = element("select", undefined, { id: `condition-${condition.name}` });
    for (const value of condition.values) {
      select.append(element("option", strings.value[value] || value, { value }));
    }
    select.value = condition.value;
    select.addEventListener("change", () => attempt(() => call("/conditions", { [condition.name]: select.value })));
    const label = strings.condition[condition.name] || condition.name;
    row.append(element("label", label, { for: select.id }), select);
    return row;
  }));
}

// Events.

function pushOf(event) {
  const id = event["apns-id"];
  if (!id) return pushes.get([...pushes.keys()].pop());
  let push = pushes.get(id);
  if (!push) {
    push = { id, steps: [], remarks: [], start: event.at };
    pushes.set(id, push);
    if (pushes.size > pushCountMax) pushes.delete(pushes.keys().next().value);
    if (isFollowing) selected = id;
  }
  return push;
}

function take(name, event) {
  if (name === "replayed") return showReplayed(event);
  if (name === "replay-ended") return void ($("replay-note").textContent = event.detail);
  if (name === "phone" && event.event === "away") return alertUser(strings.noPhone);
  const push = pushOf(event);
  if (!push) return;
  const step = { at: event.at, name: event.event || name, detail: event.detail || "" };
  if (name === "fired") push.start = event.at;
  if (name === "apple") push.apple = event;
  if (name === "remark") return void push.remarks.push(event.detail);
  if (name === "shown") push.shown = event;
  if (name === "phone") push.phone = event;
  if (name === "not-answered") push.problem = step.detail = event.problem;
  push.steps.push(step);
}

let isDrawing = false;
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  queueMicrotask(() => {
    isDrawing = false;
    draw();
  });
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

function nameOf(push) {
  const header = push.apple?.headers.find(([name]) => name === "apns-push-type");
  return strings.pushName(clock.format(push.start), `${header ? header[1] : ""} ${push.id.slice(0, 8)}`);
}

function draw() {
  const options = [...pushes.values()].reverse().map((push) => element("option", nameOf(push), { value: push.id }));
  $("push").replaceChildren(...options);
  $("push").value = selected;
  const push = pushes.get(selected);
  drawApple(push);
  drawPhone(push);
  drawTimeline(push);
}

function drawApple(push) {
  if (!push) return $("apple").replaceChildren(element("p", strings.noPush, { class: "hint" }));
  const apple = push.apple;
  const parts = [];
  if (push.problem) parts.push(element("p", strings.notAnswered(push.problem), { class: "bad" }));
  if (!apple) {
    if (!push.problem) parts.push(element("p", strings.waiting, { class: "hint" }));
    return $("apple").replaceChildren(...parts);
  }
  if (apple.event === "injected") parts.push(element("p", strings.injected(apple.detail), { class: "bad" }));
  else {
    const isGood = apple.event === "accepted";
    const text = strings.answer(isGood ? 200 : apple.status, apple.reason);
    parts.push(element("p", text, { id: "answer", class: isGood ? "good" : "bad" }));
  }
  if (apple.advice) parts.push(element("p", apple.advice));
  for (const remark of push.remarks) parts.push(element("p", remark, { class: "bad" }));
  const list = element("dl");
  for (const [name, value] of apple.headers) list.append(element("dt", name), element("dd", value));
  parts.push(element("h3", strings.headers), list, element("h3", strings.body(apple.bytes)));
  parts.push(element("pre", pretty(apple.payload), { id: "body" }));
  $("apple").replaceChildren(...parts);
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function drawPhone(push) {
  const shown = push?.shown;
  if (shown) {
    const bytes = new TextEncoder().encode(shown.svg);
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    const source = `data:image/svg+xml;base64,${btoa(binary)}`;
    const image = $("phone").querySelector("img");
    if (image?.src === source) return;
    const memory = shown["memory-peak"];
    const note = memory ? ` (${strings.memory((memory / 1048576).toFixed(1))})` : "";
    const alt = strings.pictureOf(shown.title, shown.subtitle, shown.body, shown.explanation);
    return $("phone").replaceChildren(
      element("img", undefined, { src: source, alt, width: 858, height: 500 }),
      element("p", shown.explanation + note, { id: "explanation" }),
    );
  }
  const text = push?.phone?.detail || strings.nothingShown;
  $("phone").replaceChildren(element("p", text, { class: push?.phone ? "" : "hint" }));
}

function drawTimeline(push) {
  if (!push) return $("timeline").replaceChildren();
  const last = Math.max(1, ...push.steps.map((step) => step.at - push.start));
  const table = element("table");
  const head = element("tr");
  for (const text of [strings.timeColumn, strings.stepColumn, strings.barColumn]) {
    head.append(element("th", text, { scope: "col" }));
  }
  const body = element("tbody");
  for (const step of [...push.steps].sort((one, other) => one.at - other.at)) {
    const row = element("tr");
    const offset = Math.max(0, step.at - push.start);
    const cell = element("td");
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    bar.setAttribute("class", "bar");
    bar.setAttribute("viewBox", "0 0 100 10");
    bar.setAttribute("preserveAspectRatio", "none");
    bar.setAttribute("aria-hidden", "true");
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("width", Math.max(1, (100 * offset) / last));
    rect.setAttribute("height", 10);
    bar.append(rect);
    cell.append(bar);
    const text = strings.steps[step.name] || step.detail || step.name;
    row.append(element("td", strings.milliseconds(offset)), element("td", text), cell);
    body.append(row);
  }
  const tableHead = element("thead");
  tableHead.append(head);
  table.append(tableHead, body);
  $("timeline").replaceChildren(table);
}

// Copies and replays.

async function copy(kind) {
  $("copy-note").textContent = "";
  const answer = await call("/copies", draft());
  $("copied").textContent = answer[kind] || "";
  if (!answer[kind]) return void ($("copy-note").textContent = strings.noCommand);
  try {
    await navigator.clipboard.writeText(answer[kind]);
    $("copy-note").textContent = strings.copiedNote;
  } catch {
    $("copy-note").textContent = strings.copyByHand;
  }
}

async function replay() {
  const file = $("recording").files[0];
  if (!file) return void ($("replay-note").textContent = strings.replayMissing);
  $("replayed").tBodies[0].replaceChildren();
  try {
    const answer = await call("/recordings", await file.text(), true);
    if (!$("replay-note").textContent) $("replay-note").textContent = strings.replayUnderWay(answer.requests);
  } catch (error) {
    $("replay-note").textContent = error.message;
  }
}

function showReplayed(event) {
  $("replayed").hidden = false;
  const row = element("tr");
  const isSame = event.recorded === event.answered;
  row.append(
    element("td", `${event.line}`), element("td", event.recorded),
    element("td", `${event.answered}${isSame ? "" : " ≠"}`, { class: isSame ? "" : "bad" }),
  );
  $("replayed").tBodies[0].append(row);
}

// Server-sent events, read by fetch: EventSource sends no secret.

let lastID = "0";
async function listen() {
  for (;;) {
    try {
      const headers = { Authorization: `Bearer ${secret}`, "Last-Event-ID": lastID };
      const response = await fetch("/v1/playground/events", { headers });
      if (response.status === 401) return alertUser(strings.noSecret);
      if (response.status === 503) throw new Error(strings.full);
      alertUser(state.phone === false ? strings.noPhone : "");
      let rest = "";
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        rest += value;
        const parts = rest.split("\n\n");
        rest = parts.pop();
        parts.forEach(read);
        drawSoon();
      }
      throw new Error(strings.gone);
    } catch (error) {
      alertUser(error.message === strings.full ? strings.full : strings.gone);
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function read(part) {
  const fields = Object.fromEntries(part.split("\n").map((line) => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), line.slice(colon + 2)];
  }));
  if (fields.id) lastID = fields.id;
  if (fields.data) take(fields.event, JSON.parse(fields.data));
}

function label() {
  labels(strings);
  for (const name of Object.keys(templates)) {
    $("template").append(element("option", strings.templates[name], { value: name }));
  }
  for (const value of ["", "10", "5", "1"]) $("priority").append(element("option", value || strings.none, { value }));
}

async function start() {
  label();
  draw();
  $("template").addEventListener("change", () => choose($("template").value));
  $("push-type").addEventListener("change", () => {
    setType($("push-type").value);
    check();
  });
  $("form").addEventListener("input", checkSoon);
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    fire();
  });
  $("payload").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) fire();
  });
  $("seal").addEventListener("click", () => attempt(async () => {
    const answer = await call("/messages", { title: $("message-title").value, body: $("message-body").value });
    $("payload").value = answer.payload;
    setType("alert");
    $("seal-note").textContent = answer.truncated ? strings.sealedShort : strings.sealed;
    check();
  }));
  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", () => attempt(() => copy(button.dataset.copy)));
  }
  $("replay").addEventListener("click", replay);
  $("push").addEventListener("change", () => {
    selected = $("push").value;
    isFollowing = selected === [...pushes.keys()].pop();
    draw();
  });
  if (!secret) return alertUser(strings.noSecret);
  await attempt(async () => {
    state = await call("");
    $("about").textContent = strings.about(state.topic, state["push-port"], state.extension);
    $("push-type").append(element("option", strings.none, { value: "" }));
    for (const type of state["push-types"]) $("push-type").append(element("option", type.name, { value: type.name }));
    showConditions(state.conditions);
    choose("mutable");
    $("template").value = "mutable";
  });
  listen();
}

start();
