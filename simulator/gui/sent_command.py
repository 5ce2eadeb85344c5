"""The last command of a widget, until the simulation answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.session.run.client import Status


class SentCommand:
    """What became of the last command of a widget."""

    def __init__(self) -> None:
        self._number: int | None = None

    def wait_for(self, number: int) -> None:
        """Set the number of the command; of one that nothing received it is 0, and that is answered at once."""
        self._number = number

    def answer(self, status: Status) -> str | None:
        """Why the simulation refused the command, "" if it did not; None while there is no answer, and after the first
        call that returned it."""
        number = self._number
        if number is None or status.answered < number:
            return None
        self._number = None
        return status.refusal(number)
