"""What one does on the pages of a server: find, sort, compare, note, plan, ask what if, start, sign in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, Page, expect

from howdah.documents.files import write_plan
from howdah.store.archive import read_annotation
from support import records
from support.browsing import Visitor
from support.command import howdah
from support.comparing import stored_runs
from support.patience import PATIENCE_MS
from support.served import Started, another_site, certificate, started
from support.sim_plans import slots_plan
from support.stored import write_run

pytestmark = pytest.mark.xdist_group("served pages")

PASSWORD = "a password that is long enough"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some runs and a plan."""
    folder = tmp_path_factory.mktemp("using")
    for data in (*stored_runs(2), records.pi(), records.failed()):
        write_run(folder / "runs", data)
    (folder / "plan.yaml").write_text(write_plan(slots_plan()))
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Started]:
    with started(folder, "--allow-runs", "--plan", "plan.yaml") as one:
        yield one


def test_runs_are_found_filtered_and_sorted(visit: Visitor, server: Started) -> None:
    visiting = visit()
    page = visiting.go(server.address)
    rows = page.locator(".runs tbody tr")
    expect(rows).to_have_count(6)
    # The filters are folded until they are wanted; those that are active stay in sight.
    assert not page.locator("#suite").is_visible()
    page.get_by_role("button", name="Filters").click()
    page.locator("#suite").select_option("terasuite")
    page.locator("#outcome").select_option("succeeded")
    expect(rows).to_have_count(4)
    assert "suite=terasuite" in page.url
    page.get_by_role("button", name="Filters").click()
    assert not page.locator("#suite").is_visible()
    expect(page.locator("#active .chip span")).to_have_text(["Suite: terasuite", "Outcome: succeeded"])
    page.locator("#search").fill("1710")
    expect(rows).to_have_count(1)
    page.locator("#search").fill("")
    expect(rows).to_have_count(4)
    page.get_by_role("link", name="elapsed").click()
    expect(page.locator("[data-c='elapsed_s']")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("link", name="elapsed").click()
    expect(page.locator("[data-c='elapsed_s']")).to_have_attribute("aria-sort", "ascending")
    expect(rows.first).to_have_attribute("data-id", "20261120-1710-terasuite")
    page.get_by_role("button", name="Remove the filter Outcome").click()
    expect(rows).to_have_count(5)
    page.get_by_role("button", name="Remove the filter Suite").click()
    expect(rows).to_have_count(6)
    expect(page.locator("#active")).to_be_hidden()
    assert visiting.said == []


def test_ticked_runs_are_compared_from_a_bar_that_stays_in_sight(visit: Visitor, server: Started) -> None:
    visiting = visit()
    page = visiting.go(server.address)
    page.set_viewport_size({"width": 1280, "height": 320})
    bar = page.locator("#compare-bar")
    expect(bar).to_be_hidden()
    compare = page.locator("#compare")
    # Ticked in this order, the first is the baseline.
    page.get_by_role("checkbox", name="1714-pi").check()
    expect(compare).to_be_disabled()
    for name in ("1712", "1713", "1710", "1711"):
        page.get_by_role("checkbox", name=name).check()
    page.evaluate("scrollTo(0, 0)")
    assert bar.evaluate("bar => Math.round(bar.getBoundingClientRect().bottom)") <= 320
    page.get_by_role("button", name=re.compile("Remove .*1714")).click()
    expect(page.locator("#ticked .chip").first).to_contain_text("baseline20261120-1712-terasuite")
    # They stay ticked when another page is looked at in between.
    page.goto(f"{server.address}studies/")
    page.go_back()
    expect(compare).to_have_text("Compare 4 runs")
    expect(page.locator(".tick :checked")).to_have_count(4)
    assert Axe().run(page).response["violations"] == []
    compare.click()
    page.wait_for_selector("html[data-ready=yes]")
    first, *_ = page.url.rpartition("/compare/")[2].split(",")
    assert first == "20261120-1712-terasuite"
    assert "map slots per worker" in page.locator("h1").inner_text()
    again = visit()
    assert again.go(page.url).locator("h1").inner_text() == page.locator("h1").inner_text()
    assert (visiting.said, again.said) == ([], [])


def test_a_note_is_kept_with_the_record_and_needs_the_token(
    visit: Visitor, server: Started, folder: Path
) -> None:
    run = records.pi().record.id
    page = visit().go(f"{server.address}runs/{run}/")
    page.locator(".annotate summary").click()
    page.locator("#tags").fill("good, checked")
    page.locator("#note").fill("<b>After</b> the disks came.")
    page.get_by_role("button", name="Save note and tags").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#annotated")).to_contain_text("needs the token")
    page.get_by_role("button", name="Save note and tags").click()
    dialog = page.get_by_role("dialog", name="Token")
    secret = dialog.get_by_label("Token", exact=True)
    # Whoever looks at the screen does not read it.
    assert secret.get_attribute("type") == "password"
    secret.fill("a wrong token")
    page.keyboard.press("Enter")
    expect(page.locator("#secret-said")).to_contain_text("is wrong")
    assert Axe().run(page).response["violations"] == []
    assert read_annotation(folder / "runs" / run).tags == ()
    secret.fill(server.token)
    page.keyboard.press("Enter")
    expect(page.locator(".strip .note")).to_have_text("<b>After</b> the disks came.")
    kept = read_annotation(folder / "runs" / run)
    assert (kept.tags, kept.note) == (("good", "checked"), "<b>After</b> the disks came.")
    listed = visit().go(f"{server.address}?tag=checked")
    expect(listed.locator(".runs tbody tr")).to_have_count(1)


def test_every_tab_has_the_token_that_one_was_given(visit: Visitor, server: Started, folder: Path) -> None:
    run = records.failed().record.id
    first = visit().go(f"{server.address}#token={server.token}")
    assert server.token not in first.url
    tab = first.context.new_page()
    tab.goto(f"{server.address}runs/{run}/")
    tab.wait_for_selector("html[data-ready=yes]")
    tab.locator(".annotate summary").click()
    tab.locator("#tags").fill("tabbed")
    tab.get_by_role("button", name="Save note and tags").click()
    expect(tab.locator(".strip .tag")).to_have_text(["tabbed"])
    assert read_annotation(folder / "runs" / run).tags == ("tabbed",)
    # No cookie has it, which every other port of this machine would be sent.
    assert first.context.cookies() == []
    # The token of a server that has ended is asked for again.
    tab.evaluate("localStorage.setItem('howdah-token', 'of-another-server')")
    tab.locator(".annotate summary").click()
    tab.locator("#note").fill("Twice.")
    tab.get_by_role("button", name="Save note and tags").click()
    tab.get_by_role("dialog", name="Token").get_by_label("Token", exact=True).fill(server.token)
    tab.keyboard.press("Enter")
    expect(tab.locator(".strip .note")).to_have_text("Twice.")


def test_an_inventory_is_marked_where_it_is_wrong_and_planned_where_it_is_right(
    visit: Visitor, server: Started
) -> None:
    visiting = visit()
    page = visiting.go(f"{server.address}plan/?plan=new")
    title = page.locator("#answer-title")
    expect(title).to_contain_text("32 hosts")
    editor = page.locator("#inventory")
    right = editor.input_value()
    editor.fill(right.replace("memory: 256GiB", "memory: 256 parsecs").replace("kind: ssd", "kind: wood"))
    wrong = [at for at, line in enumerate(right.splitlines(), 1) if "memory" in line or "ssd" in line]
    expect(page.locator(".gutter .wrong")).to_have_text([str(line) for line in wrong])
    assert editor.get_attribute("aria-invalid") == "true"
    # A problem and its hint are two sentences, and the plan of before is out of date.
    expect(page.locator("#faults li").first).to_have_text(re.compile(r"^line \d+ groups.*[^.]\. [A-Z].*\.$"))
    expect(page.locator("#stale")).to_contain_text("Out of date")
    assert all(
        page.locator(f"#{name}").evaluate("part => part.inert") for name in ("answer", "what-if", "values")
    )
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("button", name=f"line {wrong[0]}").click()
    place = editor.evaluate("one => one.value.slice(one.selectionStart, one.selectionEnd)")
    assert "parsecs" in place
    editor.fill(right.replace("count: 32", "count: 16"))
    expect(title).to_contain_text("16 hosts")
    expect(page.locator(".gutter .wrong")).to_have_count(0)
    expect(page.locator("#stale")).to_be_hidden()
    assert not page.locator("#answer").evaluate("part => part.inert")
    page.locator("#need").fill("300TB")
    page.locator("#growth-rate").fill("40%/year")
    page.locator("#years").fill("3")
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(page.locator("#live-growth svg .mark-rect path").first).to_be_visible()
    value = page.locator("#files .why button").first
    value.focus()
    expect(page.locator("#files .why .tip").first).to_be_visible()
    assert visiting.said == []


def test_the_plan_of_the_server_is_opened_and_sliders_show_its_values(
    visit: Visitor, server: Started
) -> None:
    visiting = visit()
    page = visiting.go(f"{server.address}plan/")
    expect(page.locator("h1")).to_have_text("Plan plan.yaml")
    plan = slots_plan()
    (group,) = plan.cluster.inventory.worker_groups
    hosts = str(group.count)
    expect(page.locator("#o-hosts")).to_have_text(hosts)
    slider = page.locator("#s-hosts")
    assert slider.get_attribute("aria-valuetext") == f"{hosts}, as planned"
    box = page.locator(".slider", has=slider)
    expect(box.locator(".range span")).to_have_text(["4", f"planned {hosts}", "256"])
    ticks = box.locator(".ticks i")
    assert ticks.count() == int(slider.get_attribute("max") or 0) + 1
    slider.focus()
    page.keyboard.press("ArrowRight")
    moved = page.locator("#o-hosts").inner_text()
    assert int(moved) > int(hosts)
    assert slider.get_attribute("aria-valuetext") == f"{moved}, planned {hosts}"
    page.get_by_role("link", name="new plan").click()
    expect(page.locator("#answer-title")).to_contain_text("32 hosts")
    assert visiting.said == []


def _times(page: Page) -> dict[str, list[str]]:
    """What every line of the simulated times shows: name, median, interval and change."""
    return {
        name: rest for name, *rest in (row.inner_text().split("\n") for row in page.locator(".time").all())
    }


def _seconds(text: str) -> float:
    """The seconds of a duration as a page shows it; raises ValueError for a blank or a dash."""
    factors = {"s": 1, "min": 60, "h": 3600}
    words = text.split()
    return sum(float(number) * factors[unit] for number, unit in zip(words[::2], words[1::2], strict=True))


def _answered(page: Page, simulator: str, hosts: int) -> dict[str, list[str]]:
    """The lines when the page shows a simulator's answer for so many hosts."""
    expect(page.locator("#times")).to_contain_text(f"{hosts} hosts")
    expect(page.locator("#times")).to_contain_text(simulator)
    return _times(page)


@pytest.mark.exam("pages")
def test_sliders_show_what_the_simulator_answers(visit: Visitor, folder: Path) -> None:
    with started(folder, "--calibration", "published") as server:
        visiting = visit()
        page = visiting.go(f"{server.address}plan/")
        # A few hosts stand for all until every task has been simulated.
        _answered(page, "the quick simulation", 32)
        planned = _answered(page, "the full simulation", 32)
        assert list(planned) == ["whole suite", "teragen", "terasort", "teravalidate"]
        for median, interval in planned.values():
            low, high = interval.split(" to ")
            assert 0 < _seconds(low) < _seconds(median) < _seconds(high)
        whole_s = _seconds(planned["whole suite"][0])
        parts_s = sum(_seconds(planned[name][0]) for name in ("teragen", "terasort", "teravalidate"))
        assert whole_s == pytest.approx(parts_s, rel=0.05)
        bars = page.locator(".time .interval").evaluate_all(
            "all => all.map(bar => ['--low', '--mid', '--high'].map(end => +bar.style.getPropertyValue(end)))"
        )
        assert len(bars) == 4
        assert all(0 < low < middle < high <= 1 for low, middle, high in bars)
        page.locator("#s-hosts").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#o-hosts")).to_have_text("48")
        more = _answered(page, "the full simulation", 48)
        faster = _seconds(more["whole suite"][0]) / whole_s - 1
        assert -0.5 < faster < -0.1
        assert more["whole suite"][2] == f"\N{MINUS SIGN}{-100 * faster:.0f} %"
        page.locator("#s-dataset").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#o-dataset")).to_have_text("100 TB")
        expect(page.locator(".time .change").first).to_contain_text("+")
        page.get_by_role("button", name="Reset to the plan").click()
        expect(page.locator("#o-hosts")).to_have_text("32")
        assert _answered(page, "the full simulation", 32) == planned
        assert visiting.said == []


@pytest.mark.exam("pages")
def test_without_a_calibration_the_page_shows_no_interval(visit: Visitor, server: Started) -> None:
    visiting = visit()
    page = visiting.go(f"{server.address}plan/?plan=new")
    for line in _answered(page, "the full simulation", 32).values():
        assert len(line) == 1
        assert _seconds(line[0]) > 0
    expect(page.locator("#times")).to_contain_text("how far off these times are is unknown")
    assert page.locator(".time .interval").count() == 0
    page.locator("#s-hosts").focus()
    page.keyboard.press("ArrowRight")
    changed = _answered(page, "the full simulation", 48)
    assert changed["whole suite"][-1].startswith("\N{MINUS SIGN}")
    assert visiting.said == []


def test_a_page_that_reads_a_field_which_the_api_lacks_fails(visit: Visitor, server: Started) -> None:
    page = visit().go(f"{server.address}plan/")
    ask = "window.howdah.ask('POST', 'api/v1/inventory/check', { inventory: 'groups: 3' })"
    assert page.evaluate(f"async () => {{ const [one] = await {ask}; return one.line; }}") == 1
    with pytest.raises(Error, match="has no field line_s"):
        page.evaluate(f"async () => {{ const [one] = await {ask}; return one.line_s; }}")


def test_a_run_is_started_from_the_page_and_refused_as_the_command_line_would(
    visit: Visitor, server: Started
) -> None:
    visiting = visit()
    page = visiting.go(f"{server.address}start/#token={server.token}")
    page.locator("#suite").select_option("pi")
    # What an empty field comes to is in it, and its unit beside its name.
    expect(page.locator("#o-samples")).to_have_attribute("placeholder", re.compile(r"^[\d,]+$"))
    expect(page.locator("label[for=o-samples]")).to_have_text("Samples (number, such as 10M)")
    page.locator("#o-maps").fill("many")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#started.fault")).to_contain_text("--maps")
    page.locator("#o-maps").fill("2")
    page.locator("#o-samples").fill("1k")
    expect(page.locator("#command")).to_have_text("howdah run pi --engine local --maps 2 --samples 1k")
    page.get_by_role("button", name="Start", exact=True).click()
    ended = page.locator("#queue tr").first.locator("td").first
    expect(ended).to_contain_text("ended")
    expect(ended.get_by_role("link")).to_have_attribute("href", re.compile(r"^\.\./runs/[\w-]+pi/$"))
    page.locator("#engine").select_option("sim")
    expect(page.locator("#for-plan")).to_be_visible()
    page.locator("#suite").select_option("terasuite")
    page.locator("#o-rows").fill("100M")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#queue tr")).to_have_count(3)
    expect(ended).to_contain_text("ended")
    runs = visit().go(f"{server.address}?engine=sim")
    expect(runs.locator(".runs tbody tr[data-outcome='succeeded']")).to_have_count(1)
    # The refusal is an answer of the server's, which Chromium tells on its console.
    assert [line for line in visiting.said if "409" not in line] == []


def test_a_run_that_was_started_is_led_to_and_stopped_and_what_goes_wrong_is_shown(
    visit: Visitor, server: Started
) -> None:
    page = visit().go(f"{server.address}start/#token={server.token}")
    page.locator("#suite").select_option("ycsb")
    for option, value in (("records", "20k"), ("operations", "2M"), ("target", "5k")):
        page.locator(f"#o-{option}").fill(value)
    page.get_by_role("button", name="Start", exact=True).click()
    # On a busy machine the run before it may still be ending.
    expect(page.locator("#started")).to_contain_text("running · ")
    expect(page.locator("#started a")).to_have_attribute("href", re.compile(r"ycsb/$"))
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#started")).to_have_text("It waits for the run under way.")
    page.locator("#queue tr").nth(1).get_by_role("button", name="Stop").click()
    # The message changes with the state of the run.
    expect(page.locator("#started")).to_contain_text("running · ")
    stop = page.locator("#queue tr").first.get_by_role("button", name="Stop")
    page.route("**/api/v1/starts/*", lambda route: route.abort())
    stop.click()
    expect(page.locator("#started.fault")).to_have_text("the server does not answer.")
    page.unroute("**/api/v1/starts/*")
    stop.click()
    expect(page.locator("#queue tr").first.locator("td").first).to_contain_text("stopped")


@pytest.mark.exam("pages")
def test_an_export_is_read_and_filtered_on_any_web_server(
    visit: Visitor, folder: Path, tmp_path: Path
) -> None:
    done = howdah("serve", "--export", str(tmp_path / "public"), cwd=folder)
    assert done.returncode == 0, done.stderr
    with another_site(tmp_path) as address:
        visiting = visit()
        page = visiting.go(f"{address}public/")
        rows = page.locator(".runs tbody tr:visible")
        before = rows.count()
        page.get_by_role("button", name="Filters").click()
        page.locator("#suite").select_option("pi")
        page.locator("#search").fill(records.pi().record.id)
        expect(rows).to_have_count(1)
        assert before > 1
        assert page.locator(".tick, #compare, .annotate").count() == 0
        rows.get_by_role("link").click()
        page.wait_for_selector("html[data-ready=yes]")
        page.emulate_media(media="print")
        still = page.locator("figure .still").first
        assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
        assert Axe().run(page).response["violations"] == []
        assert visiting.said == []
        assert all(asked.startswith(address) for asked in visiting.asked)


@pytest.mark.exam("pages")
def test_an_export_is_read_from_the_disk_without_any_server(
    visit: Visitor, folder: Path, tmp_path: Path
) -> None:
    done = howdah("serve", "--export", str(tmp_path / "public"), "--plan", "plan.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    visiting = visit()
    page = visiting.go((tmp_path / "public" / "index.html").as_uri())
    page.locator("#search").fill(records.pi().record.id)
    page.locator(".runs tbody tr:visible").get_by_role("link").click()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.locator(".live svg").count() > 0
    page.emulate_media(media="print")
    still = page.locator("figure .still").first
    assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    page.emulate_media(media="screen")
    for name in ("Studies", "Plan", "Predictions", "Runs"):
        page.locator(".site").get_by_role("link", name=name).click()
        # A browser would show what is in a folder under the folder's own name.
        expect(page.locator(".site [aria-current]")).to_have_text(name)
        assert page.url.endswith("/index.html")
    page.locator(".home").click()
    assert page.url == (tmp_path / "public" / "index.html").as_uri()
    assert visiting.said == []


def test_from_elsewhere_one_signs_in_and_comes_to_what_one_asked_for(
    chromium: Browser, tmp_path: Path
) -> None:
    run = write_run(tmp_path / "runs", records.pi()).name
    (tmp_path / "secret").write_text(PASSWORD)
    (tmp_path / "secret").chmod(0o600)
    pem = str(certificate(tmp_path))
    listen = ("--listen", "127.0.0.2", "--certificate", pem, "--password-file", "secret")
    with started(tmp_path, *listen) as server:
        context = chromium.new_context(ignore_https_errors=True)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(f"{server.address}runs/{run}/")
        assert "/sign-in/" in page.url
        assert Axe().run(page).response["violations"] == []
        page.get_by_label("Password or token").fill("not the password")
        page.keyboard.press("Enter")
        expect(page.locator("#signed")).to_contain_text("is wrong")
        page.get_by_label("Password or token").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/runs/{run}/")
        page.wait_for_selector("html[data-ready=yes]")
        # Another tab is signed in, too, and may change things; no script can read what it is signed in by.
        tab = context.new_page()
        tab.goto(f"{server.address}runs/{run}/")
        tab.wait_for_selector("html[data-ready=yes]")
        tab.locator(".annotate summary").click()
        tab.locator("#tags").fill("elsewhere")
        tab.get_by_role("button", name="Save note and tags").click()
        expect(tab.locator(".strip .tag")).to_have_text(["elsewhere"])
        assert tab.evaluate("[document.cookie, localStorage.length, sessionStorage.length]") == ["", 0, 0]
        context.close()
