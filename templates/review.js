"use strict";
// The page of frtaudit label. What stands in the file is the server's to say: an answer counts when it was confirmed.
(() => {
  const byId = id => document.getElementById(id);
  const WORDS = {"1": "the person", "0": "another person", "-1": "unsure"};
  const MARKS = {"1": "✓ ", "0": "✕ ", "-1": "? "};
  const KEYS = {
    "1": "yes", y: "yes", "0": "no", x: "no", u: "unsure", " ": "accept", Enter: "accept", z: "undo", n: "on", p: "back", c: "crop", "?": "help",
  };
  const MOVES = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity};
  let sheets = [];
  let sheet = 0;
  let face = 0;
  let standing = 0;     // answers in the file
  let waiting = 0;      // sent, and not confirmed yet
  let stopped = false;
  let cropped = false;  // faces alone, cut out of their pictures
  let queue = Promise.resolve();
  const past = [];      // what z takes back

  const faces = () => sheets[sheet].faces;
  const said = item => item.answer ?? item.given;
  const open = item => item.asked && item.answer === null;
  const asked = () => sheets.flatMap(each => each.faces.filter(item => item.asked));
  const make = (name, kind, text) => {
    const found = document.createElement(name);
    if (kind) found.className = kind;
    if (text !== undefined) found.textContent = text;
    return found;
  };

  function status(text) { byId("status").textContent = text; }

  function progress() {
    const all = asked(), done = all.filter(item => item.kept !== null).length;
    byId("bar").max = Math.max(all.length, 1);
    byId("bar").value = done;
    byId("count").textContent = `${done} of ${all.length} answered${waiting ? ", saving …" : ""}`;
  }

  function words(item) {
    const now = said(item);
    const reviews = item.reviews.map(value => WORDS[value]).join(" / ");
    const hint = reviews || (item.suggestion === null ? "no suggestion" : `suggested: ${WORDS[item.suggestion]}`);
    const given = item.answer === null && item.given !== null ? ", from the list" : "";
    return {hint, answer: now === null ? (item.asked ? "" : "not asked") : `${MARKS[now]}${WORDS[now]}${given}`};
  }

  function describe(place) {
    const item = faces()[place], button = byId("faces").children[place].firstChild, text = words(item);
    button.dataset.answer = said(item) ?? "";
    button.classList.toggle("later", !item.asked);
    button.querySelector(".hint").textContent = text.hint;
    button.querySelector(".answer").textContent = text.answer;
    button.setAttribute("aria-label", `Face ${place + 1} of ${faces().length}, ${item.name}; ${text.hint}; ${text.answer || "no answer"}`);
  }

  function card(item, place) {
    const line = make("li"), button = make("button", "face"), picture = make("span", "picture"), note = make("span", "said");
    button.type = "button";
    button.tabIndex = -1;
    const absent = () => picture.replaceChildren(make("span", "none", item.name));
    if (item.picture) {
      const image = make("img");
      image.alt = "";
      image.decoding = "async";
      image.addEventListener("error", absent);
      picture.append(image);
      if (item.box.length) {
        const canvas = make("canvas");
        image.hidden = true;
        image.addEventListener("load", () => draw(canvas, image, item.box));
        picture.append(canvas);
      }
      image.src = `picture/${item.face}`;
    } else {
      absent();
    }
    note.append(make("span", "hint"), " ", make("span", "answer"));
    button.append(picture, " ", note);
    button.addEventListener("focus", () => mark(place));
    button.addEventListener("click", () => go(place));
    line.append(button);
    return line;
  }

  function draw(canvas, image, [x, y, width, height]) {
    const side = 320, size = 1.5 * Math.max(width, height);
    const [left, top, wide, high] = cropped
      ? [x + width / 2 - size / 2, y + height / 2 - size / 2, size, size] : [0, 0, image.naturalWidth, image.naturalHeight];
    const scale = side / Math.max(wide, high), pen = canvas.getContext("2d");
    canvas.width = wide * scale;
    canvas.height = high * scale;
    pen.drawImage(image, -left * scale, -top * scale, image.naturalWidth * scale, image.naturalHeight * scale);
    if (cropped) return;
    pen.lineWidth = 3;
    pen.strokeStyle = "#e0b95c";
    pen.strokeRect(x * scale, y * scale, width * scale, height * scale);
  }

  function crop() {
    cropped = !cropped;
    faces().forEach((item, place) => {
      const canvas = byId("faces").children[place].querySelector("canvas");
      if (canvas) draw(canvas, canvas.parentNode.querySelector("img"), item.box);
    });
    status(cropped ? "Faces cut out of their pictures." : "Whole pictures.");
  }

  function mark(place) {
    face = place;
    [...byId("faces").children].forEach((line, at) => {
      line.firstChild.tabIndex = at === place ? 0 : -1;
      line.firstChild.setAttribute("aria-current", String(at === place));
    });
  }

  function go(place) {
    mark(Math.min(Math.max(place, 0), faces().length - 1));
    byId("faces").children[face].firstChild.focus();
  }

  function show(which, place) {
    sheet = which;
    const own = sheets[sheet];
    document.title = `${own.query} – frtaudit label`;
    byId("which").textContent = `Query ${sheet + 1} of ${sheets.length}`;
    byId("query").textContent = own.query;
    byId("why").textContent = own.why && `The estimate leaves this query out: ${own.why}.`;
    byId("why").hidden = !own.why;
    byId("faces").replaceChildren(...own.faces.map(card));
    own.faces.forEach((_, at) => describe(at));
    scrollTo({top: 0, behavior: "instant"});
    go(place ?? Math.max(own.faces.findIndex(open), 0));
    progress();
  }

  function advance() {
    const here = faces();
    const later = here.findIndex((item, at) => at > face && open(item));
    const next = later >= 0 ? later : here.findIndex(open);
    if (next >= 0) return go(next);
    for (let step = 1; step < sheets.length; step++) {
      const other = (sheet + step) % sheets.length;
      if (sheets[other].faces.some(open)) {
        show(other);
        return status(`Next query: ${sheets[other].query}.`);
      }
    }
    go(face);
    return status("All requested faces have an answer. End the program with Ctrl-C in its terminal.");
  }

  async function send(item, answer) {
    try {
      const reply = await fetch("answer", {
        method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({face: item.face, answer}),
      });
      const found = await reply.json().catch(() => ({}));
      if (!reply.ok) throw new Error(found.error ?? `the program refused the answer (${reply.status})`);
      standing = found.answers;
      item.kept = answer;
    } catch (error) {
      stopped = true;
      sheets.forEach(each => each.faces.forEach(other => { other.answer = other.kept; }));
      const why = error instanceof TypeError ? "the program does not answer; has it ended?" : error.message;
      byId("alert").textContent = `Not saved: ${why} ${standing} answers are in the file. Start the program again to resume.`;
      byId("alert").hidden = false;
      show(sheet, face);
    }
    waiting = stopped ? 0 : waiting - 1;
    progress();
  }

  function write(item, answer) {
    item.answer = answer;
    waiting += 1;
    queue = queue.then(() => stopped ? undefined : send(item, answer));
    const place = faces().indexOf(item);
    if (place >= 0) describe(place);
    progress();
  }

  function answer(value) {
    if (stopped) return;
    const item = faces()[face];
    past.push([sheet, face, item.answer]);
    write(item, value);
    status(`${item.name}: ${WORDS[value]}.`);
    advance();
  }

  function accept() {
    const item = faces()[face];
    if (item.answer !== null) return advance();
    if (item.suggestion === null) return status("There is no suggestion for this face: 1, 0 or U.");
    return answer(item.suggestion);
  }

  function undo() {
    if (stopped) return;
    const last = past.pop();
    if (!last) return status("Nothing to undo.");
    const [which, place, before] = last;
    if (which !== sheet) show(which, place);
    write(faces()[place], before);
    go(place);
    return status(`Undone: ${faces()[place].name}.`);
  }

  function rows(step) {
    const all = [...byId("faces").children], top = all[face].offsetTop;
    const columns = Math.max(all.filter(line => line.offsetTop === all[0].offsetTop).length, 1);
    const to = face + step * columns;
    if (to >= 0 && to < all.length) return go(to);
    return step > 0 && all[all.length - 1].offsetTop > top ? go(all.length - 1) : undefined;
  }

  const turn = step => {
    const to = sheet + step;
    if (to < 0 || to >= sheets.length) return status(step > 0 ? "This is the last query." : "This is the first query.");
    show(to);
    return status(`Query ${to + 1} of ${sheets.length}: ${sheets[to].query}.`);
  };

  const DOES = {
    yes: () => answer(1), no: () => answer(0), unsure: () => answer(-1), accept, undo, crop, on: () => turn(1), back: () => turn(-1),
    help: () => byId("help").showModal(),
  };

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !sheets.length) return;
    if (byId("help").open) {
      if (event.key === "?") { byId("help").close(); event.preventDefault(); }
      return;
    }
    if (!event.target.closest?.(".face")) return; // a key on a button or on nothing answers no face
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.repeat && name in KEYS) return event.preventDefault();
    if (name in MOVES) go(face + MOVES[name]);
    else if (name === "ArrowDown" || name === "ArrowUp") rows(name === "ArrowDown" ? 1 : -1);
    else if (name in KEYS) DOES[KEYS[name]]();
    else return;
    event.preventDefault();
  }

  async function start() {
    const found = await (await fetch("questions")).json();
    sheets = found.sheets;
    standing = found.answers;
    sheets.forEach(each => each.faces.forEach(item => { item.kept = item.answer; }));
    document.addEventListener("keydown", key);
    document.querySelectorAll("[data-do]").forEach(button => button.addEventListener("click", () => {
      if (!sheets.length) return;
      if (button.dataset.do !== "help") byId("faces").children[face].firstChild.focus();
      DOES[button.dataset.do]();
    }));
    byId("help").addEventListener("close", () => go(face));
    if (!sheets.length) {
      byId("query").textContent = "Every face has an answer";
      progress();
      return;
    }
    const first = sheets.findIndex(each => each.faces.some(open));
    show(Math.max(first, 0));
    if (first < 0) status("All requested faces have an answer. End the program with Ctrl-C in its terminal.");
  }

  start();
})();
