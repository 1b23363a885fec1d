"use strict";
// Figures are filtered, and their cells opened: by a click, with arrow keys and Enter, or by an
// address such as index.html#figure?task=a&ratio=0.3. One button walks over the cells of a figure;
// what it stands on is told in the section beside it. All that is told of a figure lies in a script
// of its own, pages/FIGURE.js, which is loaded when it is first asked for.

/** An element with attributes and children; text stays text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const number = (value) => value.toLocaleString("en");
const many = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;
const address = (path) => "../" + path.split("/").map(encodeURIComponent).join("/");
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
/** The address of a figure, or of a cell of it, in this page; `pick`: pairs of names and values. */
const fragment = (figure, pick = []) => {
  const encoded = (text) => encodeURIComponent(text).replace(/%(2C|2F|3A|40)/g, decodeURIComponent);
  const pairs = pick.map((pair) => pair.map(encoded).join("="));
  return `#${encoded(figure)}${pairs.length ? "?" : ""}${pairs.join("&")}`;
};

/** Figure and pairs of an address. Commas part pairs as well, as in `heatproof trace --cell`. */
function parse(hash) {
  const plain = (text) => {
    try { return decodeURIComponent(text); } catch { return text; }
  };
  const [, figure, place] = hash.match(/^#?([^?:]*)[?:]?(.*)$/s);
  const pairs = place.split(/[&,](?=[^&,=]+=)/).filter(Boolean);
  return { figure: plain(figure), pick: pairs.map((pair) => {
    const [name, ...value] = pair.split("=");
    return [plain(name), plain(value.join("="))];
  }) };
}

/** Whether two texts are the same value: 1e-5 is 0.00001. */
const same = (a, b) => a === b || (a.trim() !== "" && b.trim() !== "" && Number(a) === Number(b));

// ------------------------------------------------------------------------------ what is loaded

const awaited = new Map(); // name of a figure → what takes its data

/** Called by pages/FIGURE.js. */
function heatproof(name, data) {
  awaited.get(name)(data);
}

function load(name) {
  return new Promise((resolve, reject) => {
    const source = `pages/${encodeURIComponent(name)}.js`;
    const script = make("script", { src: source });
    awaited.set(name, resolve);
    script.addEventListener("error", () => reject(new Error(`There is no ${source} beside this page.`)));
    document.head.append(script);
  });
}

// ------------------------------------------------------------------------------------- cells

/** The cells of a figure that are drawn, and the means beside them: what is told of each, and its
 *  box in pt. x counts from the left, y upwards; means lie beyond the last column and below row 0.
 *  A panel may be `one` cell. */
function placed(story) {
  const cells = [];
  let first = 0;
  story.boxes.forEach(([left, top, width, height], panel) => {
    const one = story.panels[panel].one;
    const [across, up] = one ? [1, 1] : [story.x.values.length, story.y.values.length];
    const inside = [];
    for (let n = 0; n < across * up; n += 1) {
      const [x, y] = [n % across, Math.floor(n / across)];
      const even = [x * width / across, (up - 1 - y) * height / up, width / across, height / up];
      const [beside, below, wide, high] = story.places ? story.places[first + n] : even;
      const box = { left: left + beside, top: top + below, wide, high };
      if (wide > 0) inside.push({ panel, x, y, ...box, ...story.cells[first + n] });
    }
    const means = (story.margins?.[panel] || []).map(({ label, groups, ...mean }) => {
      const [x0, x1, y0, y1] = mean.of;
      const [x, y] = [x0 === x1 ? x0 : across, y0 === y1 ? y0 : -1];
      const of = inside.filter((cell) => x0 <= cell.x && cell.x <= x1 && y0 <= cell.y && cell.y <= y1);
      const [wide, high] = [mean.right - mean.left, mean.foot - mean.top];
      const box = { left: left + mean.left, top: top + mean.top, wide, high };
      return { panel, x, y, groups, ...box, facts: [label || "–"], of };
    });
    cells.push(...inside, ...means);
    first += across * up;
  });
  return cells;
}

/** The nearest cell in a direction (one of dx, dy is ±1): on the same line, beyond the edge of a
 *  panel that of the next one. */
function nearest(story, cells, cell, dx, dy) {
  const middle = ({ left, top, wide, high }) => [left + wide / 2, top + high / 2];
  const [x, y] = middle(cell);
  const here = story.boxes[cell.panel];
  const beyond = (panel) => {
    const there = story.boxes[panel];
    return Math.abs(dx ? there[1] - here[1] : there[0] - here[0]) < here[dx ? 3 : 2] / 2;
  };
  const ranked = cells.filter(({ panel }) => panel === cell.panel || beyond(panel)).map((other) => {
    const [left, top] = middle(other);
    const away = (left - x) * dx - (top - y) * dy;
    const aside = Math.abs(dx ? top - y : left - x);
    const line = story.free || (dx ? other.y === cell.y : other.x === cell.x);
    const far = away + 2 * aside + (line ? 0 : 1e4) + (other.panel === cell.panel ? 0 : 1e5);
    return { other, away, far };
  });
  const ahead = ranked.filter(({ away }) => away > 0.5).sort((a, b) => a.far - b.far);
  return ahead.length ? ahead[0].other : cell;
}

function nameOf(story, { panel, x, y, of, groups = [] }) {
  const { words, x: across, y: up, one } = story.panels[panel];
  const place = [[across, story.x.words[x], groups[0]], [up, story.y.words[y], groups[1]]]
    .map(([title, word, group]) => (word === undefined ? group ?? "" : `${title} ${word}`));
  const parts = one ? [across, up] : [words, ...place];
  const name = parts.filter((part) => part.trim()).join(", ");
  return of ? `Mean of ${name || "all cells"}` : name;
}

/** Names and values that tell a cell from others; of a mean, what its cells have in common. */
function pickOf(story, { panel, x, y, groups = [] }) {
  const { pick, one } = story.panels[panel];
  const valueAt = (axis, n, group) => [axis.name, axis.values[n] ?? (group || undefined)];
  const place = [valueAt(story.x, x, groups[0]), valueAt(story.y, y, groups[1])];
  const picked = [...pick, ...(one ? [] : place)];
  return picked.filter(([name, value]) => name && value !== undefined).map((pair) => pair.map(String));
}

/** The cell that an address names, in any order; or, if only one has these values, with some left out. */
function find(story, cells, pick) {
  const fits = cells.filter((cell) => {
    const own = new Map(pickOf(story, cell));
    return pick.every(([name, value]) => own.has(name) && same(own.get(name), value));
  });
  const exact = fits.filter((cell) => pickOf(story, cell).length === pick.length);
  if (exact.length) return exact[0];
  const single = fits.filter(({ of }) => !of);
  return single.length === 1 ? single[0] : undefined;
}

/** Lines and bytes of a log; the bytes are counted as in HTTP ranges, the last one included. */
function span([first, last, start, end]) {
  const lines = first === last ? `line ${number(first)}` : `lines ${number(first)}–${number(last)}`;
  return `${lines}, bytes ${number(start)}–${number(end - 1)}`;
}

function logs(story, items) {
  return items.map(([log, ...rest]) => {
    if (log < 0) {
      const [places, rows] = rest;
      const left = `… and ${many(places, "more place")} with ${many(rows, "row")}: the command below lists all.`;
      return make("li", { class: "left" }, left);
    }
    const [path, member] = [story.logs[log]].flat();
    const link = make("a", { href: address(path) }, path);
    const lines = rest.length ? [make("br"), rest.map(span).join("; ")] : [];
    return make("li", {}, link, member ? ` ${member}` : null, ...lines);
  });
}

/** The first records behind a cell, as they stand in its logs, where the source lets them be seen. */
function quotes(story, items) {
  const { most, texts } = story.quotes ?? { most: 0, texts: {} };
  const records = [];
  for (const [log, ...stretches] of items) {
    for (const [, , start] of stretches) records.push(...(texts[`${log}:${start}`] ?? []));
  }
  if (!records.length) return [];
  const listed = records.slice(0, most).map((record) => make("li", {}, make("code", {}, record)));
  return [make("h4", {}, records.length > 1 ? "First records" : "First record"),
    make("ol", { class: "quotes" }, ...listed)];
}

/** A table whose first columns, as many as `texts`, are names. */
function table(titles, rows, texts) {
  const kind = (n) => (n < texts ? { class: "name", scope: "row" } : {});
  const cells = (row) => row.map((text, n) => make(n < texts ? "th" : "td", kind(n), text));
  const heads = titles.map((text, n) => make("th", { ...kind(n), scope: "col" }, text));
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row)))));
}

