/* What the page can do with scripts: read a threshold, show and hide systems and groups, hover, copy a table.
   Everything it prints comes from the JSON in the page, which comes from result.json. Nothing is fetched or stored. */
"use strict";
(() => {
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const make = (tag, text = "", more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more);
  const data = JSON.parse(document.getElementById("data").textContent);

  /* Numbers as the report prints them: percent from 0.01 % on, powers of ten below, three digits. */
  const digits = (value, n = 3) => Number(value.toPrecision(n));
  const trim = (value, n = 3) => {
    const places = Math.max(0, n - 1 - Math.floor(Math.log10(Math.abs(value))));
    return value.toFixed(Math.min(places, 12));
  };
  const raised = (n) => String(n).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
  const rate = (value) => {
    if (value === null) return "undefined";
    if (value === 0) return "0 %";
    if (value === 1) return "100 %";
    if (value < 1e-4) {
      const [head, exponent] = value.toExponential(2).split("e");
      return `${head} × 10${raised(Number(exponent))}`;
    }
    if (value <= 0.5) return `${trim(100 * value)} %`;
    let places = Math.max(1, 1 - Math.floor(Math.log10(1 - value) + 1e-9) - 2);
    while (places < 12 && Number((100 * value).toFixed(places)) === 100) places += 1;
    return `${(100 * value).toFixed(places)} %`;
  };
  const count = (value) => value.toLocaleString("en-US");
  const score = (value) => String(digits(value, 6)).replace("-", "−");

  /* Which systems and groups are shown: rows of tables know theirs by the place their name points at. */
  const hidden = { system: new Set(), group: new Set() };
  const named = (row, end) => row.querySelector(`[data-p$="/${end}"]`)?.textContent;
  const isHidden = (system, group) => hidden.system.has(system) || hidden.group.has(group);
  const filter = () => {
    for (const body of all("main table tbody")) {
      const head = body.querySelector("tr.head");
      const owner = head ? named(head, "provider") : undefined;
      for (const row of all("tr", body)) {
        const group = row === head ? undefined : named(row, "group");
        row.hidden = isHidden(named(row, "provider") ?? owner, group);
      }
    }
    for (const part of all("article.finding")) {
      part.hidden = isHidden(part.querySelector(".who [data-p$='/provider']")?.textContent, part.querySelector(".who [data-p$='/group']")?.textContent);
    }
    for (const key of all(".keys [data-key] button")) {
      const off = hidden.system.has(key.dataset.name);
      if (systems.includes(key.dataset.name)) press(key, !off);
    }
    read();
  };

  /* A threshold and what it does. */
  const errorCounts = data.error_counts;
  const systems = [...new Set([...errorCounts.map((entry) => entry.system), ...Object.values(data.curves).map((curve) => curve.name)])];
  const groups = [...new Set(errorCounts.map((entry) => entry.group))];
  const panel = document.getElementById("explore");
  const chosen = panel.querySelector("select");
  const slider = panel.querySelector("input[type=range]");
  const shown = panel.querySelector("output");
  const body = panel.querySelector("tbody");
  const cell = (text, kind) => make("td", text, { className: kind });
  const of = (errors, trials) => (trials === null ? rate(errors) : rate(errors / trials));
  const counts = (errors, trials) => (trials === null ? "–" : `${count(errors)} / ${count(trials)}`);
  const at = (entry, threshold) => {
    let place = 0;
    while (place + 1 < entry.t.length && entry.t[place + 1] <= threshold) place += 1;
    return place;
  };
  const read = () => {
    if (!errorCounts.length) return;
    const own = errorCounts.filter((entry) => entry.system === chosen.value);
    const threshold = own[0].t[Number(slider.value)];
    shown.textContent = score(threshold);
    slider.setAttribute("aria-valuetext", `threshold ${score(threshold)}`);
    body.replaceChildren(...own.filter((entry) => !hidden.group.has(entry.group)).map((entry) => {
      const n = at(entry, threshold);
      const row = make("tr");
      row.append(make("th", entry.group, { scope: "row" }), cell(score(entry.t[n]), "num"),
        cell(of(entry.fm[n], entry.n), "num"), cell(counts(entry.fm[n], entry.n), "num"),
        cell(of(entry.fnm[n], entry.m), "num"), cell(counts(entry.fnm[n], entry.m), "num"));
      return row;
    }));
  };
  const choose = () => {
    const own = errorCounts.filter((entry) => entry.system === chosen.value);
    slider.max = own[0].t.length - 1;
    const goal = own[0].fm.findIndex((errors) => (own[0].n ? errors / own[0].n : errors) <= 0.001);
    slider.value = goal < 0 ? slider.max : goal;
    read();
  };
  const boxes = (kind, names) => {
    const field = panel.querySelector(`fieldset[data-kind=${kind}]`);
    field.hidden = names.length < 2;
    for (const name of names) {
      const label = make("label");
      const box = make("input", "", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        if (box.checked) hidden[kind].delete(name); else hidden[kind].add(name);
        filter();
      });
      label.append(box, ` ${name}`);
      field.append(label);
    }
  };

  /* Series of a figure: its legend's entries are buttons. */
  const press = (button, on) => {
    button.setAttribute("aria-pressed", String(on));
    for (const part of all(`.s[data-s="${button.dataset.pen}"]`, button.closest("figure"))) part.classList.toggle("off", !on);
  };
  for (const item of all(".keys [data-key]")) {
    const button = make("button", "", { type: "button" });
    button.dataset.pen = item.dataset.key;
    button.dataset.name = item.dataset.name;
    button.append(...item.childNodes);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => press(button, button.getAttribute("aria-pressed") !== "true"));
    item.append(button);
  }

  /* Values under the pointer: the nearest point of the nearest curve that is shown. Escape closes the tip until the
     pointer leaves the drawing; it stands beside the point, off the curve's way, and stays while the pointer is on it. */
  const tip = make("div", "", { className: "tip", hidden: true });
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  let drawing = null, closed = null;  // where the tip belongs, and where Escape closed it
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !tip.hidden) { tip.hidden = true; closed = drawing; }
  });
  tip.addEventListener("pointerleave", () => { tip.hidden = true; });
  const placed = (value, low, high, kind) =>
    kind === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const words = (curve, n, labels) => {
    const value = (name, number) => (/^(FMR|FNMR|1 − FNMR)$/.test(name) ? `${name.replace("1 − ", "")} ${rate(number)}` : `${name} ${score(number)}`);
    const band = curve.low ? ` (${rate(curve.low[n])} to ${rate(curve.high[n])})` : "";
    return `${curve.name}: ${value(labels[0], curve.x[n])}, ${value(labels[1], curve.y[n])}${band}`;
  };
  for (const svg of all("svg[data-frame]")) {
    const frame = svg.dataset.frame.split(" ");
    const [left, right, top, bottom, xl, xh, yl, yh] = frame.slice(0, 8).map(Number);
    const [xk, yk] = frame.slice(8);
    const lines = all(".s[data-c^='/curves/']", svg).filter((part) => data.curves[part.dataset.c]);
    if (!lines.length) continue;
    const labels = (svg.dataset.labels ?? "x|y").split("|");
    const turned = labels[1].startsWith("1 −");
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const px = (event.clientX - box.left) * scale, py = (event.clientY - box.top) * scale;
      let best = null;
      for (const line of lines) {
        if (line.classList.contains("off")) continue;
        const curve = data.curves[line.dataset.c];
        curve.x.forEach((x, n) => {
          const y = turned ? 1 - curve.y[n] : curve.y[n];
          const cx = left + placed(Math.max(x, xk === "log" ? xl : x), xl, xh, xk) * (right - left);
          const cy = bottom - placed(Math.max(y, yk === "log" ? yl : y), yl, yh, yk) * (bottom - top);
          const far = Math.hypot(cx - px, cy - py);
          if (far < 40 && (!best || far < best.far)) best = { far, curve, n, cx, cy };
        });
      }
      tip.hidden = closed === svg || !best;
      if (tip.hidden) return;
      drawing = svg;
      tip.textContent = words(best.curve, best.n, labels);
      const { x, y } = best.curve;
      const rises = ((x.at(-1) > x[0]) === (y.at(-1) > y[0])) !== turned;
      const edge = box.top + best.cy / scale + (rises ? 6 : -6 - tip.offsetHeight);
      tip.style.left = `${Math.min(box.left + best.cx / scale + 6, window.innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${Math.max(edge, 0)}px`;
    });
    svg.addEventListener("pointerleave", (event) => {
      closed = null;
      if (event.relatedTarget !== tip) tip.hidden = true;
    });
  }

  /* A table as CSV: what is shown, each cell as text. */
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const plain = (found) => found.innerText.replace(/[\u2068\u2069]/g, "").replace(/\s+/g, " ").trim();
  const csv = (table) => all("tr", table).filter((row) => !row.hidden)
    .map((row) => [...row.cells].map((found) => quoted(plain(found))).join(",")).join("\r\n");
  const copied = (text) => navigator.clipboard?.writeText ? navigator.clipboard.writeText(text) : Promise.reject(new Error("no clipboard"));
  const byHand = (text) => {
    const area = make("textarea", text);
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  for (const table of all(".tbl table")) {
    const name = table.caption?.textContent.trim().split(".")[0] ?? "table";
    const button = make("button", "", { type: "button", className: "copy" });
    const tell = (words) => {
      button.textContent = words;
      button.setAttribute("aria-label", `${words}: ${name}`);
    };
    tell("Copy as CSV");
    button.addEventListener("click", async () => {
      const text = csv(table);
      button.dataset.csv = text;
      const done = await copied(text).then(() => true, () => byHand(text));
      tell(done ? "Copied" : "The browser did not allow it");
    });
    table.closest(".tbl").append(button);
  }

  if (errorCounts.length) {
    panel.hidden = false;
    const own = [...new Set(errorCounts.map((entry) => entry.system))];
    chosen.append(...own.map((name) => make("option", name, { value: name })));
    boxes("system", own);
    boxes("group", groups);
    chosen.addEventListener("change", choose);
    slider.addEventListener("input", read);
    choose();
  }
})();
