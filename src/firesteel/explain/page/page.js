"use strict";
// Draws the plan from the data of the page. Every text of the data becomes a text node, never markup.
const page = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const compared = page.comparison || null;

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((one) => one !== null && one !== undefined));
  return made;
}
const number = (value) => value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : 0 });
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
const time = (ms) => (ms >= 1000 ? `${number(ms / 1000)} s` : `${number(ms)} ms`);

// ---- the views: what is drawn of each statement, or of each of two plans ---------------------------------------------
const views = page.views.map((view, place) => ({ ...view, place, rows: new Map(), marks: new Map(), folded: new Set() }));
let shown = compared ? views : [views[0]];
const partners = [new Map(), new Map()];
for (const [left, right, same] of compared ? compared.pairs : []) {
  partners[0].set(left, { id: right, same });
  partners[1].set(right, { id: left, same });
}
const hidden = new Set(compared ? ["algebra", "ion", "substrait", "spark"] : []);
const state = { view: 0, id: null, hits: [], hit: -1 };

for (const view of views) {
  view.below = new Map();
  for (const one of view.operators) {
    one.columns = one.columns || [];
    if (one.parent === undefined) continue;
    if (!view.below.has(one.parent)) view.below.set(one.parent, []);
    view.below.get(one.parent).push(one);
  }
  const times = view.operators.map((one) => (one.measured || {}).milliseconds || 0);
  view.slowest = Math.max(...times);
  view.total = times.reduce((a, b) => a + b, 0);
  view.sizes = view.operators.map(() => 1);
  for (const one of [...view.operators].reverse()) if (one.parent !== undefined) view.sizes[one.parent] += view.sizes[one.id];
}

// ---- the tree ----------------------------------------------------------------------------------------------------------
const DEEPEST = 12; // levels that are indented

// Only branches are indented, chains are not. In a tree that is deeper than what can be indented, the largest branch
// comes last and goes on below as a chain does: a join of eighty inputs is a list of eighty inputs.
function laidOut(view, spine) {
  const places = new Map();
  const stack = [[view.operators[0], [view.operators[0]], { level: 0, below: [] }]];
  while (stack.length) {
    const [one, siblings, above] = stack.pop();
    const at = { one, siblings, level: above.level + 1, guides: above.below, below: above.below };
    const last = siblings[siblings.length - 1] === one;
    if (siblings.length > 1 && !(spine && last)) {
      at.guides = [...above.below, last ? "ell" : "tee"];
      at.below = [...above.below, last ? "gap" : "bar"];
    }
    places.set(one.id, at);
    const kids = [...(view.below.get(one.id) || [])];
    if (spine) kids.sort((a, b) => view.sizes[a.id] - view.sizes[b.id]);
    for (const kid of [...kids].reverse()) stack.push([kid, kids, at]);
  }
  return places;
}

function treeColumn(view) {
  const body = make("div", { class: "body", role: "tree", "aria-label": `Operators of ${view.title}` });
  let places = laidOut(view, false);
  if (Math.max(...[...places.values()].map((at) => at.guides.length)) > DEEPEST) places = laidOut(view, true);
  view.order = [...places.values()].map((at) => at.one);
  for (const at of places.values()) body.append(row(view, at.one, at, at.siblings));
  body.addEventListener("keydown", (event) => treeKey(view, event));
  const head = make("header", {}, make("h2", {}, compared ? `${view.place ? "B" : "A"}: ${view.title}` : "Plan"));
  if (view.engine) head.append(make("p", {}, `as it runs on ${view.engine}`));
  return make("section", { class: "column tree", "data-layer": "plan" }, head, body);
}

function row(view, one, at, siblings) {
  const kids = view.below.get(one.id) || [];
  const made = make("div", {
    class: `row ${difference(view, one)}`, role: "treeitem", tabindex: -1, id: `v${view.place}o${one.id}`,
    "aria-level": at.level, "aria-setsize": siblings.length, "aria-posinset": siblings.indexOf(one) + 1,
    "aria-selected": "false", "aria-expanded": kids.length ? "true" : null, "aria-label": spoken(view, one), title: one.text,
  });
  for (const kind of at.guides.slice(-DEEPEST)) made.append(make("span", { class: `guide ${kind}`, "aria-hidden": "true" }));
  made.append(make("span", { class: "twist", "aria-hidden": "true" }, kids.length ? "▾" : "·"));
  if (at.guides.length > DEEPEST) made.append(make("span", { class: "label" }, `⋯${at.guides.length}`));
  if (one.label) made.append(make("span", { class: "label" }, one.label));
  made.append(make("span", { class: `tag k-${one.kind}` }, one.tag.replaceAll("_", " ")));
  const text = one.same_as === undefined ? one.text.slice(one.text.startsWith(one.tag) ? one.tag.length : 0).trim() : "as above";
  made.append(make("span", { class: "text" }, text));
  for (const [kind, words, hint] of badges(one)) made.append(make("span", { class: `badge ${kind}`, title: hint }, words));
  heat(view, one, made);
  made.addEventListener("click", (event) => {
    if (event.target.classList.contains("twist") && kids.length) fold(view, one.id);
    select(view, one.id);
    made.focus({ preventScroll: true });
  });
  made.addEventListener("mouseenter", () => over(view, one.id, true));
  made.addEventListener("mouseleave", () => over(view, one.id, false));
  view.rows.set(one.id, made);
  return made;
}

