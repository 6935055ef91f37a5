"""Agreement with experts: the interval of the difference to word overlap."""

from __future__ import annotations

from pipelines.agreement import LabelledSentence, bootstrap_intervals


def sentences(answers: int, run_right: float, overlap_right: float) -> list[LabelledSentence]:
    """Ten sentences an answer, half of them supported; the first so many of ten are right."""
    return [
        LabelledSentence(
            f"a{i}", "s", j % 2 == 0, (j % 2 == 0) == (j < 10 * run_right), float((j % 2 == 0) == (j < 10 * overlap_right))
        )
        for i in range(answers)
        for j in range(10)
    ]


def difference_interval(labelled: list[LabelledSentence]) -> tuple[float, float] | None:
    intervals = bootstrap_intervals(labelled)
    return intervals.difference if intervals else None


def test_each_side_has_its_own_interval() -> None:
    mixed = [*sentences(5, 1.0, 0.6), *(one._replace(answer_id=f"b{one.answer_id}") for one in sentences(5, 0.4, 0.6))]
    found = bootstrap_intervals(mixed)
    assert found
    assert found.run[0] < 0.7 < found.run[1]
    assert found.overlap == (0.6, 0.6)
    assert found.difference == (found.run[0] - 0.6, found.run[1] - 0.6)


def test_answers_that_are_alike_leave_no_doubt() -> None:
    low, high = difference_interval(sentences(30, 0.8, 0.6)) or (0, 0)
    assert 0.1 < low == high < 0.3


def test_what_is_the_same_does_not_differ() -> None:
    assert difference_interval(sentences(30, 0.6, 0.6)) == (0.0, 0.0)


def test_few_answers_that_disagree_leave_a_wide_interval() -> None:
    mixed = [*sentences(2, 1.0, 0.6), *(one._replace(answer_id=f"b{one.answer_id}") for one in sentences(2, 0.4, 0.6))]
    few = difference_interval(mixed)
    many = difference_interval([one._replace(answer_id=f"{k}-{one.answer_id}") for k in range(20) for one in mixed])
    assert few
    assert many
    assert few[0] < 0 < few[1]
    assert many[1] - many[0] < (few[1] - few[0]) / 3


def test_sentences_of_one_answer_count_as_one_witness() -> None:
    mixed = [*sentences(5, 1.0, 0.6), *(one._replace(answer_id=f"b{one.answer_id}") for one in sentences(5, 0.4, 0.6))]
    clustered = difference_interval(mixed)
    apart = difference_interval([one._replace(answer_id=str(i)) for i, one in enumerate(mixed)])
    assert clustered
    assert apart
    assert clustered[1] - clustered[0] > apart[1] - apart[0]


def test_no_interval_without_both_classes() -> None:
    assert difference_interval([one for one in sentences(3, 0.8, 0.6) if one.expert]) is None
    assert difference_interval([]) is None
