"""Who waits for events is woken once all of them are answered, whichever thread answers."""

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from streamt.catalog.http.waking import Waking


def test_all_who_wait_are_woken_by_answers_of_several_threads() -> None:
    waking = Waking()
    requests: list[list[Future[int]]] = [[Future() for _ in range(1 + at % 3)] for at in range(300)]
    answers = [answer for some in requests for answer in some]

    async def wait() -> None:
        waiting = asyncio.gather(*(waking.all_of(some) for some in requests))
        await asyncio.sleep(0)
        with ThreadPoolExecutor(4) as threads:
            for at in range(4):
                threads.submit(_answer_all, answers[at::4])
            await asyncio.wait_for(waiting, 60)

    asyncio.run(wait())
    assert all(one.done() for one in answers)


def test_one_who_no_longer_waits_is_passed_over() -> None:
    waking, first, second = Waking(), Future[int](), Future[int]()

    async def wait() -> None:
        gone = asyncio.ensure_future(waking.all_of([first]))
        stays = asyncio.ensure_future(waking.all_of([second]))
        await asyncio.sleep(0)
        gone.cancel()
        threading.Thread(target=_answer_all, args=([first, second],)).start()
        await asyncio.wait_for(stays, 60)
        assert gone.cancelled()

    asyncio.run(wait())


def test_an_answer_after_the_loop_is_closed_harms_nobody() -> None:
    waking, answer = Waking(), Future[int]()

    async def give_up() -> None:
        waiting = asyncio.ensure_future(waking.all_of([answer]))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(give_up())
    answer.set_result(1)


def _answer_all(answers: list[Future[int]]) -> None:
    for one in answers:
        one.set_result(1)