function badges(one) {
  const found = [];
  if (one.in_python) found.push(["python", "Python", one.in_python.join("\n")]);
  if (one.repairs) found.push(["repair", "repaired", one.repairs.join("\n")]);
  const measured = one.measured || {};
  if (measured.rows !== undefined) found.push(["rows", plural(measured.rows, "row"), "rows of the run"]);
  else if (one.estimated_rows !== undefined) found.push(["rows", `≈ ${plural(one.estimated_rows, "row")}`, "estimated"]);
  if (measured.milliseconds !== undefined) found.push(["time", time(measured.milliseconds), "time of the run"]);
  return found;
}

function heat(view, one, made) {
  const taken = (one.measured || {}).milliseconds || 0;
  if (!view.slowest || !taken) return;
  const bar = make("span", { class: "heat", "aria-hidden": "true" });
  bar.style.width = `${(100 * taken) / view.slowest}%`;
  made.append(bar);
  const share = taken / view.total;
  if (share >= 0.05) made.classList.add(share >= 0.25 ? "hot" : "warm");
}

function spoken(view, one) {
  const words = [one.label, one.text, ...badges(one).map(([, said]) => said)];
  if (one.same_as !== undefined) words.push(`the same as ${view.operators[one.same_as].text}`);
  const status = { gone: "only in A", new: "only in B", changed: "differs" }[difference(view, one)];
  return [...words, status].filter(Boolean).join(", ");
}

function difference(view, one) {
  if (!compared) return "";
  const partner = partners[view.place].get(one.id);
  if (partner === undefined) return view.place ? "new" : "gone";
  return partner.same ? "" : "changed";
}

function visible(view) {
  const away = new Set();
  return view.order.filter((one) => {
    if (away.has(one.parent) || view.folded.has(one.parent)) away.add(one.id);
    return !away.has(one.id);
  });
}

function fold(view, id, close = !view.folded.has(id)) {
  if (close) view.folded.add(id);
  else view.folded.delete(id);
  refold(view);
}

function refold(view) {
  const seen = new Set(visible(view).map((one) => one.id));
  for (const one of view.operators) {
    const made = view.rows.get(one.id);
    made.hidden = !seen.has(one.id);
    if (view.below.has(one.id)) {
      const open = !view.folded.has(one.id);
      made.setAttribute("aria-expanded", String(open));
      made.querySelector(".twist").textContent = open ? "▾" : "▸";
    }
  }
}

function unfoldTo(view, id) {
  let parent = view.operators[id].parent;
  while (parent !== undefined) {
    view.folded.delete(parent);
    parent = view.operators[parent].parent;
  }
  refold(view);
}

function treeKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const listed = visible(view);
  const place = listed.findIndex((one) => one.id === state.id);
  const one = listed[place];
  if (one === undefined) return;
  const kids = view.below.get(one.id) || [];
  const open = kids.length && !view.folded.has(one.id);
  const go = {
    ArrowDown: () => listed[place + 1],
    ArrowUp: () => listed[place - 1],
    Home: () => listed[0],
    End: () => listed[listed.length - 1],
    PageDown: () => listed[Math.min(place + 15, listed.length - 1)],
    PageUp: () => listed[Math.max(place - 15, 0)],
    ArrowRight: () => (kids.length && !open ? (fold(view, one.id, false), one) : kids[0]),
    ArrowLeft: () => (open ? (fold(view, one.id, true), one) : view.operators[one.parent]),
    " ": () => (kids.length ? (fold(view, one.id), one) : one),
    "*": () => (view.folded.clear(), refold(view), one),
    Enter: () => ($("details").focus(), null),
  }[event.key];
  if (go === undefined) return;
  event.preventDefault();
  const next = go();
  if (next) {
    select(view, next.id);
    view.rows.get(next.id).focus();
  }
}