/** The number that a text of a table begins with; what has none is sorted behind. */
function leading(text) {
  const found = text.replaceAll("−", "-").replace(/[,±]/g, "").match(/^\s*[+-]?\d+\.?\d*(e[+-]?\d+)?/i);
  return found ? Number(found[0]) : Infinity;
}

/** Let a table be sorted by the columns whose heads are clicked: upwards, then downwards. */
function sortable(numbers) {
  const heads = [...numbers.tHead.rows[0].cells];
  heads.forEach((head, n) => {
    const button = make("button", { type: "button" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const [body] = numbers.tBodies;
      const rows = [...body.rows].map((row) => ({ row, text: row.cells[n].textContent }));
      const way = down ? -1 : 1;
      const byName = (a, b) => way * a.text.localeCompare(b.text, "en", { numeric: true });
      const byNumber = (a, b) => {
        const [first, second] = [leading(a.text), leading(b.text)];
        if (first === Infinity || second === Infinity) return first - second || 0;
        return way * (first - second);
      };
      rows.sort(head.classList.contains("name") ? byName : byNumber);
      body.append(...rows.map(({ row }) => row));
    });
  });
}

/** What a cell is the mean of: tasks, instances, or the cells of a row or column. */
function partsOf(story, cell) {
  const parts = cell.of ? cell.of.map((part) => [nameOf(story, part), part.facts[0] ?? "–"])
    : (cell.parts || []).map(([name, value, ...counts]) => [name, value, ...counts.map(number)]);
  if (!parts.length) return [];
  const value = cell.of ? story.facts[0] : story.part ?? story.facts[0];
  const titles = [cell.of ? "Cell" : story.parts, value, "Problems", "Graded rows"];
  return [make("h4", {}, "Mean of"),
    make("div", { class: "numbers" }, table(titles.slice(0, parts[0].length), parts, 1))];
}

