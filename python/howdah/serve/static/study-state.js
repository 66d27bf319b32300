// A study's matrix, renewed whenever the study has come further.
(() => {
  "use strict";
  const { listen } = window.howdah;
  const study = document.getElementById("matrix").dataset.study;

  async function renew() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const focused = document.activeElement?.closest("#matrix") && document.activeElement.getAttribute("href");
    document.getElementById("matrix").replaceWith(document.adoptNode(page.getElementById("matrix")));
    if (focused) document.querySelector(`#matrix a[href="${CSS.escape(focused)}"]`)?.focus();
  }

  listen(`api/v1/studies/${study}/events`, { study: renew }, renew);
})();