// ---- the texts ---------------------------------------------------------------------------------------------------------
function textColumn(view, layer) {
  const pre = make("pre", { class: layer.name === "partiql" ? "wrap" : "" });
  for (const segment of layer.segments) {
    if (!segment.operators) {
      pre.append(segment.text);
      continue;
    }
    const ids = segment.operators;
    const kind = view.operators[ids[ids.length - 1]].kind;
    for (const piece of segment.text.split(/(^\s+|\s*\n\s*|\s+$)/)) { // white space between lines is not marked
      if (piece.trim() === "") {
        pre.append(piece);
        continue;
      }
      const mark = make("span", { class: `k-${kind}`, "data-o": ids.join(" ") }, piece);
      for (const id of ids) {
        if (!view.marks.has(id)) view.marks.set(id, []);
        view.marks.get(id).push(mark);
      }
      pre.append(mark);
    }
  }
  const id = (event) => {
    const mark = event.target.closest("[data-o]");
    if (!mark) return null;
    const ids = mark.dataset.o.split(" ");
    return Number(ids[ids.length - 1]);
  };
  pre.addEventListener("click", (event) => id(event) !== null && !String(getSelection()) && select(view, id(event)));
  pre.addEventListener("mouseover", (event) => id(event) !== null && over(view, id(event), true));
  pre.addEventListener("mouseout", (event) => id(event) !== null && over(view, id(event), false));
  const head = make("header", {}, make("h2", {}, compared ? `${view.place ? "B" : "A"}: ${layer.title}` : layer.title));
  if (layer.note) head.append(make("p", {}, layer.note));
  const body = make("div", { class: "body", role: "region", tabindex: 0, "aria-label": layer.title }, pre);
  return make("section", { class: "column", "data-layer": layer.name }, head, body);
}

// ---- the selected operator ---------------------------------------------------------------------------------------------
function pairsOf(view, id) {
  const partner = compared ? partners[view.place].get(id) : undefined;
  return partner === undefined ? [[view, id]] : [[view, id], [views[1 - view.place], partner.id]];
}

function over(view, id, on) {
  for (const [each, one] of pairsOf(view, id)) {
    each.rows.get(one).classList.toggle("over", on);
    for (const mark of each.marks.get(one) || []) mark.classList.toggle("over", on);
  }
}

function select(view, id) {
  if (state.id !== null) choose(views[state.view], state.id, false);
  Object.assign(state, { view: view.place, id });
  unfoldTo(view, id);
  choose(view, id, true);
  drawDetails(view, view.operators[id]);
  const layers = new Set((view.marks.get(id) || []).map((mark) => mark.closest(".column").dataset.layer));
  $("status").textContent = `${view.operators[id].text}, marked in ${plural(layers.size, "text")}`;
}

function choose(view, id, on) {
  for (const [each, one] of pairsOf(view, id)) {
    const made = each.rows.get(one);
    made.setAttribute("aria-selected", String(on));
    made.tabIndex = on && each === view ? 0 : -1;
    const marks = each.marks.get(one) || [];
    for (const mark of marks) mark.classList.toggle("chosen", on);
    if (!on) continue;
    scrollTo(made);
    const first = new Map();
    for (const mark of marks) first.set(mark.closest(".body"), first.get(mark.closest(".body")) || mark);
    for (const mark of first.values()) scrollTo(mark);
  }
}

function scrollTo(element) {
  const body = element.closest(".body");
  const [a, b] = [element.getBoundingClientRect(), body.getBoundingClientRect()];
  if (!b.height) return;
  if (a.top < b.top || a.top > b.bottom - 30) body.scrollTop += a.top - b.top - b.height / 3;
  if (element.tagName === "SPAN" && (a.left < b.left || a.left > b.right - 40)) body.scrollLeft += a.left - b.left - 30;
}

