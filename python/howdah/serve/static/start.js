// Starts runs: the form says what each suite may be asked, the table what was started.
(() => {
  "use strict";
  const { root, ask, listen } = window.howdah;
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
            show((await ask("DELETE", `api/v1/starts/${run.number}`, undefined, true)).runs);
          });
          last.append(stop);
        }
        row.append(head, made("td", run.state), made("td", run.said, "said"), last);
        return row;
      }),
    );
  }

  const renew = async () => show((await ask("GET", "api/v1/starts")).runs);

  id("start").addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = id("started");
    said.className = "";
    said.textContent = "starting …";
    const question = { engine: id("engine").value, suite: id("suite").value, options: {} };
    for (const { dataset, value } of given()) question.options[dataset.name] = value.trim();
    if (question.engine === "sim") question.plan = id("plan").value;
    if (["hadoop", "hbase"].includes(question.engine)) question.lab = id("lab").value;
    try {
      const run = await ask("POST", "api/v1/starts", question, true);
      said.replaceChildren(made("span", run.state === "waiting" ? "it waits for the run under way" : `${run.state} · `));
      if (run.state !== "waiting") {
        const link = made("a", "see the runs");
        link.href = root;
        said.append(link);
      }
    } catch (error) {
      said.className = "fault";
      said.textContent = `${error.message} ${error.hint}`;
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
