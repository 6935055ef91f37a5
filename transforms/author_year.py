"""Find author-year citations: `Smith (2020) found ...` and `... (Smith, 2020; Lee et al., 2021a)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.vocabulary import vocabulary

# Every repetition is bounded and a name can be read in one way only, so that a match costs no more than its window.
_CAPITAL = f"[{''.join(chr(code) for code in range(0x41, 0x1F00) if chr(code).isupper())}]"
_PARTICLES = r"(?:(?i:van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|zu|zur|al|el|af|bin|ibn)\s|al-|el-|[dl]['’]){0,3}"
_NAME = rf"{_PARTICLES}{_CAPITAL}(?=[^\W\d]|['’-])[^\W\d_]{{0,40}}(?:['’‑-](?!s\b)[^\W\d_]{{1,30}}){{0,3}}"
_GIVEN = rf"(?:{_CAPITAL}[\w.'’-]{{0,20}}\s){{0,2}}"
_INITIALS = rf"(?:{_CAPITAL}\.\s?){{0,3}}"
_ET_AL = r"(?:[*_]{0,2}et\.?\sal\b\.?[*_]{0,2}|and\s(?:colleagues|co-?workers|collaborators)),?"
_YEAR = r"(?:1[5-9]|20)[0-9]{2}[a-z]?(?![^\W_])"
_YEARS = rf"{_YEAR}(?:(?:\s?[,;&]\s?|,?\sand\s)(?:{_YEAR}|[b-k](?![\w.]))){{0,5}}"
_LOCATOR = r"(?:[,:]\s?(?:(?i:pp?|pages?|chap(?:ter)?|ch|fig(?:ure)?|table|sec(?:tion)?|para|eq)\b\.?|§)?\s?[0-9][\w., –-]{0,20})?"


def _authors(others: str) -> str:
    return rf"(?P<first>{_NAME})(?:(?P<others>{others})(?:\s(?:and|&)\s{_GIVEN}(?P<last>{_NAME})|,?\s(?P<et_al>{_ET_AL})))?"


# In running words only a comma before the "and" tells "Smith, Jones, and Lee (2020)" from "In Berlin, Smith and Lee (2020)".
_NARRATIVE = re.compile(
    r"(?<![^\W_])(?<!['’-])" + _authors(rf"(?:(?:,\s{_NAME}){{1,5}},)?") + r"(?P<own>['’]s?)?(?:\*\*)?\s{0,2}"
    rf"(?P<bracket>[(（](?P<years>{_YEARS}){_LOCATOR}[)）])"
)
# A bracket without another in it, but for the year's: [see Smith (2020)].
_BRACKET = re.compile(r"[(（\[【]([^()（）\[\]【】\n\x00]{1,300})[)）\]】]|[(\[]([^()\[\]\n\x00]{1,300}\([0-9]{4}[a-z]?\)) ?[)\]]")
_DATED = re.compile(rf"(?<![^\W_]){_YEAR}|n\.d\.|in press")
_ITEMS = re.compile(rf"\s?;\s?(?![0-9])|(?:(?<=[0-9])|(?<=[0-9][a-z])),\s(?={_NAME}[\s,])(?!(?i:fig|table|chapter|section))")
_SIGNAL = re.compile(
    r"(?:(?:(?:but |and )?see(?: also)?(?:,? e\.g\.)?|cf\.?|e\.g\.|i\.e\.|for example|also|(?:as )?cited in|adapted from"
    r"|sources?:?),?\s)?",
    re.IGNORECASE,
)
_ITEM = re.compile(
    _INITIALS + _authors(rf"(?:,\s{_NAME}){{0,5}},?") + rf"(?P<comma>,)?\s\(?(?P<years>{_YEARS}|n\.d\.|in press)\)?{_LOCATOR}"
)
# What stands before a year with a capital and is nobody.
_NO_NAMES = vocabulary(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept "
    "oct nov dec monday tuesday wednesday thursday friday saturday sunday spring summer autumn fall winter quarter week month "
    "year since from until till in on at by before after during around circa ca about between through to of for as per early "
    "mid late copyright version release edition volume vol issue part chapter section figure fig table appendix model series "
    "updated revised released published accessed retrieved founded established est adopted usa phd msc bsc mba born died built "
    "launched opened effective fiscal season the a an this that these those it they we he she i you both study studies "
    "research researchers results data report reports survey surveys analysis review authors experts critics scientists "
    "evidence others population"
)
# "the Berlin Marathon (2019)", "Acme's Atlas (2020)": a thing, not a person.
_DETERMINED = re.compile(
    r"(?:(?<!\w)(?i:the|an?|this|that|these|those|our|its|their|his|her|my|your|each|every|some|no)|\w['’]s)\s"
    rf"(?:{_CAPITAL}\w{{0,30}}\s){{0,3}}\Z"
)
# What scholars do, and what they do it in.
_VERB = (
    r"(?:(?:report|show|suggest|demonstrat|argu|observ|note|propos|conclud|describ|estimat|claim|measur|introduc|develop|compar"
    r"|examin|investigat|analy[sz]|explor|explain|discuss|review|assert|maintain|contend|emphasi[sz]|highlight|document|reveal"
    r"|indicat|confirm|establish|state|stress|warn|recommend|replicat|test|trace|calculat|comput|defin|hypothesi[sz]|theori[sz]"
    r"|posit|postulat|assess|evaluat|critici[sz]|challeng|question|predict|characteri[sz]|summari[sz]|interview|survey|recruit"
    r"|model|simulat|record|collect|randomi[sz]|enrol|enroll|monitor)(?:e?[sd]?|ed)"
    r"|f(?:ound|inds?)|shown|identif(?:y|ies|ied)|stud(?:y|ies|ied)|writes?|wrote|written|holds?|held|th(?:inks?|ought)"
    r"|points? out|pointed out|put forward)"
)
_WORK = (
    r"(?:stud(?:y|ies)|papers?|articles?|works?|books?|reviews?|(?:meta-)?analys[ei]s|models?|theor(?:y|ies|ems?)|frameworks?"
    r"|findings?|results?|data|experiments?|surveys?|research|arguments?|claims?|accounts?|methods?|approach|algorithms?|definitions?|thesis"
    r"|hypothes[ei]s|reports?|estimates?|concepts?|observations?|conclusions?|proposals?|critiques?|essays?)"
)
_REPORTS = re.compile(
    r"(?:\*\*)?(?:,\swho)?\s{1,2}(?:(?:\w{2,20}ly|also|both|first|then|later|even|ha[sd]|have|d(?:id|oes|o) not)\s){0,2}"
    rf"{_VERB}\b"
)
_WORKS = re.compile(rf"(?:['’]s)?\s{{1,2}}(?:[\w-]{{2,20}}\s){{0,3}}{_WORK}\b")
# "interests in Finland (2008)", "success of Jaws (1975)": these prepositions tell nothing without a scholar's word before.
_CREDITED = re.compile(
    rf"(?:(?:\A|[.!?(])\s{{0,2}}(?i:by|in)|(?<![^\W_])(?i:(?:{_VERB}|{_WORK})\sby"
    r"|(?:as|shown|described|proposed|argued|discussed|suggested|noted|stated|defined|explained|reviewed|summari[sz]ed|outlined"
    r"|cited)\sin"
    r"|(?:models?|theory|work|findings?|results?|methods?|approach|framework|arguments?|definition|algorithm|conclusions?"
    r"|estimates?)\sof"
    rf"|according\sto|see(?:\salso)?|cf\.|following|per))\s{{1,2}}(?:\*\*)?{_INITIALS}\Z"
)
_JOINED = re.compile(r",?\s(?:and|&|or)\s|,\s")


def author_year_labels(text: str, declared: frozenset[str]) -> Iterator[tuple[str, int, int]]:
    """Find the author-year citations of a text in which brackets parsed otherwise are NUL.

    Goes out: each label with the bounds of its bracket. A label is "Name YEAR", "Name and Name YEAR" or "Name et al. YEAR", or
    what `declared` says for it in whatever spelling. Takes time linear in the text.

    >>> list(author_year_labels("Müller (2020) found it (Lee & May, 2019).", frozenset({"lee2019", "Lee and May, 2019"})))
    [('Müller 2020', 7, 13), ('Lee and May, 2019', 23, 40)]
    """
    spellings = {_key(label): label for label in sorted(declared, reverse=True)} | {label: label for label in declared}
    found = {bracket.span(): _bracket_labels(bracket[1] or bracket[2], spellings) for bracket in _BRACKET.finditer(text)}
    inside = {position for (start, end), labels in found.items() if labels for position in range(start + 1, end)}
    for chain in _chains(text):
        found.update((bounds, labels) for bounds, labels in _chain_labels(text, chain, spellings) if bounds[0] not in inside)
    yield from ((label, start, end) for (start, end), labels in found.items() for label in labels)


def _key(label: str) -> str:
    """What "Smith & Lee, 2020", "(Smith and Lee 2020)" and "smithlee2020" have in common."""
    return re.sub(r"[\W_]+|and", "", label.casefold())


def _spelling(label: str, spellings: dict[str, str]) -> str | None:
    """The declared spelling of a label, if there is one."""
    return spellings.get(label) or spellings.get(_key(label))


def _any_declared(labels: list[str], spellings: dict[str, str]) -> bool:
    return any(_spelling(label, spellings) for label in labels)


def _as_declared(labels: list[str], spellings: dict[str, str]) -> list[str]:
    return [_spelling(label, spellings) or label for label in labels]


def _labels(work: re.Match[str]) -> list[str]:
    """One label a year: in "2019a, b" and "2019, 2021" there are two."""
    name = work["first"]
    if work["et_al"] or (work["others"] or "").strip(","):
        name += " et al."
    elif work["last"]:
        name += f" and {work['last']}"
    years: list[str] = []
    for year in re.findall(rf"{_YEAR}|n\.d\.|in press|\b[b-k]\b", work["years"]):
        years.append(years[-1][:4] + year if len(year) == 1 else year)
    return [f"{name} {year}" for year in years]


def _chains(text: str) -> list[list[re.Match[str]]]:
    """Works named in one breath, as in "Smith (2020) and Lee (2021) found": what is said of one is said of all."""
    chains: list[list[re.Match[str]]] = []
    for work in _NARRATIVE.finditer(text):
        if chains and _JOINED.fullmatch(text, chains[-1][-1].end(), work.start()):
            chains[-1].append(work)
        else:
            chains.append([work])
    return chains


def _chain_labels(text: str, chain: list[re.Match[str]], spellings: dict[str, str]) -> Iterator[tuple[tuple[int, int], list[str]]]:
    """The bounds of each bracket with its labels, where the words around or a declaration say that a work is cited."""
    cited = any(_is_cited(text, work) for work in chain)
    for work in chain:
        labels = _labels(work)
        if cited or _any_declared(labels, spellings):
            yield work.span("bracket"), _as_declared(labels, spellings)


def _is_cited(text: str, work: re.Match[str]) -> bool:
    """Whether a year behind a name is a citation's: a film, a city or a program may stand there too, so the words around decide."""
    before, after = text[max(0, work.start() - 60) : work.start()], text[work.end() : work.end() + 80]
    if work["et_al"] or _is_no_name(work) or _DETERMINED.search(before):
        return bool(work["et_al"])
    owned = work["own"] or after.startswith(("'s", "’s"))
    return bool(_WORKS.match(after) if owned else _REPORTS.match(after) or _CREDITED.search(before))


