"""What is told once goes to everybody who listens, and nobody who is slow holds it up."""

from __future__ import annotations

import asyncio

import pytest

from howdah.serve.hub import MOST_LISTENERS, Hub, TooManyListeners, encoded


def test_everybody_is_told_and_the_end_ends() -> None:
    async def told() -> list[list[bytes]]:
        hub = Hub()

        async def listen() -> list[bytes]:
            return [message async for message in hub.listen("runs", b"first")]

        listeners = [asyncio.create_task(listen()) for _ in range(3)]
        await asyncio.sleep(0)
        assert hub.count("runs") == 3
        hub.publish("runs", "runs", "{}")
        hub.publish("others", "runs", "{}")
        await asyncio.sleep(0.01)
        hub.close()
        heard = await asyncio.gather(*listeners)
        assert hub.count("runs") == 0
        return heard

    assert asyncio.run(told()) == [[b"first", b"event: runs\ndata: {}\n\n"]] * 3


def test_who_does_not_listen_any_more_is_let_go() -> None:
    async def fill() -> None:
        hub = Hub()
        slow = hub.listen("runs")
        await anext(slow)
        for number in range(100):
            hub.publish("runs", "runs", str(number))
        left = [message async for message in slow]
        assert len(left) < 20

    asyncio.run(fill())


def test_there_is_room_for_so_many() -> None:
    async def crowd() -> None:
        hub = Hub()
        listeners = [hub.listen("runs") for _ in range(MOST_LISTENERS)]
        for listener in listeners:
            await anext(listener)
        with pytest.raises(TooManyListeners):
            hub.check_room()

    asyncio.run(crowd())


def test_an_event_is_as_browsers_read_it() -> None:
    assert encoded("log", '{"text":"a\\nb"}') == b'event: log\ndata: {"text":"a\\nb"}\n\n'
