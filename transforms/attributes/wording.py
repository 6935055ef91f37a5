"""Read polarity, modality and aggregation: what negates, which way it goes, how far it binds, of how many it holds."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.attributes.lists import word_table
from transforms.attributes.record import FUNCTION_WORDS, Reading, stem

# kind of negation: its words. `without` and `except` negate what follows them, not the sentence.
_NEGATIONS = word_table("""
    not: not never neither nor cannot unable no_longer
    none: no none nobody nothing nowhere no_one
    lacks: lack lacks lacked lacking excludes exclude excluded fail_to fails_to failed_to refuses refused
    forbidden: forbidden prohibited banned forbids prohibits disallowed
    without: without
""")
# axis and side: its words. Two texts differ where one names only one side of an axis and the other only the other.
_DIRECTIONS = word_table("""
    change+: rise rises rose risen rising increase increases increased increasing grow grows grew grown growing growth gain
    change+: gains gained
    change+: went_up goes_up going_up go_up
    change-: went_down goes_down going_down go_down
    change+: climb climbs climbed climbing surge surged higher raise raises raised raising more expand expanded expands
    change+: improve improved
    change-: fall falls fell fallen falling decrease decreases decreased decreasing drop drops dropped dropping decline
    change-: declines declined
    change-: shrink shrinks shrank shrunk lower lowers lowered lowering less fewer reduce reduces reduced reducing reduction
    change-: declining
    change-: worsen worsened cut cuts
    speed+: faster quicker accelerate accelerates accelerated
    speed-: slower slow slows slowed
    size+: larger bigger
    size-: smaller
    length+: longer extend extends extended
    length-: shorter shorten shortens shortened
    level+: above over exceeding exceeds
    level-: below under
    switch+: enabled turned_on switched_on activated turn_on switch_on
    switch-: disabled turned_off switched_off deactivated turn_off switch_off
    success+: succeeds succeeded success passed
    success-: fails failed failure
    order+: after
    order-: before
    inclusion+: includes included include
    inclusion-: excludes excluded exclude
    openness+: open opens opened
    openness-: closed close closes
    win+: won win wins
    win-: lost lose loses
    add+: added adds add introduced
    add-: removed removes remove
    allow+: allowed permitted allows permits
    allow-: forbidden prohibited banned forbids prohibits
""")
_MODALS = word_table("""
    obligation: must shall required requires require mandatory obligatory compulsory obliged need needs needed has_to
    obligation: have_to had_to
    advice: should ought recommended recommends recommend advised advises
    possibility: might may can could possible possibly perhaps maybe potentially optional optionally be_able_to is_able_to
    possibility: are_able_to
    permission: allowed permitted allows permits entitled
    plan: planned plans plan_to planning intends intend scheduled proposed proposes upcoming will expected expects
    condition: if unless provided_that only_when as_long_as subject_to on_condition in_case depending_on
    exception: except excluding apart_from other_than with_the_exception
    certainty: always certainly definitely guaranteed invariably
    frequency: usually typically generally mostly normally
""")
_QUANTIFIERS = word_table("""
    all: all every each everyone everybody everything any entire anyone
    most: most majority
    some: some few several certain many
    none: none nobody no_one neither
    half: half
    average: on_average average averages averaged mean median
    total: in_total overall altogether combined
