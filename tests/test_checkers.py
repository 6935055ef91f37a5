"""Any sequence classifier in a folder judges: other architectures, shards, long premises; and what cannot judge is refused."""

from __future__ import annotations

import json
import shutil
from bisect import bisect_right

import pytest

from pipelines.options import bundled_checker
from schemas.evidence import Evidence
from transforms.checkers import MAX_TOKENS, check_folder, checker_name, context_length
from transforms.entailment import CheckerConfig, EntailmentChecker, WindowToJudge, judge_all
from transforms.pieces import OVERLAP_TOKENS
from transforms.premises import widen_premises
from transforms.support import Calibration

TEXT = (
    "Audit logs are kept for thirty days in the European region . The pump in hall two runs at fifty hertz . "
    "Invoices are sent on the first day of the month ; refunds take two weeks , unless the card has expired ."
)
THREE = ("contradiction", "neutral", "entailment")
TWO = ("not_entailment", "entailment")
CLAIM = "Audit logs are kept"
PREMISES = ("Audit logs are kept for thirty days .", "The pump runs .", TEXT[:130], "", "Refunds take two weeks " * 3)


def save_tokenizer(folder, kind, **options):
    """Train a tokenizer on TEXT: byte-level BPE as RoBERTa has it, or unigrams as DeBERTa has them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    if kind == "roberta":
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        )
    else:
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator([TEXT], trainer)
    # The claim is numbered as a second segment, which neither model knows.
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>", **options
    )
    fast.save_pretrained(folder)
    return len(fast)


def save_checker(folder, kind="roberta", labels=THREE, positions=None, shard="1GB", **options):
    """Save a random model of a few dozen hidden units with its tokenizer."""
    import torch
    import transformers

    vocabulary = save_tokenizer(folder, kind, **options)
    small = {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 48,
        "max_position_embeddings": positions or (66 if kind == "roberta" else 64),
        "pad_token_id": 1,
        # Far from the usual 0.02, so that different texts get different probabilities.
        "initializer_range": 0.3,
        "id2label": dict(enumerate(labels)),
        "label2id": {label: i for i, label in enumerate(labels)},
    }
    torch.manual_seed(11)
    if kind == "roberta":
        model = transformers.RobertaForSequenceClassification(transformers.RobertaConfig(**small, type_vocab_size=1))
    else:
        relative = {"relative_attention": True, "position_biased_input": False, "position_buckets": 16}
        model = transformers.DebertaV2ForSequenceClassification(
            transformers.DebertaV2Config(**small, **relative, type_vocab_size=0, pos_att_type=["p2c", "c2p"], share_att_key=True)
        )
    model.save_pretrained(folder, max_shard_size=shard)
    return folder


@pytest.fixture(scope="module", params=[("roberta", THREE), ("roberta", TWO), ("deberta", THREE), ("deberta", TWO)], ids=str)
def checker(request, tmp_path_factory):
    kind, labels = request.param
    return EntailmentChecker(CheckerConfig(str(save_checker(tmp_path_factory.mktemp(kind), kind, labels))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_checker(tmp_path_factory.mktemp("folder") / "checker")


def window(premise, claim=CLAIM, number=0, lead=0):
    return WindowToJudge("p", number, premise, claim, lead)


def entailments(judged):
    assert [one.error for one in judged] == [None] * len(judged)
    return [one.probabilities.entailment for one in judged]


def tokens_of(checker, premise):
    return len(checker.tokenizer(premise, CLAIM, verbose=False)["input_ids"])


def words_of(checker, row):
    return checker.tokenizer.decode(row["input_ids"], skip_special_tokens=True)


def test_other_architectures_judge_and_a_batch_changes_nothing(checker):
    windows = [window(premise, number=i) for i, premise in enumerate((*PREMISES, TEXT, TEXT * 5))]
    judged = judge_all(checker, windows)
    alone = [checker.judge([one])[0] for one in windows]
    assert entailments(judged) == pytest.approx(entailments(alone), abs=1e-4)
    assert [one.pieces for one in judged] == [one.pieces for one in alone]
    assert len(set(entailments(judged))) > 3
    for one in judged:
        assert sum(one.probabilities) == pytest.approx(1, abs=2e-4)
    contradicted = any(one.probabilities.contradiction for one in judged)
    assert contradicted == (checker.model.config.num_labels == 3)


def test_two_way_mass_that_is_not_entailment_is_neutral(folder, tmp_path):
    three, two = (save_checker(tmp_path / str(len(labels)), labels=labels) for labels in (THREE, ("Unsupported", "SUPPORTED")))
    assert [EntailmentChecker(CheckerConfig(str(one))).order for one in (three, two)] == [{0: 2, 1: 1, 2: 0}, {0: 1, 1: 0}]


@pytest.mark.parametrize(
    ("kind", "positions", "options", "expected"),
    [
        ("roberta", 66, {}, 64),
        ("roberta", 514, {"model_max_length": 512}, 512),
        ("roberta", 514, {"model_max_length": 128}, 128),
        ("deberta", 512, {}, 512),
        ("deberta", 8192, {}, MAX_TOKENS),
    ],
)
def test_the_context_comes_from_the_model_and_its_tokenizer(tmp_path, kind, positions, options, expected):
    checker = EntailmentChecker(CheckerConfig(str(save_checker(tmp_path, kind, positions=positions, **options))))
    assert checker.max_tokens == expected
    # The longest input that fits is judged whole, one word more in two pieces.
    fits = bisect_right(range(expected), expected, key=lambda n: tokens_of(checker, "days " * n)) - 1
    judged = checker.judge([window("days " * fits), window("days " * (fits + 1))])
    assert [(one.error, one.pieces) for one in judged] == [(None, 1), (None, 2)]


def test_without_positions_in_the_config_the_tokenizer_decides(folder):
    checker = EntailmentChecker(CheckerConfig(str(folder)))
    checker.model.config.max_position_embeddings = -1
    assert context_length(checker.model, checker.tokenizer) == MAX_TOKENS
    checker.tokenizer.model_max_length = 77
    assert context_length(checker.model, checker.tokenizer) == 77


def test_every_word_of_a_long_premise_is_read_with_the_claim_and_what_scopes_it(checker):
    scope = "European ;"
    body = " ".join(f"{word} {i % 10}" for i, word in enumerate(TEXT.split() * 5))
    (rows,) = checker._pieces([window(f"{scope} {body}", lead=len(scope) + 1)])
    (plain,) = checker._pieces([window(f"{scope} {body}")])
    assert len(rows) > len(plain) > 3
    for row in (*rows, *plain):
        assert len(row["input_ids"]) == checker.max_tokens
        assert words_of(checker, row).replace(" ", "").endswith("Auditlogsarekept")
    assert all(words_of(checker, row).startswith(scope) for row in rows)
    whole = checker.tokenizer(f"{scope} {body}", add_special_tokens=False)["input_ids"]
    claim = checker.tokenizer(CLAIM, add_special_tokens=False)["input_ids"]
    room = checker.max_tokens - len(claim) - 3
    step = room - min(OVERLAP_TOKENS, room // 2)
    read = [row["input_ids"][1 : 1 + room] for row in plain]
    starts = [min(i * step, len(whole) - room) for i in range(len(read))]
    assert read == [whole[start : start + room] for start in starts]
    assert starts[-1] + room == len(whole)


def test_a_scope_that_would_crowd_out_the_rest_is_not_repeated(checker):
    (rows,) = checker._pieces([window(TEXT * 3, lead=len(TEXT) * 2)])
    (plain,) = checker._pieces([window(TEXT * 3)])
    assert rows == plain


def test_a_long_premise_is_as_likely_to_entail_as_its_likeliest_piece(checker):
    """2,000 words of filler, and in the last sentence the words that this random model likes best."""
    tails = [f"{word} " * 12 for word in list(dict.fromkeys(TEXT.split()))[:8]]
    fillers = [f"{word} " * 1_990 for word in ("days", "pump", "month")]
    filled = entailments(checker.judge([window(filler) for filler in fillers]))
    least = min(range(len(fillers)), key=filled.__getitem__)
    judged = checker.judge([window(fillers[least] + tail) for tail in tails])
    best = max(range(len(tails)), key=entailments(judged).__getitem__)
    assert judged[best].pieces > 50
    assert judged[best].probabilities.entailment > filled[least] + 0.01
    (rows,) = checker._pieces([judged[best].window])
    pieces = [checker._probabilities([row])[0] for row in rows]
    assert judged[best].probabilities == pytest.approx(max(pieces, key=lambda one: one.entailment), abs=1e-4)


@pytest.mark.model
def test_the_bundled_checker_finds_the_support_at_the_end_of_2000_words():
    checker, support = (
        EntailmentChecker(CheckerConfig(bundled_checker())),
        "Audit logs are stored for thirty days in the European region.",
    )
    things = ("pump", "valve", "ledger", "harbour", "library", "orchard", "tunnel", "printer", "garden", "kiln")
    filler = " ".join(
        f"The {a} in hall {i} was painted green by the {b} team." for i, a in enumerate(things * 3) for b in things[:6]
    )
    filler = " ".join(filler.split()[:1_989]) + "."
    claim = "Audit logs are stored in the European region"
    bare, full = checker.judge([window(filler, claim), window(f"{filler} {support}", claim)])
    assert full.pieces > 3
    assert full.probabilities.entailment > bare.probabilities.entailment
    # The job cuts the same text into windows, none of which outgrows the checker.
    premises = widen_premises(Evidence("e", "1", "d", f"{filler} {support}", "current"), claim)
    assert support in premises[-1].text
    judged = judge_all(checker, [window(premise.text, claim, i, premise.lead) for i, premise in enumerate(premises)][-60:])
    assert {one.pieces for one in judged} == {1}
    assert max(entailments(judged)) >= Calibration.read(bundled_checker()).thresholds["window"]


def test_the_claim_is_never_cut(checker):
    judged = checker.judge([window("The pump", TEXT), window("The pump")])
    assert judged[0].error == "ValueError: the claim is longer than the checker can read (64 tokens); it is never cut"
    assert judged[1].error is None


def test_shards_are_one_model_and_each_file_that_decides_is_in_its_name(folder, tmp_path):
    sharded = save_checker(tmp_path / "checker", shard="20KB")
    shards = sorted(sharded.glob("model-*.safetensors"))
    assert len(shards) > 2
    windows = [window(premise, number=i) for i, premise in enumerate(PREMISES)]
    judged = [judge_all(EntailmentChecker(CheckerConfig(str(one))), windows) for one in (folder, sharded)]
    assert judged[0] == judged[1]
    names = {checker_name(str(sharded))}
    assert names == {checker_name(str(shutil.copytree(sharded, tmp_path / "other" / "checker")))}
    others = ("config.json", "tokenizer.json", "tokenizer_config.json", "spiece.model", "vocab.txt")
    for name in (*(shard.name for shard in shards), *others):
        with (sharded / name).open("ab") as stream:
            stream.write(b" ")
        names.add(checker_name(str(sharded)))
    assert len(names) == len(shards) + len(others) + 1
    (sharded / "README.md").write_text("no file that decides")
    assert checker_name(str(sharded)) in names


@pytest.mark.parametrize(
    ("lost", "made", "message"),
    [
        ("config.json", None, "lacks config.json"),
        ("model.safetensors", None, "lacks safetensors weights: model.safetensors$"),
        ("model.safetensors", "pytorch_model.bin", "lacks safetensors weights: model.safetensors; pytorch_model.bin may run"),
        ("tokenizer.json", None, "lacks a tokenizer: none of tokenizer.json, vocab.txt, "),
    ],
)
def test_a_folder_that_lacks_a_file_is_refused_by_its_name(folder, tmp_path, lost, made, message):
    broken = shutil.copytree(folder, tmp_path / "broken")
    (broken / lost).unlink()
    if made:
        (broken / made).touch()
    with pytest.raises(ValueError, match=f"not a checker folder: '{broken}' {message}"):
        EntailmentChecker(CheckerConfig(str(broken)))


def test_a_lost_shard_is_named(tmp_path):
    sharded = save_checker(tmp_path, shard="20KB")
    lost = sorted(sharded.glob("model-*.safetensors"))[1]
    lost.unlink()
    with pytest.raises(ValueError, match=f"not a checker folder: '{sharded}' lacks safetensors weights: {lost.name}$"):
        check_folder(str(sharded))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"0": "LABEL_0", "1": "LABEL_1"}, "means nothing here: 'LABEL_0'; name its outputs in config.json.*\"id2label\": "),
        (None, r"no entailment label: \[\].*\"id2label\": "),
        ({"0": "entailment"}, "no label but entailment"),
    ],
)
def test_labels_that_say_nothing_are_refused_and_the_message_says_where_to_name_them(folder, tmp_path, labels, message):
    unnamed = shutil.copytree(folder, tmp_path / "unnamed")
    config = json.loads((unnamed / "config.json").read_text())
    (unnamed / "config.json").write_text(json.dumps({**config, "id2label": labels}))
    with pytest.raises(ValueError, match=f"{unnamed}/config.json: the checker has {message}|{unnamed}/config.json: .*{message}"):
        EntailmentChecker(CheckerConfig(str(unnamed)))


def test_weights_without_a_classifier_and_broken_weights_are_refused(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    headless = shutil.copytree(folder, tmp_path / "headless")
    weights = load_file(headless / "model.safetensors")
    body = {name: value for name, value in weights.items() if not name.startswith("classifier.")}
    save_file(body, headless / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ValueError, match=f"the weights of the checker '{headless}' lack classifier.dense.bias, "):
        EntailmentChecker(CheckerConfig(str(headless)))
    (headless / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ValueError, match=f"{headless}/model.safetensors is damaged: .*; copy it again"):
        EntailmentChecker(CheckerConfig(str(headless)))
