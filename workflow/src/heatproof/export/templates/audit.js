"use strict";
// The cells of the figures can be opened: by a click, or with arrow keys and Enter.
// One button walks over the cells of a figure; what it stands on is told in the section below.

/** An element with attributes and children; text stays text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const number = (value) => value.toLocaleString("en");
const many = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;
const within = (value, least, most) => Math.min(Math.max(value, least), most);
const address = (path) => "../" + path.split("/").map(encodeURIComponent).join("/");
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A figure's data with the questions asked of it. A cell is {panel, x, y}; y counts upwards.
 *  A panel may be `one` cell. */
class Figure {
  constructor(data) {
    Object.assign(this, data);
    this.starts = [0];
    data.panels.forEach((_, panel) => {
      const [across, up] = this.sides(panel);
      this.starts.push(this.starts[panel] + across * up);
    });
  }

  /** Cells across and up in a panel. */
  sides(panel) {
    return this.panels[panel].one ? [1, 1] : [this.x.values.length, this.y.values.length];
  }

  /** The number of a cell. */
  index({ panel, x, y }) {
    return this.starts[panel] + y * this.sides(panel)[0] + x;
  }

  story(cell) {
    return this.cells[this.index(cell)];
  }

  box({ panel, x, y }) {
    const [left, top, width, height] = this.boxes[panel];
    if (this.places) {
      const [beside, below, ...size] = this.places[this.index({ panel, x, y })];
      return [left + beside, top + below, ...size];
    }
    const [across, up] = this.sides(panel);
    const [wide, high] = [width / across, height / up];
    return [left + x * wide, top + (up - 1 - y) * high, wide, high];
  }

  /** The cell at a point of the picture, in pt. */
  at(left, top) {
    if (this.places) {
      return this.placed().reverse().find((cell) => {
        const [x, y, width, height] = this.box(cell);
        return left >= x && left < x + width && top >= y && top < y + height;
      }) || null;
    }
    const panel = this.boxes.findIndex(
      ([x, y, width, height]) => left >= x && left < x + width && top >= y && top < y + height);
    if (panel < 0) return null;
    const [x, y, width, height] = this.boxes[panel];
    const [across, up] = this.sides(panel);
    const column = Math.floor((left - x) / width * across);
    const row = up - 1 - Math.floor((top - y) / height * up);
    return { panel, x: within(column, 0, across - 1), y: within(row, 0, up - 1) };
  }

  /** All cells that are shown, where each has a place of its own in its panel. */
  placed() {
    const cells = this.places.map((_, n) => {
      const panel = this.starts.findLastIndex((start) => start <= n);
      const [inside, across] = [n - this.starts[panel], this.sides(panel)[0]];
      return { panel, x: inside % across, y: Math.floor(inside / across) };
    });
    return cells.filter((_, n) => this.places[n][2] > 0);
  }

  /** The nearest of them in a direction, on the same line of x or y before others. */
  nearest(cell, dx, dy) {
    const middle = ([left, top, wide, high]) => [left + wide / 2, top + high / 2];
    const [x, y] = middle(this.box(cell));
    const ranked = this.placed().map((other) => {
      const [left, top] = middle(this.box(other));
      const away = (left - x) * dx - (top - y) * dy;
      const aside = Math.abs(dx ? top - y : left - x);
      const other_line = !this.free && (dx ? other.y !== cell.y : other.x !== cell.x);
      return { other, away, far: away + 2 * aside + (other_line ? 1e4 : 0)
        + (other.panel === cell.panel ? 0 : 1e5) };
    });
    const found = ranked.filter(({ away }) => away > 0.5).sort((a, b) => a.far - b.far);
    return found.length ? found[0].other : cell;
  }

  /** The next cell in a direction (one of dx, dy is ±1), beyond the edge that of the next panel. */
  next(cell, dx, dy) {
    if (this.places) return this.nearest(cell, dx, dy);
    const moved = { ...cell, x: cell.x + dx, y: cell.y + dy };
    const [across, up] = this.sides(cell.panel);
    if (across > moved.x && moved.x >= 0 && up > moved.y && moved.y >= 0) return moved;
    const here = this.boxes[cell.panel];
    const away = (box) => (box[0] - here[0]) * dx - (box[1] - here[1]) * dy;
    const aside = (box) => Math.abs(dx ? box[1] - here[1] : box[0] - here[0]);
    const panels = this.boxes.map((_, panel) => panel)
      .filter((panel) => away(this.boxes[panel]) > 0 && aside(this.boxes[panel]) < here[dx ? 3 : 2] / 2)
      .sort((a, b) => away(this.boxes[a]) - away(this.boxes[b]));
    if (!panels.length) return cell;
    const [wide, high] = this.sides(panels[0]);
    const [right, top] = [wide - 1, high - 1];
    return {
      panel: panels[0],
      x: dx ? (dx > 0 ? 0 : right) : Math.floor((cell.x + 0.5) / across * wide),
      y: dy ? (dy > 0 ? 0 : top) : Math.floor((cell.y + 0.5) / up * high),
    };
  }

  name({ panel, x, y }) {
    const { words, x: across, y: up, one } = this.panels[panel];
    const parts = one ? [across, up]
      : [words, `${across} ${this.x.words[x]}`, `${up} ${this.y.words[y]}`];
    return parts.filter((part) => part.trim()).join(", ");
  }

