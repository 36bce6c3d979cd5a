"use strict";
// Everything that is shown stands in the page; this only marks, finds and scrolls. Text is never read as HTML.
const nodes = [...document.querySelectorAll(".node")];
const paths = [...document.querySelectorAll("#canvas path[data-to]")];
const rows = [...document.querySelectorAll("tbody tr")];
const view = document.getElementById("view");
const canvas = document.getElementById("canvas");
const search = document.getElementById("search");
const found = document.getElementById("found");
const details = document.getElementById("details");
const hint = [...details.childNodes];
const size = { width: parseFloat(canvas.style.width), height: parseFloat(canvas.style.height) };
const inputs = nodes.map(() => []);
const readers = nodes.map(() => []);
for (const path of paths) {
  inputs[path.dataset.to].push(Number(path.dataset.from));
  readers[path.dataset.from].push(Number(path.dataset.to));
}
let selected = -1;
let scale = 1;

function closure(start, edges) {
  const seen = new Set([start]);
  const left = [start];
  while (left.length) for (const next of edges[left.pop()]) if (!seen.has(next)) { seen.add(next); left.push(next); }
  return seen;
}

function matches() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const hits = rows.map((row) => { const text = row.textContent.toLowerCase(); return words.every((word) => text.includes(word)); });
  return new Set([...nodes.keys()].filter((index) => hits[index]));
}

function paint() {
  const hits = matches();
  const above = selected < 0 ? null : closure(selected, inputs);
  const below = selected < 0 ? null : closure(selected, readers);
  const related = (index) => selected < 0 || above.has(index) || below.has(index);
  nodes.forEach((node, index) => {
    node.classList.toggle("dim", hits ? !hits.has(index) : !related(index));
    node.setAttribute("aria-pressed", String(index === selected));
  });
  rows.forEach((row, index) => { row.hidden = Boolean(hits && !hits.has(index)); });
  for (const path of paths) {
    const ends = [Number(path.dataset.from), Number(path.dataset.to)];
    const on = selected >= 0 && (ends.every((end) => above.has(end)) || ends.every((end) => below.has(end)));
    path.classList.toggle("on", on);
    path.classList.toggle("dim", hits ? !ends.every((end) => hits.has(end)) : selected >= 0 && !on);
  }
  found.textContent = hits ? `${hits.size} of ${nodes.length} match` : "";
}

function reveal(index) {
  nodes[index].scrollIntoView({ block: "center", inline: "center" });
}

function select(index, { move = true } = {}) {
  selected = index;
  paint();
  describe();
  if (index < 0) return;
  history.replaceState(null, "", `#${encodeURIComponent(nodes[index].dataset.id)}`);
  nodes[index].focus({ preventScroll: true });
  if (move) reveal(index);
}

function describe() {
  if (selected < 0) return details.replaceChildren(...hint);
  const title = document.createElement("h2");
  title.textContent = nodes[selected].querySelector("b").textContent;
  const list = document.createElement("dl");
  const heads = [...document.querySelectorAll("thead th")].map((cell) => cell.textContent);
  [...rows[selected].cells].forEach((cell, column) => {
    if (column > 0 && column < heads.length - 1 && cell.textContent) entry(list, heads[column], [cell.textContent]);
  });
  entry(list, `Reads (${inputs[selected].length})`, inputs[selected].map(link));
  entry(list, `Read by (${readers[selected].length})`, readers[selected].map(link));
  const whole = `${closure(selected, inputs).size - 1} upstream, ${closure(selected, readers).size - 1} downstream`;
  entry(list, "In all", [whole]);
  details.replaceChildren(title, list);
}

function entry(list, head, values) {
  const term = document.createElement("dt");
  const value = document.createElement("dd");
  term.textContent = head;
  value.append(...(values.length ? values : ["nothing"]));
  list.append(term, value);
}

function link(index) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = nodes[index].querySelector("b").textContent;
  button.addEventListener("click", () => select(index));
  return button;
}

function zoom(next) {
  scale = Math.min(2, Math.max(0.1, next));
  canvas.style.transform = `scale(${scale})`;
  canvas.style.marginRight = `${24 + size.width * (scale - 1)}px`;
  canvas.style.marginBottom = `${24 + size.height * (scale - 1)}px`;
}

function fit() {
  zoom(Math.min(1, (view.clientWidth - 48) / size.width, (view.clientHeight - 48) / size.height));
}

// Up and down stay in a layer; left and right follow an edge.
function neighbour(key) {
  const here = nodes[selected].getBoundingClientRect();
  const distance = (index) => Math.abs(nodes[index].getBoundingClientRect().top - here.top);
  const near = (indexes) => indexes.reduce((best, each) => (best < 0 || distance(each) < distance(best) ? each : best), -1);
  if (key === "ArrowLeft") return near(inputs[selected]);
  if (key === "ArrowRight") return near(readers[selected]);
  const way = key === "ArrowUp" ? -1 : 1;
  return near([...nodes.keys()].filter((index) => {
    const box = nodes[index].getBoundingClientRect();
    return Math.abs(box.left - here.left) < 1 && Math.sign(Math.round(box.top - here.top)) === way;
  }));
}

nodes.forEach((node, index) => node.addEventListener("click", () => select(index, { move: false })));
search.addEventListener("input", paint);
search.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const hits = [...(matches() ?? [])];
  if (hits.length) { select(hits[0]); }
});
document.getElementById("in").addEventListener("click", () => zoom(scale * 1.25));
document.getElementById("out").addEventListener("click", () => zoom(scale / 1.25));
document.getElementById("fit").addEventListener("click", fit);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target === search;
  if (event.key === "Escape") { search.value = ""; select(-1); history.replaceState(null, "", "#"); return; }
  if (typing) return;
  if (event.key === "/") { event.preventDefault(); search.focus(); search.select(); return; }
  if (event.key === "+") return zoom(scale * 1.25);
  if (event.key === "-") return zoom(scale / 1.25);
  if (event.key === "0") return fit();
  if (!event.key.startsWith("Arrow") || selected < 0 || !nodes.includes(event.target)) return;
  event.preventDefault();
  const next = neighbour(event.key);
  if (next >= 0) select(next);
});
const wanted = decodeURIComponent(location.hash.slice(1));
const first = nodes.findIndex((node) => node.dataset.id === wanted);
if (wanted && first >= 0) select(first);
