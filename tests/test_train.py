"""A real run of training, small: two passes over pairs with a rule to learn, stopped and taken up again."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import pytest

from pipelines import train as training
from pipelines.__main__ import main
from pipelines.checkpoints import has_checkpoint, save_checkpoint
from pipelines.dropout import use_byte_dropout
from pipelines.mixture import Pass, TrainingPair
from pipelines.train import TrainingConfig, encode_pairs, length_bucketed, pair_loss, rate_share, train_checker
from schemas.verdicts import LABELS
from transforms.entailment import CheckerConfig, EntailmentChecker, WindowToJudge

NUMBERS = ("three", "four", "five")
TEXT = "The pump runs three hours, four hours or five hours. It runs."
CONFIG = TrainingConfig(threads=1, precision="fp32", max_tokens=32)
PASSES = [
    Pass({"numbers": None}, learning_rate=5e-3, epochs=40, batch_size=20, seed=5),
    Pass({"numbers": 40}, learning_rate=1e-3, epochs=4.5, batch_size=16, seed=6),
]
SHORT = [replace(one, epochs=epochs) for one, epochs in zip(PASSES, (2, 1.5), strict=True)]


def numbers():
    """60 pairs: a claim is entailed if and only if it is the number of its premise."""
    rng = random.Random(1)
    for i in range(60):
        says = NUMBERS[i % 3]
        asks = says if i % 2 else rng.choice([one for one in NUMBERS if one != says])
        label = ("entailment", "supported")[i // 2 % 2] if asks == says else ("contradiction", "unsupported")[i // 2 % 2]
        yield {"id": f"n{i}", "premise": says, "hypothesis": asks, "label": label}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "numbers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in numbers()), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A random BERT of 32 hidden units with a tokenizer of whole words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("base")
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer.train_from_iterator([TEXT], trainers.WordLevelTrainer(special_tokens=special, show_progress=False))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)
    fast.save_pretrained(folder)
    torch.manual_seed(3)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(fast), max_position_embeddings=64, initializer_range=0.1, **size)
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def trained(data, base, tmp_path_factory):
    return train_checker(data, base, tmp_path_factory.mktemp("trained"), CONFIG, PASSES)


@pytest.fixture(scope="module")
def short(data, base, tmp_path_factory):
    """The weights of a run of a few steps that nothing stopped."""
    return weights(train_checker(data, base, tmp_path_factory.mktemp("short"), CONFIG, SHORT))


def weights(folder):
    return {path.parent.name: path.read_bytes() for path in sorted(folder.glob("pass-*/model.safetensors"))}


def test_the_rule_is_learned_and_the_folder_judges(trained):
    checker = EntailmentChecker(CheckerConfig(str(trained)))
    pairs = [(says, asks) for says in NUMBERS for asks in NUMBERS]
    windows = [WindowToJudge("p", i, says, asks) for i, (says, asks) in enumerate(pairs)]
    judged = checker.judge(windows)
    assert [one.error for one in judged] == [None] * len(pairs)
    assert {pair: one.probabilities.entailment > 0.5 for pair, one in zip(pairs, judged, strict=True)} == {
        (says, asks): says == asks for says, asks in pairs
    }


def test_the_folder_says_how_it_came_about(trained, base):
    config = json.loads((trained / "config.json").read_text())
    assert config["id2label"] == {str(i): label for i, label in enumerate(LABELS)}
    assert config["dtype"] == "float16"
    record = json.loads((trained / "training.json").read_text())
    first = record["base"]
    assert (first["base"], first["pairs"], first["steps"]) == (base.name, 60, 40 * 3)
    assert (record["pairs"], record["steps"]) == (40, 4 * 3 + 2)
    assert record["pass"]["learning_rate"] == 1e-3
    assert record["config"]["precision"] == "fp32"


def test_word_embeddings_stay_and_everything_else_moves(trained, base):
    from safetensors.torch import load_file

    before, after = load_file(base / "model.safetensors"), load_file(trained / "model.safetensors")
    still = {name for name, tensor in before.items() if after[f"bert.{name}"].equal(tensor.half())}
    assert still == {"embeddings.word_embeddings.weight"}


def test_a_run_repeats_itself_to_the_bit(short, data, base, tmp_path):
    assert weights(train_checker(data, base, tmp_path, CONFIG, SHORT)) == short


@pytest.mark.parametrize(("stopped_after", "broken"), [(1, False), (4, False), (2, True), (8, False)])
def test_a_stopped_run_goes_on_to_the_same_weights(short, data, base, tmp_path, monkeypatch, stopped_after, broken):
    """Stopped after some checkpoint, the last of which may be half written; two passes have 6 and 5 steps."""
    saved = []

    def save_and_stop(folder, *arguments):
        save_checkpoint(folder, *arguments)
        saved.append(folder)
        if len(saved) == stopped_after:
            if broken:
                (folder / "step.json").unlink()
            raise KeyboardInterrupt

    config = replace(CONFIG, checkpoint_steps=1)
    monkeypatch.setattr(training, "save_checkpoint", save_and_stop)
    with pytest.raises(KeyboardInterrupt):
        train_checker(data, base, tmp_path, config, SHORT)
    assert has_checkpoint(saved[-1]) != broken
    assert not (tmp_path / "model.safetensors").exists()
    train_checker(data, base, tmp_path, config, SHORT)
    assert weights(tmp_path) == short
    # Of the steps that were done, none was done again.
    assert len(saved) == 11 + (stopped_after if broken else 0)


def test_finished_passes_are_not_run_again(short, data, base, tmp_path, monkeypatch):
    train_checker(data, base, tmp_path, CONFIG, SHORT)
    monkeypatch.setattr(training, "_train_pass", lambda *_: pytest.fail("trained again"))
    assert train_checker(data, base, tmp_path, CONFIG, SHORT) == tmp_path
    assert (tmp_path / "model.safetensors").read_bytes() == short["pass-2"]


def test_the_command_trains_on_a_set_of_ones_own(data, base, tmp_path, capsys):
    (tmp_path / "own.yaml").write_text("- {sets: {numbers: 20}, batch_size: 4, learning_rate: 1e-3}\n")
    paths = {"data": data, "base": base, "output": tmp_path / "out", "mixture": tmp_path / "own.yaml"}
    options = [text for name, path in paths.items() for text in (f"--{name}", str(path))]
    assert main(["train", *options, "--threads", "1", "--pairs", "12"]) == 0
    assert "checker:" in capsys.readouterr().out
    record = json.loads((tmp_path / "out" / "training.json").read_text())
    assert (record["pairs"], record["steps"], record["config"]["precision"]) == (12, 3, "bf16")
    EntailmentChecker(CheckerConfig(str(tmp_path / "out")))


def test_an_unknown_precision_is_refused():
    with pytest.raises(ValueError, match="precision must be bf16 or fp32: precision='fp8'"):
        TrainingConfig(precision="fp8")


def test_batches_hold_every_pair_once_an_epoch_and_are_alike_in_length():
    lengths = [1 + i * 7 % 90 for i in range(500)]
    one = Pass({}, epochs=1.5, batch_size=8, seed=2)
    batches = list(length_bucketed(lengths, one))
    assert batches == list(length_bucketed(lengths, one)) != list(length_bucketed(lengths, replace(one, seed=3)))
    # 500 pairs are a pool of 400 and the rest; half an epoch more is 250 pairs.
    assert [len(batch) for batch in batches[:63]].count(8) == 62
    assert sorted(i for batch in batches[:63] for i in batch) == list(range(500))
    assert len({i for batch in batches[63:] for i in batch}) == sum(len(batch) for batch in batches[63:]) == 250
    spreads = [max(lengths[i] for i in batch) - min(lengths[i] for i in batch) for batch in batches]
    assert sum(spreads) / len(spreads) < 5


def test_a_long_pair_loses_the_end_of_its_premise_and_no_word_of_its_claim(base):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(base)
    pairs = [TrainingPair("The pump runs three hours. " * 20, "It runs three.", 0), TrainingPair("It runs.", "It runs.", 0)]
    texts = [" ".join(tokenizer.convert_ids_to_tokens(one["input_ids"])) for one in encode_pairs(tokenizer, pairs, 16)]
    assert texts == [
        "[CLS] the pump runs three hours . the pump runs [SEP] it runs three . [SEP]",
        "[CLS] it runs . [SEP] it runs . [SEP]",
    ]


def test_the_rate_rises_and_falls_in_straight_lines():
    shares = [rate_share(step, 100, 0.06) for step in range(100)]
    assert shares[:7] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1, 1])
    assert shares[6:] == pytest.approx([(100 - step) / 94 for step in range(6, 100)])
    assert [rate_share(0, 1, 0.06), rate_share(0, 2, 0.06)] == [1, 1]


def test_the_loss_is_cross_entropy_or_that_of_not_entailed():
    import torch

    torch.manual_seed(1)
    logits = torch.randn(40, 3, dtype=torch.float64) * 4
    targets = torch.arange(40) % 4
    p = logits.softmax(-1)
    for target in range(3):
        assert pair_loss(logits, torch.full((40,), target)).item() == pytest.approx(
            torch.nn.functional.cross_entropy(logits, torch.full((40,), target)).item()
        )
    assert pair_loss(logits, torch.full((40,), 3)).item() == pytest.approx((-(1 - p[:, 0]).log()).mean().item())
    mixed = sum(
        -math.log(row[target] if target < 3 else 1 - row[0]) for row, target in zip(p.tolist(), targets.tolist(), strict=True)
    )
    assert pair_loss(logits, targets).item() == pytest.approx(mixed / 40)


def test_the_loss_of_a_sure_mistake_is_finite_and_has_a_slope():
    import torch

    logits = torch.tensor([[200.0, 0.0, 0.0]], requires_grad=True)
    loss = pair_loss(logits, torch.tensor([3]))
    loss.backward()
    assert loss.item() == pytest.approx(200 - math.log(2), abs=1e-4)
    assert logits.grad.tolist() == [pytest.approx([1.0, -0.5, -0.5], abs=1e-4)]


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_byte_dropout_drops_its_share_keeps_the_mean_and_repeats_by_seed(rate):
    import torch

    model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.Dropout(rate)), torch.nn.Dropout(0.0))
    noise = use_byte_dropout(model)
    assert [type(one).__name__ for one in (model[0][0], model[1])] == ["ByteDropout", "Dropout"]
    ones = torch.ones(400, 500)
    noise.seed(4)
    first, second = model(ones), model(ones)
    share = round(rate * 256) / 256
    assert (first == 0).double().mean().item() == pytest.approx(share, abs=0.005)
    assert sorted(set(first.flatten().tolist())) == [0, pytest.approx(1 / (1 - share))]
    assert first.mean().item() == pytest.approx(1, abs=0.01)
    # Neighbours are dropped on their own.
    assert ((first[:, 1:] == 0) & (first[:, :-1] == 0)).double().mean().item() == pytest.approx(share**2, abs=0.005)
    assert not first.equal(second)
    noise.seed(4)
    assert model(ones).equal(first)
    assert model.eval()(ones).equal(ones)