/** All that is told of a cell. */
function tellCell(story, cell) {
  const facts = cell.facts.flatMap((fact, n) => fact === null ? []
    : [make("div", {}, make("dt", {}, story.facts[n]), make("dd", {}, fact))]);
  return [
    make("dl", {}, ...facts),
    ...(cell.flags || []).map((words) => make("p", { class: "flag" }, words)),
    ...(story.note ? [make("p", { class: "note" }, story.note)] : []),
    ...partsOf(story, cell),
    ...(cell.logs ? [make("h4", {}, "Logs"), make("ul", { class: "logs" }, ...logs(story, cell.logs))] : []),
  ];
}

/** The numbers behind a figure; the highest, and those that cannot be told apart from it, as the figure has them. */
function tellNumbers(name, { columns, texts, rows, key }) {
  const marked = (row) => row.cells.map((text, n) => {
    if (n !== texts) return text;
    const shown = `${text}${row.tied && !row.best ? " •" : ""}${row.incomplete ? " †" : ""}`;
    return row.best ? make("b", {}, shown) : shown;
  });
  const numbers = table(columns, rows.map(marked), texts);
  [...numbers.tBodies[0].rows].forEach((row, n) => row.classList.toggle("incomplete", rows[n].incomplete || rows[n].cells[texts] === "–"));
  sortable(numbers);
  const region = { class: "numbers", role: "region", tabindex: "0", "aria-label": `Numbers behind ${name}` };
  return [...(key.length ? [make("p", { class: "key" }, key.join(" · "))] : []), make("div", region, numbers)];
}

/** Copy the text of an element; where pages may not write to the clipboard, by selecting it. */
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
}

// ------------------------------------------------------------------------------------ figures

