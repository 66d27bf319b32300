// A run under way: figures that grow, tasks, the log, the time left; and the report once it has ended.
(() => {
  "use strict";
  const { ask, listen, seconds, words: told } = window.howdah;
  const place = document.getElementById("under-way");
  const run = place.dataset.run;
  const columns = {
    cpu: [["user", "cpu_user"], ["system", "cpu_system"], ["I/O wait", "cpu_iowait"], ["steal", "cpu_steal"]],
    disks: [["read", "disk_read"], ["written", "disk_write"]],
    network: [["received", "net_receive"], ["sent", "net_send"]],
    memory: [["process", "memory_process"], ["page cache", "memory_cached"], ["dirty", "memory_dirty"]],
  };
  const rows = Object.fromEntries(Object.keys(columns).map((id) => [id, []]));
  let log;

  function text(id, words) {
    const one = document.getElementById(id);
    if (one.textContent !== words) one.textContent = words;
  }

  function show(state) {
    if (state.outcome !== "running") {
      stream.close();
      text("headline", `${run}: ${state.outcome}`);
      text("lead", `${state.error} ${state.outcome === "gone" ? "" : "The report follows."}`);
      // A record is written before its report is asked for; a removed run has none.
      if (state.outcome !== "gone") setTimeout(() => location.reload(), 300);
      return;
    }
    const begun = new Map(state.workloads.map((one) => [one.name, one]));
    // What a workload has last said of its progress stays until the next one says something.
    const progress = begun.get(state.progress?.workload)?.outcome === "succeeded" ? null : state.progress;
    const doing = progress ? [progress.workload, progress.phase] : [state.workloads.at(-1)?.name ?? "preparing"];
    text("headline", [...doing, `${seconds(state.elapsed_s)} into the run`].filter(Boolean).join(", "));
    const bar = document.getElementById("progress");
    const share = progress?.total ? Math.min(1, progress.done / progress.total) : null;
    if (share === null) bar.removeAttribute("value");
    else bar.value = share;
    text("advance", [
      // What is under way is not done, however little is left.
      share === null ? "" : `${Math.min(99, Math.floor(100 * share))} % of the work`,
      progress?.tasks ?? "",
      progress === null || state.left_s === null ? "" : `this workload ends in about ${seconds(state.left_s)}`,
    ].filter(Boolean).join(" · "));
    document.getElementById("steps").replaceChildren(...state.planned.map((name) => {
      const item = document.createElement("li");
      const one = begun.get(name);
      const now = progress?.workload === name;
      item.className = now ? "running" : one?.outcome ?? "";
      item.textContent = now ? `${name} …` : one ? `${name} ${one.outcome === "succeeded" ? seconds(one.elapsed_s) : one.outcome}` : name;
      return item;
    }));
    const counts = Object.entries(state.tasks).sort().map(([kind, count]) => `${count} ${kind}`);
    text("task-count", counts.length ? counts.join(", ") : "No task has ended yet.");
    document.getElementById("tasks").closest(".scroll").hidden = state.last_tasks.length === 0;
    document.getElementById("tasks").replaceChildren(...state.last_tasks.map((task) => {
      const row = document.createElement("tr");
      const cells = [`${task.workload} ${task.kind} ${task.task}`, task.worker, task.error ? `${task.state}: ${task.error}` : task.state, seconds(task.start_s), seconds(task.end_s - task.start_s)];
      for (const [at, words] of cells.entries()) {
        const cell = document.createElement(at ? "td" : "th");
        if (!at) cell.scope = "row";
        if (at > 2) cell.className = "n";
        cell.textContent = words;
        row.append(cell);
      }
      return row;
    }));
  }

  function grow({ columns: names, points, whole }) {
    for (const [id, series] of Object.entries(columns)) {
      if (whole) rows[id] = [];
      for (const point of points) {
        for (const [name, column] of series) {
          const value = point[names.indexOf(column)];
          if (value !== null) rows[id].push([point[0], name, value]);
        }
      }
    }
    // A scale of no values at all would be a warning on the console.
    const grown = Object.entries(rows).map(([id, values]) => ({
      id,
      values: { columns: ["time_s", "series", "value"], rows: values.length ? values : [[0, columns[id][0][0], 0]] },
    }));
    document.dispatchEvent(new CustomEvent("howdah:grown", { detail: grown }));
  }

  const stream = listen(place.dataset.events, {
    state: show,
    figures: grow,
    log({ text: words }) {
      log ??= document.getElementById("log");
      const follows = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
      log.textContent = words;
      if (follows) log.scrollTop = log.scrollHeight;
    },
  });

  document.getElementById("stop")?.addEventListener("click", async ({ target }) => {
    if (!confirm(`Stop ${run}? What it has measured so far is kept.`)) return;
    target.disabled = true;
    const said = document.getElementById("stopped");
    said.className = "";
    try {
      await ask("POST", `api/v1/runs/${run}/stop`, undefined, true);
      said.textContent = "The run is stopping.";
    } catch (error) {
      said.className = "fault";
      said.textContent = told(error);
      target.disabled = false;
    }
  });
})();