function drawDetails(view, one) {
  lineage(null);
  const facts = make("dl");
  const fact = (name, ...said) => facts.append(make("dt", {}, name), make("dd", {}, ...said));
  const measured = one.measured || {};
  if (measured.rows !== undefined) fact("rows", number(measured.rows));
  if (measured.milliseconds !== undefined) fact("time", `${time(measured.milliseconds)} (${Math.round((100 * measured.milliseconds) / (view.total || 1))} %)`);
  if (one.estimated_rows !== undefined) fact("estimated", plural(one.estimated_rows, "row"));
  if (view.engine) fact("runs", one.in_python ? "partly in Python" : `natively on ${view.engine}`);
  if (one.properties) fact("rows are", one.properties);
  if (one.same_as !== undefined) fact("is", `the same as ${view.operators[one.same_as].text}`);
  if (one.place) fact("read from", one.place);
  fact("path", make("code", {}, one.path.length > 80 ? `${one.path.slice(0, 30)} … ${one.path.slice(-30)}` : one.path));
  const partner = compared ? partners[view.place].get(one.id) : undefined;
  if (compared) fact(view.place ? "in A" : "in B", partner === undefined ? "nothing" : views[1 - view.place].operators[partner.id].text);
  const parts = [make("span", { class: `tag k-${one.kind}` }, one.tag.replaceAll("_", " ")), make("p", { class: "what" }, one.text), facts];
  for (const [title, said] of [["In Python", one.in_python], ["Repairs", one.repairs], ["Notes", one.notes]]) {
    if (said) parts.push(make("h3", {}, title), make("ul", {}, ...said.map((text) => make("li", {}, text))));
  }
  if (one.columns.length) parts.push(make("h3", {}, "Columns"), columnTable(view, one), make("div", { id: "origins" }));
  $("details").replaceChildren(...parts);
}

function columnTable(view, one) {
  const rows = one.columns.map((column) => {
    const button = make("button", { type: "button", "aria-pressed": "false" }, column.name);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      for (const other of $("details").querySelectorAll("button[aria-pressed]")) other.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", String(on));
      lineage(on ? view : null, column);
    });
    return make("tr", {}, make("td", {}, button), make("td", {}, column.type));
  });
  if (one.more_columns) rows.push(make("tr", {}, make("td", { colspan: 2 }, `and ${plural(one.more_columns, "column")} more`)));
  const head = make("tr", {}, make("th", { scope: "col" }, "name: shows its lineage"), make("th", { scope: "col" }, "type"));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
}

function lineage(view, column) {
  for (const made of document.querySelectorAll(".row.lineage")) made.classList.remove("lineage");
  const place = $("origins");
  if (!place) return;
  const origins = (view && column.origins) || [];
  if (!view) {
    place.replaceChildren();
    return;
  }
  const said = (one) => make("div", {}, make("b", {}, one.source), ` ${one.uses.join(", ")}`);
  const direct = origins.filter((one) => one.is_direct);
  const others = origins.filter((one) => !one.is_direct);
  const parts = direct.length ? direct.map(said) : [make("div", {}, "made of constants, or of what is not known")];
  place.replaceChildren(make("h3", {}, `${column.name} is made of`), make("div", { class: "origin" }, ...parts));
  if (others.length) place.append(make("h3", {}, "and decided by"), make("div", { class: "origin" }, ...others.map(said)));
  const wanted = direct.map((one) => one.source);
  for (const one of view.operators) {
    const sources = one.columns.flatMap((each) => (each.origins || []).filter((origin) => origin.is_direct).map((origin) => origin.source));
    if (sources.some((source) => wanted.some((other) => within(source, other) || within(other, source)))) view.rows.get(one.id).classList.add("lineage");
  }
  $("status").textContent = `${column.name} comes from ${wanted.join(", ") || "no table"}`;
}

// `t.a.b` is within `t.a`, and all of t's are within `t.*`.
function within(inner, outer) {
  if (inner === outer) return true;
  const stem = outer.endsWith(".*") ? outer.slice(0, -2) : outer;
  return inner.startsWith(stem) && ".[".includes(inner[stem.length]);
}

// ---- search ------------------------------------------------------------------------------------------------------------
function search(text) {
  const wanted = text.trim().toLowerCase();
  document.body.classList.toggle("searching", wanted !== "");
  Object.assign(state, { hits: [], hit: -1 });
  for (const view of shown) {
    for (const one of view.order) {
      const parts = [one.text, one.tag, ...one.columns.map((column) => column.name), ...(one.in_python || []), ...(one.notes || []), ...(one.repairs || [])];
      const found = wanted !== "" && parts.some((part) => part.toLowerCase().includes(wanted));
      view.rows.get(one.id).classList.toggle("found", found);
      if (found) state.hits.push([view, one.id]);
    }
  }
  $("hits").textContent = wanted ? (state.hits.length ? `${state.hits.length} found` : "none") : "";
}

function nextHit(by) {
  if (!state.hits.length) return;
  state.hit = (state.hit + by + state.hits.length) % state.hits.length;
  const [view, id] = state.hits[state.hit];
  select(view, id);
  $("hits").textContent = `${state.hit + 1} of ${state.hits.length}`;
}

// ---- the page ----------------------------------------------------------------------------------------------------------
function summary(view) {
  const rows = view.operators.filter((one) => one.in_python).length;
  const repaired = view.operators.filter((one) => one.repairs).length;
  const parts = [plural(view.operators.length, "operator")];
  if (view.engine) parts.push(rows ? `${rows} partly in Python` : "all native");
  if (repaired) parts.push(`${repaired} repaired`);
  if (view.total) parts.push(`${time(view.total)} measured`);
  return parts.join(" · ");
}