  command({ panel, x, y }) {
    const { pick, one } = this.panels[panel];
    const place = [[this.x.name, this.x.values[x]], [this.y.name, this.y.values[y]]];
    const picked = [...pick, ...(one ? [] : place)];
    const cell = picked.filter(([name]) => name).map((pair) => pair.join("=")).join(",");
    return `heatproof trace ${quoted(this.file)} --cell ${quoted(cell)}`;
  }
}

/** Lines and bytes of a log; the bytes are counted as in HTTP ranges, the last one included. */
function span([first, last, start, end]) {
  const lines = first === last ? `line ${number(first)}` : `lines ${number(first)}–${number(last)}`;
  return `${lines}, bytes ${number(start)}–${number(end - 1)}`;
}

function logs(figure, items) {
  return items.map(([log, ...rest]) => {
    if (log < 0) {
      const [places, rows] = rest;
      const left = `… and ${many(places, "more place")} with ${many(rows, "row")}: use the command.`;
      return make("li", { class: "left" }, left);
    }
    const [path, member] = [figure.logs[log]].flat();
    const link = make("a", { href: address(path) }, path);
    const lines = rest.length ? [make("br"), rest.map(span).join("; ")] : [];
    return make("li", {}, link, member ? ` ${member}` : null, ...lines);
  });
}

function table(titles, rows, texts) {
  const cells = (row) => row.map((text, n) => make(n < texts ? "th" : "td", {
    class: n < texts ? "name" : "", ...(n < texts ? { scope: "row" } : {}) }, text));
  const head = titles.map((text, n) => make("th", { scope: "col", class: n < texts ? "name" : "" }, text));
  return make("div", { class: "numbers" }, make("table", {},
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells(row))))));
}

/** All that is told of a cell. */
function told(figure, cell) {
  const story = figure.story(cell);
  const facts = figure.facts.flatMap((title, n) => story.facts[n] === null ? []
    : [make("div", {}, make("dt", {}, title), make("dd", {}, story.facts[n]))]);
  return [
    make("dl", {}, ...facts),
    ...(story.flags || []).map((words) => make("p", { class: "flag" }, words)),
    figure.note ? make("p", { class: "note" }, figure.note) : null,
    ...(story.parts ? [make("h4", {}, "Mean of"),
      table([figure.parts, figure.facts[0], "Problems", "Graded rows"].slice(0, story.parts[0].length),
        story.parts.map(([name, value, ...counts]) => [name, value, ...counts.map(number)]), 1)] : []),
    ...(story.logs ? [make("h4", {}, "Logs"), make("ul", { class: "logs" }, ...logs(figure, story.logs))] : []),
  ].filter(Boolean);
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

function start(article) {
  const figure = new Figure(JSON.parse(article.querySelector("script").textContent));
  const sheet = article.querySelector(".sheet");
  const button = article.querySelector(".walker");
  const hover = article.querySelector(".hover");
  const section = article.querySelector(".cell");
  const part = (name) => section.querySelector(`.${name}`);
  const [width, height] = figure.size;
  let now = figure.places ? figure.placed()[0] : { panel: 0, x: 0, y: figure.sides(0)[1] - 1 };

  const lay = (element, cell) => {
    const [left, top, wide, high] = figure.box(cell);
    const sides = { left: left / width, top: top / height, width: wide / width, height: high / height };
    for (const [side, share] of Object.entries(sides)) element.style[side] = `${100 * share}%`;
  };
  const go = (cell) => {
    now = cell;
    lay(button, cell);
    const words = `${figure.name(cell)}: ${figure.story(cell).facts[0]}`;
    button.setAttribute("aria-label", words);
    article.querySelector(".said").textContent = words;
    if (!section.hidden) open();
  };
  const open = () => {
    part("where").textContent = figure.name(now);
    part("story").replaceChildren(...told(figure, now));
    part("command").textContent = figure.command(now);
    part("copied").textContent = "";
    section.hidden = false;
    button.setAttribute("aria-expanded", "true");
  };
  const close = () => {
    section.hidden = true;
    button.setAttribute("aria-expanded", "false");
    button.focus();
  };
  const pointed = (event) => {
    const area = sheet.getBoundingClientRect();
    return figure.at((event.clientX - area.left) / area.width * width,
      (event.clientY - area.top) / area.height * height);
  };
  const show = () => {
    open();
    // The facts, not all of it, so that the picture stays in view.
    section.querySelector("dl").scrollIntoView({ block: "nearest" });
  };

  sheet.addEventListener("click", (event) => {
    // Enter and Space click the button where it stands.
    const cell = event.detail === 0 ? now : pointed(event);
    if (cell === null) return;
    go(cell);
    button.focus({ preventScroll: true });
    show();
  });
  sheet.addEventListener("pointermove", (event) => {
    const cell = pointed(event);
    hover.hidden = cell === null;
    if (cell) lay(hover, cell);
  });
  sheet.addEventListener("pointerleave", () => { hover.hidden = true; });
  button.addEventListener("keydown", (event) => {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const ends = { Home: 0, End: figure.sides(now.panel)[0] - 1 };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in ways) go(figure.next(now, ...ways[event.key]));
    else if (event.key in ends) go({ ...now, x: ends[event.key] });
    else return;
    event.preventDefault();
    button.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  article.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !section.hidden) close();
  });
  part("close").addEventListener("click", close);
  part("copy").addEventListener("click", async () => {
    part("copied").textContent = (await copy(part("command"))) ? "Copied" : "Press Ctrl+C to copy";
  });
  lay(button, now);
  button.setAttribute("aria-label", `Cells of ${article.id}: arrow keys move, Enter opens`);
  button.hidden = false;
}

for (const article of document.querySelectorAll("article")) {
  if (article.querySelector("script")) start(article);
}
