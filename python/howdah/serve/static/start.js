// Starts runs: the form says what each suite may be asked, the table what was started.
(() => {
  "use strict";
  const { root, ask, listen, seconds, words } = window.howdah;
  const id = (name) => document.getElementById(name);
  const offered = JSON.parse(id("offered").textContent);

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
      ...options.map(({ name, flag, help, choices }) => {
        const place = made("span");
        const label = made("label", flag.slice(2).replaceAll("-", " "));
        label.htmlFor = `o-${name}`;
        const input = made(choices.length ? "select" : "input");
        if (choices.length) input.append(made("option", ""), ...choices.map((choice) => made("option", choice)));
        Object.assign(input, { id: `o-${name}`, title: help });
        Object.assign(input.dataset, { name, flag });
        input.autocomplete = "off";
        place.append(label, input);
        return place;
      }),
    );
    command();
  }

  function given() {
    return [...id("options").querySelectorAll("[data-name]")].filter(({ value }) => value.trim() !== "");
  }

  function command() {
    const flags = given().map(({ dataset, value }) => `${dataset.flag} ${value}`);
    id("command").textContent = ["howdah run", id("suite").value, "--engine", id("engine").value, ...flags].join(" ");
  }

  function show(runs) {
    id("queue-list").hidden = runs.length === 0;
    id("queue-about").textContent = `One runs at a time, and one may wait.${runs.length ? "" : " Nothing was started yet."}`;
    id("queue").replaceChildren(
      ...runs.map((run) => {
        const row = made("tr");
        const head = made("th");
        head.scope = "row";
        head.append(made("code", run.command.join(" ")));
        const last = made("td");
        if (["waiting", "running"].includes(run.state)) {
          const stop = made("button", run.state === "running" ? "Stop" : "Take out", "do");
          stop.type = "button";
          stop.addEventListener("click", async () => {
            stop.disabled = true;
            tell("");
            try {
              show((await ask("DELETE", `api/v1/starts/${run.number}`, undefined, true)).runs);
            } catch (error) {
              stop.disabled = false;
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

  function led(run) {
    const link = made("a", run.record || "see the runs");
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
      tell(run.state === "waiting" ? "it waits for the run under way" : `${run.state} · `);
      if (run.state !== "waiting") id("started").append(led(run));
    } catch (error) {
      clearInterval(clock);
      tell(words(error), "fault");
    }
    renew();
  });
  id("engine").addEventListener("change", engine);
  id("suite").addEventListener("change", suite);
  id("options").addEventListener("input", command);
  listen("api/v1/events", { starts: renew }, renew);
  engine();
  renew();
})();
