"""The checker: label names, refusals, poison pairs; and the bundled weights for real."""

from __future__ import annotations

import json

import pytest

from pipelines.options import bundled_checker
from transforms.checkers import checker_name, label_order
from transforms.entailment import CheckerConfig, EntailmentChecker, WindowToJudge, judge_all
from transforms.support import Calibration


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        ({0: "entailment", 1: "neutral", 2: "contradiction"}, {0: 0, 1: 1, 2: 2}),
        ({0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}, {0: 2, 1: 1, 2: 0}),
        ({0: "not_entailment", 1: "entailment"}, {0: 1, 1: 0}),
        ({0: "UNSUPPORTED", 1: "Supported"}, {0: 1, 1: 0}),
    ],
)
def test_labels_are_mapped_by_name(labels, order):
    assert label_order(labels) == order


@pytest.mark.parametrize(
    ("labels", "message"),
    [({0: "LABEL_0", 1: "LABEL_1"}, "means nothing here: 'LABEL_0'"), ({0: "neutral", 1: "contradiction"}, "no entailment label")],
)
def test_a_model_without_entailment_is_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        label_order(labels)


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory):
    """A random two-layer RoBERTa with two labels: another architecture than the bundled one, as a folder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForSequenceClassification

    folder = tmp_path_factory.mktemp("checker")
    words = ["<s>", "<pad>", "</s>", "<unk>", *["logs", "are", "kept", "for", "30", "7", "days", ".", "the", "pump"]]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>", model_max_length=62
    ).save_pretrained(folder)
    torch.manual_seed(7)
    config = RobertaConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        type_vocab_size=1,
        pad_token_id=1,
        num_labels=2,
        id2label={0: "unsupported", 1: "supported"},
        label2id={"unsupported": 0, "supported": 1},
    )
    RobertaForSequenceClassification(config).save_pretrained(folder)
    return folder


def windows(*texts):
    return [WindowToJudge(str(i), 0, premise, hypothesis) for i, (premise, hypothesis) in enumerate(texts)]


def test_any_two_way_model_in_a_folder_judges(tiny_folder):
    checker = EntailmentChecker(CheckerConfig(str(tiny_folder)))
    judged = judge_all(checker, windows(("logs are kept for 30 days .", "logs are kept"), ("the pump", "logs are kept for 7 days")))
    for one in judged:
        assert one.error is None
        assert one.probabilities.contradiction == 0
        assert sum(one.probabilities) == pytest.approx(1, abs=2e-4)


def test_a_poison_pair_costs_only_itself(tiny_folder):
    checker = EntailmentChecker(CheckerConfig(str(tiny_folder)))
    too_long = "logs " * 60
    judged = judge_all(checker, windows(("logs", "logs"), ("logs", too_long), (too_long * 9, "logs")))
    assert [one.error for one in judged] == [
        None,
        "ValueError: the claim is longer than the checker can read (62 tokens); it is never cut",
        None,
    ]
    assert judged[0] == judge_all(checker, windows(("logs", "logs")))[0]


def test_the_name_changes_with_the_weights(tiny_folder, tmp_path):
    import shutil

    other = shutil.copytree(tiny_folder, tmp_path / tiny_folder.name)
    assert checker_name(str(tiny_folder)) == checker_name(str(other))
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "hidden_act": "relu"}))
    assert checker_name(str(tiny_folder)) != checker_name(str(other))


def test_a_missing_folder_is_named():
    with pytest.raises(ValueError, match="no such checker folder: 'nowhere'"):
        EntailmentChecker(CheckerConfig("nowhere"))


@pytest.mark.model
def test_the_bundled_checker_tells_support_from_another_subject():
    checker = EntailmentChecker(CheckerConfig(bundled_checker()))
    threshold = Calibration.read(bundled_checker()).thresholds["sentence"]
    judged = judge_all(
        checker,
        windows(
            ("Audit logs are stored for thirty days in the European region.", "Audit logs are stored in the European region"),
            ("The pump runs at 50 Hz.", "Invoices are sent on the first day of the month"),
            ("The invoice was stored.", "The invoice was not stored"),
        ),
    )
    assert [one.probabilities.entailment >= threshold for one in judged] == [True, False, False]