def _is_no_name(work: re.Match[str]) -> bool:
    # One of two may be a month: March and Simon (1958).
    return all(name.casefold() in _NO_NAMES for name in (work["first"], work["last"]) if name)


def _bracket_labels(content: str, spellings: dict[str, str]) -> list[str]:
    """The labels of a bracket that holds names and years; none unless every item fits."""
    if not _DATED.search(content):
        return []
    if spellings.get(content.strip()) == content.strip():
        return [content.strip()]
    items = [_item_labels(item, spellings) for item in _ITEMS.split(" ".join(re.sub(r"[*_]", "", content).split()))]
    return [label for labels in items for label in labels] if all(items) else []


def _item_labels(item: str, spellings: dict[str, str]) -> list[str]:
    """The labels of one work in a bracket, "see Smith, 2020"; none where it is no work."""
    item = _SIGNAL.sub("", item, count=1)
    if known := _spelling(item, spellings):
        return [known]
    work = _ITEM.fullmatch(item)
    labels = _labels(work) if work else []
    if work and not _any_declared(labels, spellings) and not _has_form(work):
        return []
    return _as_declared(labels, spellings)


def _has_form(work: re.Match[str]) -> bool:
    """Whether an item in a bracket looks like a citation: with a comma it does, "(Berlin, 2020)" included, as no rule tells a city
    from a surname."""
    if not work["comma"] and not work["years"][0].isdigit():
        return False
    is_acronym = work["first"].isupper() and not (work["comma"] and len(work["first"]) > 2)
    return bool(work["et_al"]) or not (is_acronym or _is_no_name(work))
