// The plan page: an editor that marks what is wrong, the plan beside it, and sliders that ask the simulator.
(() => {
  "use strict";
  const { root, ask, seconds, sentences, words } = window.howdah;
  const id = (name) => document.getElementById(name);
  const form = id("asked");
  if (!form) return;
  const editor = id("inventory");
  const page = crypto.randomUUID?.() ?? String(Math.random());
  const moved = new Set();
  // What the plan that is shown was asked for.
  let wished = null;
  let asked = 0;
  let right = true;

  function made(tag, text, className) {
    const one = document.createElement(tag);
    if (text !== undefined) one.textContent = text;
    if (className) one.className = className;
    return one;
  }

  function wishes() {
    const said = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
    for (const name of ["workers_per_host", "replication", "years"]) if (said[name]) said[name] = Number(said[name]);
    return said;
  }

  // The lines' numbers, those with something wrong in them marked.
  function number(faults = []) {
    const wrong = new Set(faults.map(({ line }) => line));
    const count = editor.value.split("\n").length;
    id("gutter").replaceChildren(...Array.from({ length: count }, (_, at) => made("span", String(at + 1), wrong.has(at + 1) ? "wrong" : "")));
    id("gutter").scrollTop = editor.scrollTop;
  }

  function to(line, column) {
    const lines = editor.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    editor.focus();
    editor.setSelectionRange(start + column - 1, start + (lines[line - 1]?.length ?? column));
    const height = editor.scrollHeight / lines.length;
    editor.scrollTop = Math.max(0, (line - 4) * height);
  }

  async function check() {
    const turn = ++asked;
    const faults = await ask("POST", "api/v1/inventory/check", { inventory: editor.value }).catch((error) => [
      { line: 1, column: 1, key: "", what: error.message, hint: error.hint ?? "" },
    ]);
    if (turn !== asked) return false;
    number(faults);
    right = faults.length === 0;
    editor.setAttribute("aria-invalid", String(!right));
    id("faults").replaceChildren(
      ...faults.map(({ line, column, key, what, hint }) => {
        const item = made("li");
        const jump = made("button", `line ${line}`);
        jump.type = "button";
        jump.addEventListener("click", () => to(line, column));
        item.append(jump, made("span", ` ${sentences(`${key ? `${key}: ` : ""}${what}`, hint)}`));
        return item;
      }),
    );
    return right;
  }

  function why(value, reason) {
    const place = made("span", undefined, "why");
    const shown = made("button", value);
    shown.type = "button";
    const tip = made("span", reason, "tip");
    tip.id = `why-${(why.count = (why.count ?? 0) + 1)}`;
    tip.setAttribute("role", "tooltip");
    shown.setAttribute("aria-describedby", tip.id);
    place.append(shown, tip);
    return place;
  }

  function show(plan) {
    for (const name of ["answer", "what-if", "values"]) id(name).hidden = false;
    id("answer-title").textContent = plan.answer;
    id("capacity").textContent = plan.capacity;
    id("whole").href = `${root}plans/${plan.key}/`;
    id("file").href = `${root}api/v1/plans/${plan.key}`;
    id("platforms").replaceChildren(
      ...plan.platforms.flatMap((one) => {
        const row = made("tr", undefined, one.verdict);
        const head = made("th", one.platform);
        head.scope = "row";
        if (one.verdict !== "possible") head.append(made("span", one.verdict, "aside"));
        row.append(head);
        for (let at = 0; at < 5; at += 1) row.append(made("td", one.cells[at] ?? "", "n"));
        const list = made("details");
        const count = (which) => one.reasons.filter(([verdict]) => verdict === which).length;
        const parts = ["for", "against", "refused"].map((which) => (count(which) ? `${count(which)} ${which}` : "")).filter(Boolean);
        list.append(made("summary", parts.join(", ") || "no pros or cons"));
        const items = made("ul");
        items.append(...one.reasons.map(([verdict, text, rule]) => made("li", `${verdict}: ${text} (${rule})`, verdict)));
        list.append(items);
        const reasons = made("td");
        reasons.colSpan = 6;
        reasons.append(list);
        const under = made("tr", undefined, "reasons");
        under.append(reasons);
        return [row, under];
      }),
    );
    id("files").replaceChildren(
      ...Object.entries(plan.settings).map(([file, settings], at) => {
        const part = made("details", undefined, "file");
        part.open = at === 0;
        part.append(made("summary", `${file} (${settings.length})`));
        const list = made("dl");
        for (const one of settings) {
          const pair = made("div");
          pair.dataset.words = `${one.key} ${one.value} ${one.reason}`.toLowerCase();
          const name = made("dt", one.key);
          if (one.holds_for) name.append(made("span", ` ${one.holds_for}`, "aside"));
          const value = made("dd");
          value.append(why(one.value + (one.note ? ` (${one.note})` : ""), `${one.reason.replace(/\.?$/, ".")} ${one.rule ? `Rule ${one.rule}; ` : ""}source: ${one.source}`));
          pair.append(name, value);
          list.append(pair);
        }
        part.append(list);
        return part;
      }),
    );
    find();
    place(plan.now);
    id("curve").hidden = !plan.growth;
    if (plan.growth) {
      id("caption-growth").textContent = plan.growth_caption;
      document.dispatchEvent(new CustomEvent("howdah:grown", { detail: [{ id: "growth", spec: JSON.parse(JSON.stringify(plan.growth)) }] }));
    }
  }

  function find() {
    const wanted = id("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const file of document.querySelectorAll("#files .file")) {
      let shown = 0;
      for (const pair of file.querySelectorAll("[data-words]")) {
        pair.hidden = !wanted.every((word) => pair.dataset.words.includes(word));
        if (!pair.hidden) shown += 1;
      }
      file.hidden = shown === 0;
      if (wanted.length) file.open = shown > 0;
    }
  }

  // An answer to what is no longer in the fields: in grey, and out of use.
  function stale(on) {
    id("stale").hidden = !on || wished === null;
    for (const name of ["answer", "what-if", "curve", "values"]) id(name).inert = on;
  }

  async function plan() {
    const said = id("planned");
    if (!(await check())) {
      if (!right) {
        said.textContent = "Correct the errors above first.";
        stale(true);
      }
      return;
    }
    said.textContent = "planning …";
    try {
      const question = wishes();
      show(await ask("POST", "api/v1/plan", question));
      wished = question;
      stale(false);
      said.textContent = "";
      refused = false;
      simulate();
    } catch (error) {
      said.textContent = words(error);
      stale(true);
    }
  }

  function changed(names) {
    const question = { ...wished, changes: {}, page };
    for (const name of names) {
      const slider = id(`s-${name}`);
      const value = slider.values[slider.value].replaceAll(",", "");
      if (name === "workers_per_host") {
        question.workers_per_host = Number(value);
        // More than one worker on a host are virtual machines, whatever makes them.
        if (Number(value) > 1) question.hypervisor ??= "vsphere";
      } else if (name === "replication") question.replication = Number(value);
      else if (name === "dataset") question.dataset = value;
      else question.changes[name] = value;
    }
    delete question.need;
    delete question.growth;
    delete question.years;
    return question;
  }

  // One line: the median, its interval where one is known, and the change from what is planned.
  function row(name, one, before) {
    const line = made("div", undefined, "time");
    line.append(made("b", name), made("span", seconds(one.median), "n"));
    const known = one.low !== null;
    const bar = made("span", undefined, known ? "interval" : "");
    if (known) {
      const most = Math.max(one.high, before?.high ?? 0);
      for (const [part, value] of [["low", one.low], ["mid", one.median], ["high", one.high]]) bar.style.setProperty(`--${part}`, String(value / most));
    }
    const change = before ? one.median / before.median - 1 : 0;
    const words = before && Math.abs(change) >= 0.005 ? `${change > 0 ? "+" : "−"}${Math.abs(100 * change).toFixed(0)} %` : before ? "as planned" : "";
    line.append(bar, made("span", known ? `${seconds(one.low)} to ${seconds(one.high)}` : "", "quiet"), made("span", words, "change"));
    return line;
  }

  // Which simulation it was, and what that means.
  function how({ simulator, few_hosts, full_because }) {
    if (simulator === "quick") return `This is the quick simulation, in which ${few_hosts} hosts stand for all; a full one follows.`;
    return `This is the full simulation of every task.${full_because ? ` The quick simulation does not apply: ${full_because}.` : ""}`;
  }

  function told(times, before) {
    const rows = [row("whole suite", times.whole, before?.whole)];
    for (const one of times.forecasts.filter(({ phase }) => phase === null)) {
      rows.push(row(one.workload, one, before?.forecasts.find((other) => other.workload === one.workload && other.phase === null)));
    }
    const grounds = made(
      "p",
      [
        `${times.hosts} hosts, ${times.platform}, ${times.workers} workers.`,
        `${times.calibration ? "Medians and 90 % intervals" : "Medians"} of ${times.replications} ${times.replications === 1 ? "simulation" : "simulations"}, computed in ${seconds(times.took_s)}.`,
        how(times),
        times.calibration ? `Calibration: ${times.calibration}.` : "Without a calibration, how far off these times are is unknown.",
      ].join(" "),
      "quiet small",
    );
    id("times").replaceChildren(...rows, grounds);
    id("times").classList.remove("waiting");
  }

  // What was answered is kept: a slider that comes back need not wait.
  const answers = new Map();
  async function times(names, simulator, replications) {
    const question = { ...changed(names), simulator, replications };
    const key = JSON.stringify(question);
    if (answers.has(key)) return answers.get(key);
    // The server gives no answer to a question after which the page has asked another.
    const answer = await ask("POST", "api/v1/what-if", question);
    if (answer !== null) answers.set(key, answer);
    return answer;
  }

  let due;
  let simulated = 0;
  // Whether the quick simulation was refused last: then a single one answers soon, for it will be a full one.
  let refused = false;
  function simulate() {
    const turn = ++simulated;
    clearTimeout(due);
    id("times").classList.add("waiting");
    due = setTimeout(async () => {
      const names = new Set(moved);
      let answered = false;
      // The quick simulation answers soon and the full one has the last word. A change is held against what is planned.
      try {
        for (const [simulator, replications] of [["quick", refused ? 1 : 3], ["full", 3]]) {
          const planned = await times(new Set(), simulator, replications);
          const answer = names.size && planned ? await times(names, simulator, replications) : planned;
          if (answer === null || turn !== simulated) return;
          told(answer, names.size ? planned : null);
          answered = true;
          if (simulator === "quick") refused = answer.simulator === "full";
          if (refused && replications === 3) return;
        }
      } catch (error) {
        if (turn !== simulated) return;
        id("times").classList.remove("waiting");
        const said = made("p", words(error), "fault");
        // What the quick simulation said of it stays where the full one takes too long.
        if (answered) id("times").append(said);
        else id("times").replaceChildren(said);
      }
    }, 120);
  }

  for (const slider of document.querySelectorAll("#sliders input")) {
    slider.values = slider.dataset.values.split("|");
    slider.addEventListener("input", () => {
      moved.add(slider.dataset.quantity);
      if (slider.value === slider.first) moved.delete(slider.dataset.quantity);
      say(slider);
      simulate();
    });
  }

  // The value that a slider is at; the planned one stands below it.
  function say(slider) {
    const [value, planned] = [slider.value, slider.first].map((at) => spaced(slider.values[at]));
    id(`o-${slider.dataset.quantity}`).textContent = value;
    slider.setAttribute("aria-valuetext", value === planned ? `${value}, as planned` : `${value}, planned ${planned}`);
  }

  function spaced(value) {
    return value.replace(/(\d)([A-Za-z])/, "$1 $2");
  }

  id("reset").addEventListener("click", () => {
    moved.clear();
    for (const slider of document.querySelectorAll("#sliders input")) {
      if (slider.first === undefined) continue;
      slider.value = slider.first;
      say(slider);
    }
    simulate();
  });

  // Puts each slider where the plan is, whose value becomes one of its steps; what a plan lacks has none.
  function place(now) {
    for (const slider of document.querySelectorAll("#sliders input")) {
      const { quantity, values } = slider.dataset;
      const box = slider.closest(".slider");
      box.hidden = !(quantity in now);
      if (box.hidden) continue;
      const at = slider.values[slider.value];
      const planned = now[quantity];
      const usual = values.split("|").filter((text) => amount(text) !== amount(planned));
      slider.values = [...usual, planned].sort((one, other) => amount(one) - amount(other));
      slider.max = String(slider.values.length - 1);
      slider.first = String(slider.values.indexOf(planned));
      slider.value = moved.has(quantity) && slider.values.includes(at) ? String(slider.values.indexOf(at)) : slider.first;
      if (slider.value === slider.first) moved.delete(quantity);
      box.querySelector(".ticks").replaceChildren(...slider.values.map((text) => made("i", "", text === planned ? "planned" : "")));
      const [least, middle, most] = box.querySelectorAll(".range span");
      least.textContent = spaced(slider.values[0]);
      middle.textContent = `planned ${spaced(planned)}`;
      most.textContent = spaced(slider.values.at(-1));
      say(slider);
    }
  }

  // A quantity as a number, whatever its unit.
  function amount(text) {
    const [, digits, unit] = /^([\d.,]+)([A-Za-z]*)/.exec(text);
    const power = "kMGTP".indexOf(unit[0] === "K" ? "k" : (unit[0] ?? "")) + 1;
    return Number(digits.replaceAll(",", "")) * (unit[1] === "i" ? 1024 : 1000) ** (unit === "" ? 0 : power);
  }

  let typed;
  editor.addEventListener("input", () => {
    number();
    clearTimeout(typed);
    typed = setTimeout(plan, 500);
  });
  editor.addEventListener("scroll", () => {
    id("gutter").scrollTop = editor.scrollTop;
  });
  id("find").addEventListener("input", find);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    plan();
  });
  form.addEventListener("change", ({ target }) => {
    if (target !== editor) plan();
  });
  number();
  plan();
})();
