// Starts runs: the form says what each suite may be asked, the table what was started.
(() => {
  "use strict";
  const { root, ask, listen, seconds, words } = window.howdah;
  const id = (name) => document.getElementById(name);
  const offered = JSON.parse(id("offered").textContent);
  // The number of the run that was started here last, which #started follows.
  let started = null;

  function made(tag, text, className) {
    const one = document.createElement(tag);
    if (text !== undefined) one.textContent = text;
    if (className) one.className = className;
    return one;
  }

  function engine() {
    const name = id("engine").value;
    id("for-plan").hidden = name !== "sim";
    id("for-lab").hidden = !["hadoop", "hbase"].includes(name);
    const before = id("suite").value;
    id("suite").replaceChildren(...Object.keys(offered[name]).map((suite) => made("option", suite)));
    const usual = offered[name].terasuite ? "terasuite" : id("suite").value;
    id("suite").value = offered[name][before] ? before : usual;
    suite();
  }

  function suite() {
    const options = offered[id("engine").value][id("suite").value] ?? [];
    id("options").replaceChildren(
      ...options.map(({ name, flag, help, unit, choices }) => {
        const place = made("span");
        const words = flag.slice(2).replaceAll("-", " ");
        const label = made("label", words[0].toUpperCase() + words.slice(1));
        label.htmlFor = `o-${name}`;
        if (unit) label.append(made("span", ` (${unit})`, "unit"));
        const input = made(choices.length ? "select" : "input");
        if (choices.length) input.append(made("option", "default"), ...choices.map((choice) => made("option", choice)));
        if (choices.length) input.options[0].value = "";
        Object.assign(input, { id: `o-${name}`, autocomplete: "off" });
        Object.assign(input.dataset, { name, flag });
        const about = made("span", help, "aside");
        about.id = `h-${name}`;
        input.setAttribute("aria-describedby", about.id);
        place.append(label, input, about);
        return place;
      }),
    );
    command();
    defaults();
  }

  // What fields that stay empty come to, as placeholders in them.
  let asked = 0;
  async function defaults() {
    const turn = ++asked;
    const engine = id("engine").value;
    if (["hadoop", "hbase"].includes(engine)) {
      id("defaults").textContent = "Values of empty fields are chosen to fit the lab's cluster when the run starts.";
      return;
    }
    const query = new URLSearchParams({ engine, suite: id("suite").value, plan: engine === "sim" ? id("plan").value : "" });
    try {
      const { values } = await ask("GET", `api/v1/starts/defaults?${query}`);
      if (turn !== asked) return;
      for (const field of id("options").querySelectorAll("[data-name]")) {
        const value = field.dataset.name in values ? values[field.dataset.name] : "";
        if (field.options) field.options[0].textContent = value ? `default: ${value}` : "default";
        else field.placeholder = value || (engine === "sim" ? "left to the plan" : "left to the run");
      }
      id("defaults").textContent = `Empty fields use the values shown in grey, which fit ${engine === "sim" ? "the plan" : "this machine"}.`;
    } catch (error) {
      if (turn === asked) id("defaults").textContent = words(error);
    }
  }

  function given() {
    return [...id("options").querySelectorAll("[data-name]")].filter(({ value }) => value.trim() !== "");
  }

  function command() {
    const plan = id("plan").selectedOptions[0]?.textContent;
    const where = id("for-plan").hidden ? (id("for-lab").hidden ? [] : ["--lab", id("lab").value]) : ["--plan", plan];
    const flags = given().map(({ dataset, value }) => `${dataset.flag} ${value}`);
    id("command").textContent = ["howdah run", id("suite").value, "--engine", id("engine").value, ...where, ...flags].join(" ");
  }

  function show(runs) {
    follow(runs);
    id("queue-list").hidden = runs.length === 0;
    id("queue-about").textContent = `One run can be under way, and one more can wait.${runs.length ? "" : " Nothing has been started yet."}`;
    id("queue").replaceChildren(
      ...runs.map((run) => {
        const row = made("tr");
        const head = made("th");
        head.scope = "row";
        head.append(made("code", run.command.join(" ")));
        const last = made("td");
        if (["waiting", "running"].includes(run.state)) {
          const stop = made("button", run.state === "running" ? "Stop" : "Remove from the queue", "do");
          stop.type = "button";
          stop.addEventListener("click", async () => {
            stop.disabled = true;
            if (run.number === started) {
              started = null;
              tell("");
            }
            try {
              show((await ask("DELETE", `api/v1/starts/${run.number}`, undefined, true)).runs);
            } catch (error) {
              stop.disabled = false;
              started = null;
              tell(words(error), "fault");
            }
          });
          last.append(stop);
        }
        const state = made("td", run.state);
        if (run.record) state.append(" · ", led(run));
        row.append(head, state, made("td", run.said, "said"), last);
        return row;
      }),
    );
  }

  function tell(text, className = "") {
    id("started").className = className;
    id("started").textContent = text;
  }

  function follow(runs) {
    const run = runs.find(({ number }) => number === started);
    if (!run) return;
    if (run.state === "waiting") tell("It waits for the run under way.");
    else if (["refused", "failed"].includes(run.state)) tell(run.said || run.state, "fault");
    else {
      tell(`${run.state} · `);
      id("started").append(led(run));
    }
  }

  function led(run) {
    const link = made("a", run.record || "list of runs");
    link.href = run.record ? `${root}runs/${run.record}/` : root;
    return link;
  }

  async function renew() {
    try {
      show((await ask("GET", "api/v1/starts")).runs);
    } catch (error) {
      tell(words(error), "fault");
    }
  }

  id("start").addEventListener("submit", async (event) => {
    event.preventDefault();
    started = null;
    const since = Date.now();
    const about = () => tell(`starting … ${seconds((Date.now() - since) / 1000)}`);
    about();
    const clock = setInterval(about, 500);
    const question = { engine: id("engine").value, suite: id("suite").value, options: {} };
    for (const { dataset, value } of given()) question.options[dataset.name] = value.trim();
    if (question.engine === "sim") question.plan = id("plan").value;
    if (["hadoop", "hbase"].includes(question.engine)) question.lab = id("lab").value;
    try {
      const run = await ask("POST", "api/v1/starts", question, true);
      clearInterval(clock);
      started = run.number;
      follow([run]);
    } catch (error) {
      clearInterval(clock);
      tell(words(error), "fault");
    }
    renew();
  });
  id("engine").addEventListener("change", engine);
  id("suite").addEventListener("change", suite);
  for (const name of ["plan", "lab"]) id(name).addEventListener("change", command);
  id("plan").addEventListener("change", defaults);
  id("options").addEventListener("input", command);
  listen("api/v1/events", { starts: renew }, renew);
  engine();
  renew();
})();