function draw() {
  for (const view of shown) Object.assign(view, { rows: new Map(), marks: new Map() });
  const columns = shown.map(treeColumn);
  const layers = shown.flatMap((view) => (view.layers || []).map((layer) => [view, layer]));
  const order = [...new Set(layers.map(([, layer]) => layer.name))];
  for (const name of order) {
    for (const [view, layer] of layers) if (layer.name === name && layer.segments) columns.push(textColumn(view, layer));
  }
  $("columns").replaceChildren(...columns);
  const said = new Map(shown.flatMap((view) => (view.notes || []).map((note) => [note, make("p", {}, note)])));
  for (const [, layer] of layers) {
    if (!layer.segments) said.set(`${layer.title}: ${layer.note}`, make("p", {}, make("b", {}, layer.title), `: ${layer.note}`));
  }
  $("notes").replaceChildren(...said.values());
  const differ = compared ? `${plural(compared.differences ? compared.differences.length : 0, "difference")} · ` : "";
  $("summary").textContent = differ + shown.map(summary).join(" | ");
  $("layers").replaceChildren(...order.map((name) => layerButton(name, layers.filter(([, layer]) => layer.name === name))));
  for (const view of shown) refold(view);
  hideLayers();
  for (const mark of document.querySelectorAll("pre > span:first-of-type")) scrollTo(mark);
  state.id = null;
  $("details").replaceChildren(...help());
  shown[0].rows.get(0).tabIndex = 0;
  shown[0].rows.get(0).addEventListener("focus", () => state.id === null && select(shown[0], 0));
}

function layerButton(name, layers) {
  const here = layers.some(([, layer]) => layer.segments);
  const made = make("button", { type: "button", "aria-pressed": String(here && !hidden.has(name)), "aria-disabled": here ? null : "true" }, layers[0][1].title);
  made.addEventListener("click", () => {
    if (!here) return;
    if (!hidden.delete(name)) hidden.add(name);
    made.setAttribute("aria-pressed", String(!hidden.has(name)));
    hideLayers();
  });
  return made;
}

function hideLayers() {
  for (const column of $("columns").children) column.hidden = hidden.has(column.dataset.layer);
}

function help() {
  const keys = [["↑ ↓", "the operator before or after"], ["← →", "fold, unfold; up, down"], ["Enter", "to this panel, Esc goes back"], ["/", "search, Enter is the next"], ["*", "unfold all"]];
  const parts = [make("h2", {}, "No operator is selected"), make("p", { class: "hint" }, "Select one in the plan or in a text: it is marked in all of them, and this panel says what is known of it.")];
  const listed = make("dl");
  for (const [key, said] of keys) listed.append(make("dt", {}, make("kbd", {}, key)), make("dd", {}, said));
  parts.push(listed);
  if (compared) {
    const found = compared.differences || [];
    parts.push(make("h3", {}, found.length ? "Where the plans differ" : "The plans are the same"));
    for (const [path, left, right] of found) {
      parts.push(make("div", { class: "difference" }, make("small", {}, path || "the plan"),
        left === null ? null : make("div", { class: "minus" }, `− ${left}`), right === null ? null : make("div", { class: "plus" }, `+ ${right}`)));
    }
  }
  return parts;
}

function backToTree() {
  const view = views[state.view];
  lineage(null);
  if (state.id !== null && shown.includes(view)) view.rows.get(state.id).focus();
}

$("search").addEventListener("input", (event) => search(event.target.value));
$("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") {
    event.target.value = "";
    search("");
    backToTree();
  }
  event.stopPropagation();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.target.matches("input, select")) {
    event.preventDefault();
    $("search").focus();
    $("search").select();
  }
  if (event.key === "Escape" && $("details").contains(document.activeElement)) backToTree();
});
$("fold").addEventListener("click", () => {
  for (const view of shown) {
    for (const id of view.below.keys()) if (view.operators[id].parent !== undefined) view.folded.add(id);
    refold(view);
  }
});
$("unfold").addEventListener("click", () => {
  for (const view of shown) {
    view.folded.clear();
    refold(view);
  }
});
if (!compared && views.length > 1) {
  $("statement-tool").hidden = false;
  $("statement").append(...views.map((view, place) => make("option", { value: place }, `${place + 1}: ${view.title}`)));
  $("statement").addEventListener("change", (event) => {
    shown = [views[Number(event.target.value)]];
    draw();
  });
}
draw();
