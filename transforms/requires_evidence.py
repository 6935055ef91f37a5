"""Tell the claims that have to be established by evidence from the words around them, by plain rules."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# What is longer than this many characters says something, whatever it starts with.
MAX_LENGTH = 600
MAX_FOREIGN_SHARE = 0.3

_MARKERS_BEHIND = re.compile(r"(?:\s*(?:\[[^\[\]]{1,80}\]|【[^【】]{1,80}】)(?:\([^\s()]{1,300}\))?)+\s*\Z")
_DISCOURSE = re.compile(
    r"(?:(?:however|unfortunately|sorry|i'm sorry|i am sorry|i apologi[sz]e|regrettably|additionally|also|moreover|furthermore"
    r"|finally|overall|in short"
    r"|in summary|to summari[sz]e|in conclusion|that said|and|but|so|(?:yes|no)(?=\s*[,:;–—])|therefore|thus|nevertheless"
    r"|as of now|at this time|currently)\s*[,:;–—]?\s+)+")
_NOTE = re.compile(r"(?:please\s+)?(?:also\s+)?(?:note|be aware|be advised|remember|keep in mind|bear in mind"
    r"|recall)(?:\s+also)?(?:\s*[,:]|\s+that\b)\s*")

# Sources as an assistant speaks of them. `_GIVEN` can only be what it was shown; `_WORK` may be the thing that the answer is about.
_ADJECTIVE = (
    r"(?:provided|given|available|retrieved|supplied|cited|above|current|attached|uploaded|referenced|relevant|shared|search"
    r"|following|your)")
_ADJECTIVES = rf"(?:(?:the|these|those|this|any|any of the|none of the|all of the|my|our|{_ADJECTIVE})\s+)*"
_GIVEN = (
    rf"(?:{_ADJECTIVES}(?:documents?|docs|sources?|contexts?|passages?|excerpts?|snippets?|search results?|texts?|references?"
    rf"|knowledge base|documentation)"
    rf"|{_ADJECTIVES}{_ADJECTIVE}\s+(?:results|information|materials?|evidence|data|articles?|files?|pages?|content)"
    r"|(?:the|this)\s+information)"
    r"(?:\s+(?:provided|given|available|supplied|retrieved|cited|above|i have|i was given|you (?:provided|shared"
    r"|gave me)))*(?:\s+to me)?")
_WORK = (
    r"(?:the|this|these|those)\s+(?:\w+\s+)?(?:polic(?:y|ies)|manuals?|guides?|handbooks?|contracts?|reports?|stud(?:y|ies)"
    r"|papers?|agreements?|faqs?|leaflets?|brochures?|data ?sheets?|catalogues?|rate cards?)")
_NEG = (
    r"(?:do not|don't|does not|doesn't|did not|didn't|cannot|can't|could not|couldn't|fail(?:s|ed)? to|never)\s+(?:\w+ly\s+"
    r"|appear to\s+|seem to\s+|actually\s+)?")
_INFO = (
    r"(?:(?:any|enough|sufficient|specific|explicit|further|more|additional|relevant|clear|direct|detailed|the|an|a|adequate"
    r"|precise|exact|such|much|concrete"
    r"|definitive)\s+)*(?:information|info|details?|mentions?|answers?|references?|guidance|specifics|anything|explanations?"
    r"|indications?|definitions?|statements?|figures?|data|evidence|context)\b")
_ASKING = r"(?:when|how|whether|what|which|who|whom|whose|where|why|if|about|anything|much|so|explicitly|exactly|either)\b"
_IS_NOT = r"(?:(?:is|are|was|were)\s+(?:not|never|nowhere)|isn't|aren't|wasn't|weren't)"
_BEHIND_SOURCE = rf"(?:in|from|by|within|on|based on|using|with|among|of)\s+(?:{_GIVEN}|{_WORK})"

_ABSTENTIONS = tuple(re.compile(pattern) for pattern in (
    # The sources do not say.
    rf"(?:{_GIVEN})\s+{_NEG}(?:mention|specif|state|address|discuss|cover|indicate|describe|clarif|disclose|reveal|explain|answer"
    rf"|detail|define|confirm|touch|go into|elaborate)",
    rf"(?:{_GIVEN}|{_WORK})\s+{_NEG}(?:say|tell|show|make clear)(?:\s+{_ASKING}|\s+us\b|\s*\Z)",
    rf"(?:{_GIVEN}|{_WORK})\s+{_NEG}(?:contain|include|provide|have|give|offer|list|hold|present)\s+{_INFO}",
    rf"(?:{_GIVEN}|{_WORK})\s+(?:contains?|includes?|provides?|ha(?:s|ve|d)|gives?|offers?|makes?)\s+(?:no|little|insufficient"
    rf"|limited)\s+{_INFO}",
    rf"{_WORK}\s+{_NEG}(?:mention|specify|state|indicate|clarify|address)(?:\s+(?!\w*\d)|\s*\Z)",
    rf"(?:{_GIVEN}|{_WORK})\s+(?:is|are|was|were)\s+(?:silent|insufficient|inconclusive|not sufficient|not enough|not clear"
    rf"|unclear)\b",
    rf"(?:nothing|none)\s+{_BEHIND_SOURCE}\s+(?:says|mentions?|states?|address(?:es)?|indicates?|specif(?:y|ies)|discuss(?:es)?"
    rf"|answers?|provides?)",
    r"none of the (?:\w+\s+)?(?:documents|sources|passages|excerpts|results|snippets|articles)\s+(?:say|mention|state|address"
    r"|indicate|specify|discuss|answer|provide|cover|contain|describe)s?",
    # The assistant could not find it.
    r"(?:i|we)\s+(?:was|were|am|are|'m)?\s*(?:could not|couldn't|cannot|can't|unable to|not able to|did not|didn't|do not"
    r"|don't)\s+(?:\w+ly\s+)?(?:find|locate|see|know|determine"
    r"|answer|confirm|verify|identify|access|view|open|tell|say|provide|establish|have\s+(?:access|permission|(?:any\s+|enough\s+"
    r"|sufficient\s+|the\s+|specific\s+)*(?:information|context|data|details|knowledge|answer|evidence)))\b",
    r"i(?:'m| am)\s+not\s+(?:sure|certain|aware|able|permitted|allowed)\b",
    rf"(?:i|we)\s+(?:have|had|found|find|see)\s+(?:no|insufficient)\s+(?:\w+\s+)?(?:{_INFO}|access|permission)",
    r"(?:i|we)\s+(?:only\s+have|have\s+only)\s+(?:information|data|knowledge|documents)\b",
    r"my\s+(?:knowledge|information|training data|data)\s+(?:is|ends|stops|only|cutoff|may|might|does)",
    # There is nothing about it.
    r"there\s+(?:is|was|are|were|'s|isn't|is not|appears to be|seems to be)\s+(?:no|not|insufficient|not enough|conflicting"
    r"|contradictory|any|little)\s*(?:\w+\s+){0,2}?"
    r"(?:mentions?|information|references?|indications?|details?|answers?|guidance|specifics)\b",
    rf"(?:there\s+(?:is|was|are|were)\s+)?(?:no|insufficient|not enough|conflicting)\s+[^,;:]{{1,120}}?\s{_BEHIND_SOURCE}\s*\Z",
    r"no\s+(?:\w+\s+){0,2}?(?:information|mentions?|details?|answers?|guidance|specifics|documents?|sources?|results?|passages?"
    r"|evidence|data)\s+(?:(?:[a-z]+\s+){1,6})?"
    r"(?:is|are|was|were|could be|can be)\s+(?:available|found|provided|given|mentioned|specified|stated|located|present|included)"
    r"(?:\s*\Z|\s+(?:on|about|for|regarding|concerning|in|within|from|to|that|as)\b)",
    r"no\s+(?:\w+\s+){0,2}?(?:information|mentions?|details?|answers?|results?)\s*(?:available|found|provided)?(?:\s+(?:on|about"
    r"|for|regarding|concerning)\b[^,;:]*)?\Z",
    r"(?:insufficient|not enough)\s+(?:information|evidence|context|data|details?)(?:\s+(?:is|was|to|in|for|available|provided)\b"
    r"|\s*\Z)",
    # It is not said, could not be found.
    rf"[^,;:]{{1,160}}?\s{_IS_NOT}\s+(?:\w+ly\s+)?(?:specified|mentioned|stated|provided|given|covered|included|disclosed"
    rf"|available|addressed|found"
    rf"|described|discussed|indicated|listed|defined|present|clear|known|contained|detailed)\s+(?:anywhere\s+)?(?:in|from|by"
    rf"|within)\s+{_GIVEN}\s*\Z",
    rf"[^,;:]{{1,160}}?\s{_IS_NOT}\s+(?:\w+ly\s+)?(?:specified|mentioned|stated|disclosed|indicated|described|clear)\s+(?:in|from"
    rf"|by|within)\s+{_WORK}\s*\Z",
    rf"[^,;:]{{1,160}}?\s{_IS_NOT}\s+(?:\w+ly\s+)?(?:specified|mentioned|stated|disclosed|indicated)\s*\Z",
    rf"[^,;:]{{1,160}}?\s(?:cannot|can't|could not|couldn't)\s+be\s+(?:\w+ly\s+)?(?:determined|answered|confirmed|verified"
    rf"|established|found|inferred|derived)(?:\s*\Z|\s+(?:{_BEHIND_SOURCE}))",
    rf"it\s+(?:is|remains|'s)\s+(?:not clear|unclear|not specified|not stated|unknown|not possible to (?:say|tell|determine"
    rf"|answer))\b(?:\s*\Z|.{{0,40}}?{_BEHIND_SOURCE}|\s+(?:which|what)\s+\w+\s+you\b)",
    # Sources that disagree, are out of date or closed to the reader.
    rf"(?:{_GIVEN})\s+(?:\w+ly\s+)?(?:conflict|contradict|disagree|differ|(?:is|are)\s+(?:conflicting|contradictory|inconsistent"
    rf"|in conflict))\b",
    rf"(?:{_ADJECTIVES})(?:conflicting|contradictory|inconsistent)\s+(?:information|sources|documents|statements|evidence"
    rf"|answers)\b",
    rf"(?:{_GIVEN})\s+(?:may|might|could|seems?|appears?|is|are)\s+(?:to\s+)?(?:be\s+)?(?:\w+ly\s+)?(?:outdated|out of date"
    rf"|out-of-date|stale|obsolete"
    r"|superseded|no longer current|not (?:be\s+)?(?:up to date|up-to-date|current))\b",
    r"you\s+(?:do not|don't|may not|might not)\s+(?:seem to\s+|appear to\s+)?have\s+(?:access|permission|the (?:rights?"
    r"|permissions?))\s+(?:to|for)\s+(?:the|this|these|that|view|see|read)\b",
    rf"access\s+to\s+(?:{_GIVEN})\s+(?:is|was|has been)\s+(?:denied|restricted|not permitted|not available|limited)",
    # The question leaves it open.
    r"(?:the|your)\s+question\s+(?:(?:is|was|seems|appears)\s+(?:to be\s+)?(?:\w+ly\s+)?(?:ambiguous|unclear|too|not|vague|broad"
    r"|underspecified|open)|(?:does not|doesn't)\s+(?:say|specify|state|mention|make clear)|could\s+(?:mean|refer|be))\b",
    r"(?:i|we)\s+(?:would\s+|'d\s+)?need\s+(?:to know\s+)?(?:more|further|additional)\s+(?:information|details?|context)\b"))

# A lead-in that only says what the sources are about: "While the documents mention backups, they do not say ...".
_CONCESSION = re.compile(
    rf"(?:while|although|though)\s+(?:{_GIVEN}|{_WORK})\s+(?:\w+ly\s+)?(?:mention|discuss|describe|cover|refer|provide|contain"
    rf"|list|include|address|talk)[^,]{{0,200}},\s*")
_BASED_ON = re.compile(rf"(?:based on|according to|from|in|within|as per|given)\s+(?:{_GIVEN})\s*,?\s+")
_THEY = re.compile(r"(?:they|it)\s+(?=do(?:es)?\b|did|don't|cannot|can't|fail|contain|ha(?:s|ve)|provide|give)")
_TURN = re.compile(r"\s*;\s*|\s*:\s+|,?\s+(?:but|although|though|whereas|yet)\s+|[,;]\s+(?:however|while|and|so)\s*,?\s+|\s+(?:–|—"
    r"|-)\s+")
# What may follow an abstention without a fact of its own.
_ADVICE = re.compile(
    r"(?:you (?:can|may|might|should|could|would)|i (?:can|could|would|will|'d|'ll|recommend|suggest)|please|it (?:would|may"
    r"|might) be|consider|contact|check|consult|refer|therefore|so|they only (?:mention|discuss|cover|say))\b")

_VERB_LIST = """
    add adjust aim allow apply ask assign attach avoid back begin bring build call cancel change check choose clean clear
    click close combine compare complete configure confirm connect consider consult contact continue copy create cut decide
    delete deploy dial disable disconnect download drag drain drop edit email enable ensure enter examine execute exit
    export extract file fill find fix follow gather get give go grab heat hold identify import include increase insert
    inspect install keep label launch leave let limit list load locate log look make mark measure mix monitor move navigate
    note obtain open pack paste pay pick place plan plug pour prepare press print provide pull push put read reboot record
    reduce refer remember remove rename repeat replace report request reset restart restore retry return review rinse rotate
    run save scan schedule scroll search select send set shake share shut sign skip specify start stay stir stop store
    submit switch take tap tell test tighten toggle touch train try turn type uninstall unplug update upgrade upload use
    verify view visit wait wash watch wear wipe write"""
_VERBS = frozenset(_VERB_LIST.split())
_AFTER_VERB = re.compile(
    r"(?:the|a|an|your|this|that|these|those|it|them|all|any|each|every|both|one|only|its|their|sure|to|on|in|into|at|up|down|out"
    r"|off|with|for|from|by|through|between|if|whether"
    r"|until|over|back|about|as|no|not|and|again|carefully|slowly|gently|\d[\d.,]*|[\"'“‘`*<\[])(?!\w)")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|must|can|may|will|should|shall|does|did|requires|costs|rose|fell|grew|increased|decreased"
    r"|includes|takes|lasts|supports|contains)\b")
_SUBORDINATE = re.compile(r"\b(?:if|when|that|until|unless|where|which|while|before|after|so|because|to|once|whether|and|or)\b|,")
_STEP = re.compile(
    r"(?:(?:please|kindly|then|next|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|now|afterwards?|after that|also|simply"
    r"|just|always|never|do not|don't|step \d+)\s*[,:]?\s+)+")
_CONDITION = re.compile(r"(?:if|when|once|after|before|to|for|in order to)\b[^,]{1,160},\s*(?:then\s+)?(?=(\w+))")

_OPINIONS = re.compile(
    r"i\s+(?:personally\s+|would\s+|'d\s+|really\s+|also\s+|do\s+|strongly\s+|highly\s+|honestly\s+)*(?:think|believe|feel|suggest"
    r"|recommend|suspect|guess|assume|prefer|advise|expect"
    r"|argue|say|imagine)\b|i'd\s+(?:\w+ly\s+)?(?:say|suggest|recommend|advise|argue)\b|in my (?:\w+\s+)?(?:opinion|view"
    r"|experience|judge?ment)\b|personally,|my (?:\w+\s+)?(?:advice|recommendation|suggestion|opinion|view)\b|if you ask me\b")
_METAS = tuple(re.compile(pattern) for pattern in (
    # Greetings and acknowledgements.
    r"(?:hi|hello|hey|greetings|dear|good (?:morning|afternoon|evening))(?:\s+(?:there|all|everyone|team|again|\w+))?\W*\Z",
    r"(?:sure|certainly|of course|absolutely|(?:great|good|excellent|interesting) question|thanks?(?: you)?(?: for .{1,60})?"
    r"|no problem|you're welcome|you are welcome|welcome|okay|ok|yes"
    r"|no|understood|got it|there you go|here you go|here it is|happy to help|glad to help|good luck|correct|right"
    r"|exactly)(?:\s+(?:thing|so much))?\W*\Z",
    r"(?:sure|certainly|of course|absolutely|okay|ok|thanks|great)(?:\s+thing)?\s*[,!.–—-]+\s*(?:here|i |i'|let|happy|glad|below)",
    # Words about the answer itself.
    r"i\s+(?:really\s+)?hope\s+(?:this|that|it|these)\b",
    r"(?:please\s+)?(?:just\s+)?(?:let me know|do not hesitate|don't hesitate|feel free)\b",
    r"(?:if|should) you (?:have|need|want|would like|require|are|'d like)\b.{0,160}\b(?:let me know|feel free|just ask|please ask"
    r"|happy to|glad to|i can|i'll|don't hesitate)",
    r"(?:here|below|above)(?:'s|\s+is|\s+are|\s+you(?:'ll| will| can)? find)\s+(?:a|an|the|some|what|how|your|my|all|more|few"
    r"|several|key|two|three|four|five|six|\d+)\b[^:\d]{0,120}\W*\Z",
    r"(?:the following|this (?:answer|summary|response|list|overview|table)|my answer|the (?:answer|summary|list|table) (?:below"
    r"|above))\s+(?:is|are|was|summari[sz]es|lists|shows|gives|covers)\s+(?:a|an|the|based|my|some|what|how)\b[^:\d]{0,100}\Z",
    r"i(?:'ve| have| will|'ll)\s+(?:also\s+)?(?:summari[sz]ed?|list(?:ed)?|compiled?|organi[sz]ed?|outlined?|explain(?:ed)?|walk"
    r"|go|break|describe|answer|start)\b",
    r"i\s+can\s+(?:also\s+)?(?:help|provide|explain|assist|give|show|look|summari[sz]e)\b",
    r"(?:i am|i'm|i would be|i'd be)\s+(?:happy|glad|here|pleased|an ai|only an ai|just an ai|a language)\b",
    r"as an ai\b",
    r"let(?:'s| us| me)\s+\w",
    r"this (?:is|does) not (?:constitute\s+)?(?:a substitute for\s+)?(?:legal|medical|financial|professional|tax)\b.{0,20}"
    r"\b(?:advice|opinion)",
    r"(?:in summary|to summari[sz]e|in conclusion|overall|in short|conclusion|summary|sources?|references?|note|answer|example"
    r"|steps?|overview|further reading|citations?)\W*\Z",
    rf"(?:based on|according to|from)\s+(?:{_GIVEN}|{_WORK})\W*\Z",
    # A list of sources.
    r"(?:<?https?://\S+>?|www\.\S+)\W*\Z",
    r"(?:sources?|references?)\s*:\s*\S"))
_HEDGES = tuple(re.compile(pattern) for pattern in (
    r"(?:it|this|that|the answer|they|these)\s+(?:really\s+|all\s+|may\s+|might\s+|can\s+|could\s+|will\s+|just\s+)*(?:depends?"
    r"|var(?:y|ies)|differs?)(?:\s+(?:greatly|widely|a lot))?(?:\s+(?:on|by"
    r"|from|with)\s+(?:(?:the|your|several|many|various|a|number|of|different|multiple|individual|specific|exact|other"
    r"|some)\s+)*(?:situations?|contexts?|cases?|case by case|circumstances?|factors?"
    r"|needs|use cases?|things|to case|conditions?))?\W*\Z",
    r"(?:there\s+)?(?:may|might|can|could)\s+(?:also\s+)?be\s+(?:(?:some|other|certain|a few|additional)\s+)*(?:exceptions?"
    r"|limitations?|differences|variations?|factors?|caveats?|changes)\W*\Z",
    r"there (?:may|might|can|could|are|will) (?:also )?(?:be )?(?:(?:some|other|certain|a few|additional|always"
    r"|many)\s+)*(?:exceptions?|limitations?|variations?|factors?|caveats?)\W*\Z",
    r"(?:results|terms|exceptions|conditions|restrictions|limitations|your mileage|mileage|terms and conditions|individual results"
    r"|details|other factors)\s+(?:may|might|can)\s+(?:also\s+)?(?:vary|apply|differ|change|exist)\W*\Z",
    r"(?:this|that|it)\s+(?:is|may|might|can)\s+(?:be\s+)?(?:not\s+)?(?:always|necessarily)\s+(?:be\s+)?(?:the case|so|true"
    r"|apply)\W*\Z",
    r"(?:perhaps|maybe|possibly|probably|it is possible|that is possible)\W*\Z"))
# A lead-in with a number or a marker states something all the same.
_CHECKABLE = re.compile(r"[\[【\d¹²³⁴⁵⁶⁷⁸⁹]")
_LABEL = re.compile(r"\*\*[^*\d]{1,60}\*\*:?\Z")

_KINDS = tuple((kind, re.compile(pattern)) for kind, pattern in (
    ("no_access", r"\b(?:access|permi(?:ssion|tted)|restricted|not allowed|rights?)\b"),
    ("conflicting", r"\b(?:conflict\w*|contradict\w*|disagree\w*|inconsisten\w*|differ)\b"),
    ("stale", r"\b(?:out[- ]?dated|out[- ]of[- ]date|stale|obsolete|superseded|no longer current|not (?:be )?(?:up[- ]to[- ]date"
        r"|current)|cutoff|only have|have only|knowledge|training data)\b"),
    ("underspecified", r"\b(?:your question|the question (?:is|was|does|seems|could)|ambiguous|which \w+ you"
        r"|need (?:to know )?(?:more|further|additional)|clarif\w+ (?:your|the question))\b"),
    ("insufficient", r"\b(?:insufficient|inconclusive|enough|sufficient|adequate|limited|little)\b")))


def evidence_reason(claim: str, sentence: str) -> str | None:
    """Say why a claim needs no evidence; None where it does.

    Comes in: the claim's words without markers, and its sentence as written. Goes out: question, imperative, meta, hedge,
    abstention, opinion or unsupported_language. The rules are for English; they depend on nothing but the words.

    >>> evidence_reason("The provided documents do not say", "The provided documents do not say [1].")
    'abstention'
    >>> evidence_reason("The documents must not be shared", "The documents must not be shared.") is None
    True
    """
    if _foreign_share(claim) > MAX_FOREIGN_SHARE:
        return "unsupported_language"
    tail = _MARKERS_BEHIND.sub("", sentence[-MAX_LENGTH:]).rstrip(" \t\n*_¹²³⁴⁵⁶⁷⁸⁹⁰")
    if tail.endswith(("?", "？")):
        return "question"
    words = _plain(claim)
    if len(words) > MAX_LENGTH:
        return None
    if _abstains(words):
        return "abstention"
    if _OPINIONS.match(_without(_DISCOURSE, words)):
        return "opinion"
    if _is_meta(words, sentence, tail):
        return "meta"
    if any(hedge.match(_without(_DISCOURSE, words)) for hedge in _HEDGES):
        return "hedge"
    return "imperative" if _is_imperative(words) else None


def abstention_kind(claim: str) -> str:
    """Name the reason that an abstention states: no_evidence, insufficient, conflicting, stale, no_access or underspecified.

    >>> abstention_kind("The sources contradict each other")
    'conflicting'
    """
    words = _plain(claim[:MAX_LENGTH])
    return next((kind for kind, pattern in _KINDS if pattern.search(words)), "no_evidence")


def _plain(claim: str) -> str:
    return " ".join(claim.replace("’", "'").casefold().split())


def _without(pattern: re.Pattern[str], words: str) -> str:
    """The words behind the pattern, if they start with it."""
    found = pattern.match(words)
    return words[found.end() :] if found else words


def _foreign_share(text: str) -> float:
    letters = [_is_latin(character) for character in text if character.isalpha()]
    foreign = letters.count(False)
    return foreign / len(letters) if foreign > 2 or foreign == len(letters) > 0 else 0.0


@lru_cache(maxsize=4096)
def _is_latin(letter: str) -> bool:
    return letter.isascii() or letter in "ªºµ" or "LATIN" in unicodedata.name(letter, "")


def _abstains(words: str) -> bool:
    """Whether the words say that there is no answer, and nothing beside it that could be checked."""
    for lead in (_DISCOURSE, _NOTE, _BASED_ON, _DISCOURSE):
        words = _without(lead, words)
    conceded = _without(_CONCESSION, words)
    if conceded != words:
        words = _THEY.sub("the documents ", conceded, count=1)
    if not any(pattern.match(words) for pattern in _ABSTENTIONS):
        return False
    first, *rest = _TURN.split(words)
    held = any(pattern.match(first) for pattern in _ABSTENTIONS)
    return held and all(_ADVICE.match(part) or _abstains(part) for part in rest if part)


def _is_meta(words: str, sentence: str, tail: str) -> bool:
    if tail.endswith((":", "：")) and not _CHECKABLE.search(sentence[-MAX_LENGTH:]):
        return True
    if _LABEL.match(sentence.strip()) and not _FINITE.search(words):
        return True
    return any(meta.match(words) for meta in _METAS) or any(meta.match(_without(_DISCOURSE, words)) for meta in _METAS)


def _is_imperative(words: str) -> bool:
    """Whether the words start with an instruction, by themselves or behind a condition."""
    if _NOTE.match(words):
        return False
    if words.startswith(("please ", "kindly ")):
        return True
    words = _without(_STEP, words)
    condition = _CONDITION.match(words)
    return _is_instruction(words[condition.end() :] if condition else words)


def _is_instruction(words: str) -> bool:
    verb, _, rest = words.partition(" ")
    if verb.endswith(",") and rest.partition(" ")[0].rstrip(",") not in _VERBS:
        return False
    if verb.rstrip(",") not in _VERBS or rest.startswith("of "):
        return False
    if not rest or _AFTER_VERB.match(rest):
        return True
    # "Check valves are closed" tells of valves, "Check valves if they leak" tells what to do.
    clause = _SUBORDINATE.split(rest, maxsplit=1)[0]
    noun, *after = clause.split()[:2] or [""]
    return not _FINITE.search(clause) and not (noun.endswith("s") and _VERBS.intersection(after))