/** The button that walks over the cells of a figure whose data is there, and the section below. */
class Walker {
  constructor(article, story) {
    Object.assign(this, { article, story, cells: placed(story) });
    [this.sheet, this.button, this.hover, this.tip, this.section] =
      ["sheet", "walker", "hover", "tip", "cell"].map((name) => article.querySelector(`.${name}`));
    const corner = ({ x, y }) => x === 0 && y === story.y.values.length - 1;
    this.now = this.cells.find(corner) || this.cells[0];
    this.lay(this.button, this.now);
    this.sheet.addEventListener("pointermove", (event) => this.point(event));
    this.sheet.addEventListener("pointerleave", () => { this.hover.hidden = true; });
    this.button.addEventListener("keydown", (event) => this.press(event));
    article.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.section.hidden) this.leave();
    });
    this.part("close").addEventListener("click", () => this.leave());
    this.part("copy").addEventListener("click", async () => {
      this.part("copied").textContent = (await copy(this.part("command"))) ? "Copied" : "Press Ctrl+C to copy";
    });
  }

  part(name) {
    return this.section.querySelector(`.${name}`);
  }

  words(cell) {
    return `${nameOf(this.story, cell)}: ${cell.facts.find((fact) => fact !== null)}`;
  }

  /** Lay an element over a cell. */
  lay(element, { left, top, wide, high }) {
    const [width, height] = this.story.size;
    const sides = { left: left / width, top: top / height, width: wide / width, height: high / height };
    for (const [side, share] of Object.entries(sides)) element.style[side] = `${100 * share}%`;
  }

  /** The cell that the pointer is at. */
  cellAt({ clientX, clientY }) {
    const [width, height] = this.story.size;
    const area = this.sheet.getBoundingClientRect();
    const [x, y] = [(clientX - area.left) / area.width * width, (clientY - area.top) / area.height * height];
    return this.cells.findLast(({ left, top, wide, high }) =>
      left <= x && x < left + wide && top <= y && y < top + high);
  }

  point(event) {
    const cell = this.cellAt(event);
    this.hover.hidden = !cell;
    if (!cell) return;
    this.lay(this.hover, cell);
    this.tip.textContent = this.words(cell);
    this.tip.classList.toggle("above", cell.top > this.story.size[1] / 2);
    this.tip.classList.toggle("before", cell.left > this.story.size[0] / 2);
  }

  press(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const line = this.cells.filter(({ panel, y }) => panel === this.now.panel && y === this.now.y);
    const ends = { Home: line[0], End: line.at(-1) };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in ways) this.go(nearest(this.story, this.cells, this.now, ...ways[event.key]));
    else if (event.key in ends) this.go(ends[event.key]);
    else return;
    event.preventDefault();
    this.button.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!this.section.hidden) history.replaceState(history.state, "", this.part("link").href);
  }

  go(cell) {
    this.now = cell;
    this.lay(this.button, cell);
    this.button.setAttribute("aria-label", this.words(cell));
    this.article.querySelector(".said").textContent = this.words(cell);
    if (!this.section.hidden) this.open();
  }

  open() {
    const pick = pickOf(this.story, this.now);
    const cell = pick.map((pair) => pair.join("=")).join(",");
    this.part("where").textContent = nameOf(this.story, this.now);
    this.part("link").href = fragment(this.article.id, pick);
    this.part("story").replaceChildren(...tellCell(this.story, this.now));
    this.part("quoted").replaceChildren(...quotes(this.story, this.now.logs || []));
    this.part("command").textContent = `heatproof trace ${quoted(this.story.file)} --cell ${quoted(cell)}`;
    this.part("trace").hidden = Boolean(this.now.of); // a mean of cells is none itself
    this.part("copied").textContent = "";
    this.section.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
  }

  close() {
    this.section.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
  }

  show(cell) {
    this.section.hidden = false;
    this.go(cell);
    this.button.focus({ preventScroll: true });
    // Below a picture: the facts, not all of it, so that the picture stays in view.
    this.section.querySelector("dl").scrollIntoView({ block: "nearest" });
  }

  /** Open a cell that is chosen by hand: the button "back" of the browser leads back. */
  choose(cell) {
    if (!cell) return;
    const moved = this.section.hidden || cell !== this.now;
    this.show(cell);
    if (moved) visit(fragment(this.article.id, pickOf(this.story, cell)));
    opened = this.article;
  }

  leave() {
    this.close();
    this.button.focus({ preventScroll: true });
    visit(fragment(this.article.id));
  }
}

/** Make a figure answer; what is returned opens a cell of it, by its name. */
function start(article) {
  let data = null;
  let cells = null;
  const ask = () => (data ??= load(article.id).catch((problem) => {
    article.querySelector("figcaption").prepend(make("p", { class: "note", role: "alert" }, problem.message));
    throw problem;
  }));
  const ready = () => (cells ??= ask().then(({ story }) => new Walker(article, story)));
  const tell = {
    gaps: ({ table: { incomplete } }) => [make("ul", { class: "gaps" }, ...incomplete.map((gap) => make("li", {}, gap)))],
    table: ({ table: numbers }) => tellNumbers(article.id, numbers),
  };
  for (const details of article.querySelectorAll("details[class]")) {
    details.addEventListener("toggle", async () => details.append(...tell[details.className](await ask())), { once: true });
  }
  const sheet = article.querySelector(".audited");
  if (!sheet) return (pick) => { if (pick.length) warn(`${article.id} tells nothing of its cells.`); };
  const button = article.querySelector(".walker");
  button.hidden = false;
  sheet.addEventListener("pointerenter", ready, { once: true });
  button.addEventListener("focus", ready, { once: true });
  sheet.addEventListener("click", async (event) => {
    const walker = await ready();
    // Enter and Space click the button where it stands.
    walker.choose(event.detail === 0 ? walker.now : walker.cellAt(event));
  });
  return async (pick) => {
    const walker = await ready();
    if (!pick.length) return walker.close();
    const cell = find(walker.story, walker.cells, pick);
    if (cell) return walker.show(cell);
    const [like] = walker.cells;
    const example = pickOf(walker.story, like).map((pair) => pair.join("=")).join(", ");
    return warn(`${article.id} has no cell with ${pick.map((pair) => pair.join("=")).join(", ")}; one that it has: ${example}`);
  };
}

