"""What came of a job, as its log shows it: whether it worked on after something that could end it, came to its end, or
was ended from outside. How bad a finding is follows from that, not from its words."""

from dataclasses import dataclass

from assistant.vocabulary.answers import DiagnosisFinding

from .known_lines import KnownLines
from .signatures import harmful, lasting


@dataclass(frozen=True)
class Span:
    """The first and the last line of one kind of work, 0 where there is none."""

    first: int = 0
    last: int = 0


@dataclass(frozen=True)
class Outcome:
    """``work``: the kinds of work that the log shows (steps, other work, rows of tables), the surest first; ``ended``:
    the line that says that the job came to its end as meant, ``asked``: the line at which a person, the scheduler or
    the cloud ended it, each 0 where there is none or the job worked on after it; ``last_of``: of a finding's code its
    last line, and how many there are."""

    work: tuple[Span, ...]
    ended: int
    asked: int
    last_of: dict[str, tuple[int, int]]

    @property
    def worked(self) -> int:
        """The last line of work."""
        return max(each.last for each in self.work)

    def over(self, found: DiagnosisFinding) -> bool:
        """Whether nothing came of a finding: the job did again what it did before, or came to its end; or it was ended
        from outside before. Hardware that is broken, and what costs speed, is never over."""
        first = found.line or 0
        last, count = self.last_of.get(found.code, (first, 1))
        last = max(last, first)
        if found.code in lasting():
            return False
        again = found.severity == "warning" and count > 1  # it came again, and did nothing before either
        went_on = self._worked_after(first if again else last, as_before=found.code in harmful())
        return went_on or bool(self.ended) or 0 < self.asked <= first

    def _worked_after(self, line: int, *, as_before: bool) -> bool:
        """Whether there is work after a line, of a kind that there was before it; of any kind where there was none,
        unless it must be ``as_before``."""
        before = [each for each in self.work if 0 < each.first < line]
        return any(each.last > line for each in before or (() if as_before else self.work))


def outcome_of(known: KnownLines, rows: tuple[int, int], *, started: bool) -> Outcome:
    """``rows``: where the first test began, and its last row that moved full packets, 0 without one; ``started``:
    the log has the start of a job."""
    steps, other = Span(known.steps.first, known.steps.last), known.seen.get("worked")
    work = (steps, Span(other.first, other.last) if other and other.count > 1 else Span(), Span(*rows))
    worked = max(each.last for each in work)
    ended = max(known.steps.ended_at, known.seen["ended-well"].last if "ended-well" in known.seen else 0)
    last_of = {code: (seen.last, seen.count) for code, seen in known.seen.items()} | known.last_of_others
    ran = max(worked, known.went_on)
    asked = known.asked_after(ran) if ran or not started else 0
    return Outcome(work, ended if ended >= worked else 0, asked, last_of)