""")
_PAIRS = frozenset(phrase for table in (_NEGATIONS, _DIRECTIONS, _MODALS, _QUANTIFIERS) for phrase in table if " " in phrase)
_PAIR_FIRST = frozenset(phrase.split()[0] for phrase in _PAIRS)
_PLAIN = frozenset(word for table in (_NEGATIONS, _DIRECTIONS, _MODALS, _QUANTIFIERS) for word in table) | _PAIR_FIRST
_WEAK = FUNCTION_WORDS | {"longer", "ever", "been", "able", "yet", "to", "be"}
_ONCE_IN = frozenset({"two", "three", "four", "five", "six", "ten", "twelve", "few", "other"})
# How many content words an operator acts on: the first of them is the verb or noun that it changes.
TARGETS = 2


def note_wording(reading: Reading) -> None:
    """Find the words of polarity, modality and aggregation, each with the stems of what it acts on."""
    i = 0
    while i < len(reading.words):
        word = reading.words[i]
        if word.low.endswith(("n't", "n’t")):
            reading.note("polarity", "negation", ("not", targets(reading, i)), word.start, word.end, take=False)
            _note_modal(reading, i, i, "can" if word.low[:3] == "can" else word.low[:-3])
        elif word.low in _PLAIN and not (word.low == "may" and _is_taken(reading, i)):
            i = _note_operator(reading, i)
        i += 1


def _note_operator(reading: Reading, i: int) -> int:
    """Record what the word or phrase at i says, and return the index of its last word."""
    low, last = reading.words[i].low, i
    for size in (3, 2):
        phrase = " ".join(reading.low(i + k) for k in range(size))
        if low in _PAIR_FIRST and phrase in _PAIRS:
            low, last = phrase, i + size - 1
            break
    start, end = reading.words[i].start, reading.words[last].end
    if (kind := _NEGATIONS.get(low)) and not reading.taken[start] and f"{low} {reading.low(i + 1)}" != "not only":
        reading.note("polarity", "negation", (kind, targets(reading, last)), start, end, take=False)
    if (side := _DIRECTIONS.get(low)) and not _is_idle(reading, i, low):
        reading.note("polarity", "direction", (side[:-1], side[-1]), start, end, take=False)
    _note_modal(reading, i, last, low)
    if (
        (kind := _QUANTIFIERS.get(low))
        and (not reading.taken[start] or kind == "half")
        and not _is_idle_quantifier(reading, i, low)
    ):
        reading.note("aggregation", kind, kind, start, end, take=False)
    return last


def _note_modal(reading: Reading, i: int, last: int, low: str) -> None:
    kind = "possibility" if low == "cannot" else _MODALS.get(low)
    if kind is None or _is_taken(reading, i):
        return
    if kind == "plan" and low in ("plans", "planned", "scheduled") and reading.low(last + 1) not in ("to", "for"):
        return
    if low in ("need", "needs", "needed", "required") and reading.low(i - 1) in ("no", "the", "a"):
        return
    reading.note("modality", kind, (kind, targets(reading, last)), reading.words[i].start, reading.words[last].end, take=False)


def _is_taken(reading: Reading, i: int) -> bool:
    return bool(reading.taken[reading.words[i].start])


def _is_idle(reading: Reading, i: int, low: str) -> bool:
    """Words of direction that bound a number or belong to a phrase: more than 30, no longer, once more."""
    if low in ("over", "under", "above", "below", "before", "after"):
        return not (reading.low(i + 1)[:1].isdigit() or _is_taken(reading, i))
    if low == "more" or low == "less":
        return _is_taken(reading, i) or reading.low(i - 1) in ("any", "once", "no", "or", "even")
    if low == "longer":
        return reading.low(i - 1) in ("no", "any", "or") or _is_taken(reading, i)
    return _is_taken(reading, i)


def _is_idle_quantifier(reading: Reading, i: int, low: str) -> bool:
    before, following = reading.low(i - 1), reading.low(i + 1)
    if low == "any":
        return (
            before in ("not", "without", "at", "in")
            or following in ("more", "longer", "other")
            or "if" in (before, reading.low(i - 2))
            or before.endswith("n't")
        )
    if low == "most":
        # Most users, most of them; the most famous is none.
        return following != "of" and (
            before in ("at", "the", "very") or not (following.endswith("s") or following in ("people", "staff"))
        )
    if low in ("all", "whole", "entire"):
        return before in ("at", "after", "above") or following in ("over", "your", "my", "day", "night")
    if low in ("each", "every"):
        return following == "other" or following[:1].isdigit() or following in _ONCE_IN
    if low in ("few", "several", "many", "certain"):
        return before in ("how", "as", "too", "so", "a") and low != "few"
    return low == "half" and following not in ("of", "the", "all", "its", "their")


def targets(reading: Reading, last: int) -> tuple[str, ...]:
    """The stems of the content words behind an operator, within its sentence."""
    return tuple(stem(word) for word in _content_after(reading, last))


def _content_after(reading: Reading, last: int) -> Iterator[str]:
    found, sentence = 0, reading.words[last].sentence
    for word in reading.words[last + 1 : last + 9]:
        if word.sentence != sentence or word.low in ";:" or found == TARGETS:
            return
        if word.low not in _WEAK and word.low[0].isalnum():
            found += 1
            yield word.low