const articles = [...document.querySelectorAll("article")];
const opens = new Map(articles.map((article) => [article, start(article)]));
const widths = new ResizeObserver((entries) => entries.forEach(({ target }) =>
  target.classList.toggle("scrolls", target.scrollWidth > target.clientWidth + 1)));
document.querySelectorAll(".picture").forEach((picture) => widths.observe(picture));

// ------------------------------------------------------------------------- filter and address

const search = document.querySelector(".filter");
const texts = articles.map((article) => [...article.querySelectorAll("h2, .about, figcaption, img")]
  .map((part) => part.alt || part.textContent).concat(article.dataset.model).join(" ").toLowerCase());
const links = document.querySelectorAll("nav li");

/** Hide the figures that lack a word that is sought, or are of another source, kind or model. */
function filter() {
  const words = search.querySelector("input").value.toLowerCase().split(/\s+/);
  const chosen = [...search.querySelectorAll("select")].filter(({ value }) => value);
  const fits = (data) => ({ id, value }) => id === "of-model" ? JSON.parse(data.model).includes(value)
    : data[id.slice("of-".length)] === value;
  articles.forEach((article, n) => {
    article.hidden = !words.every((word) => texts[n].includes(word)) || !chosen.every(fits(article.dataset));
    links[n].hidden = article.hidden;
  });
  const count = articles.filter(({ hidden }) => !hidden).length;
  search.querySelector(".matches").textContent = count < articles.length
    ? `${number(count)} of ${many(articles.length, "figure")}` : "";
}

/** Say what is wrong with an address, in a line that stays in view. */
function warn(words) {
  const line = search.querySelector(".unknown");
  line.textContent = words;
  line.hidden = !words;
}

/** A new address, to which the button "back" returns. */
function visit(place) {
  if (location.hash !== place) history.pushState("chosen", "", place);
  warn("");
}

/** The fields of the filter as a query of the address. */
function remember() {
  const fields = [...search.querySelectorAll("input, select")].filter(({ value }) => value.trim());
  const query = new URLSearchParams(fields.map(({ id, value }) => [id, value]));
  const place = `${location.pathname}${fields.length ? "?" : ""}${query}${location.hash}`;
  try { history.replaceState(history.state, "", place); } catch { /* a file, in some browsers */ }
}

function recall() {
  const query = new URLSearchParams(location.search);
  search.querySelectorAll("input, select").forEach((field) => { field.value = query.get(field.id) ?? ""; });
  filter();
}

let opened = null; // the figure whose cell an address named last

/** Go to the figure, and open the cell, that the address names. */
function follow() {
  const { figure, pick } = parse(location.hash);
  const article = articles.find(({ id }) => id === figure);
  warn(article || !figure || document.getElementById(figure) ? "" : `This page has no figure ${figure}.`);
  if (opened && opened !== article) opens.get(opened)([]);
  if (!article) return;
  if (article.hidden) {
    search.querySelectorAll("input, select").forEach((field) => { field.value = ""; });
    filter();
  }
  // Where one came back to, the browser has scrolled already.
  if (history.state !== "chosen") article.scrollIntoView();
  if (pick.length || opened === article) opens.get(article)(pick);
  opened = article;
}

if (search) {
  search.hidden = false;
  search.addEventListener("input", () => { filter(); remember(); });
  recall();
  addEventListener("popstate", follow);
  // Letters of another width move what is below them.
  document.fonts.ready.then(follow);
}

// A picture that nobody has looked at has no letters yet where a browser prints at once.
addEventListener("keydown", async (event) => {
  if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  const pictures = [...document.querySelectorAll("article:not([hidden]) img")];
  pictures.forEach((picture) => { picture.loading = "eager"; });
  await Promise.allSettled(pictures.map((picture) => picture.decode()));
  setTimeout(print, 500);
});
