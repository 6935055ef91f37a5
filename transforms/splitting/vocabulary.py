"""Sets of words and of the parser's labels that several rules share."""

from transforms.vocabulary import vocabulary

SUBJECTS = vocabulary("nsubj nsubjpass csubj csubjpass expl")
AUXILIARIES = vocabulary("aux auxpass")
FINITE_TAGS = vocabulary("VBZ VBP VBD MD")
PLURAL_TAGS = vocabulary("NNS NNPS")
NOUNS = vocabulary("NOUN PROPN")
NOUNS_AND_PRONOUNS = NOUNS | {"PRON"}

BE = vocabulary("is are was were be been being am 's 're 'm")
HAVE = vocabulary("has have had having 've")
QUANTITY_NOUNS = vocabulary(
    "% percent year years day days hour hours minute minutes second seconds week weeks month months degrees watts units unit "
    "volts amps times"
)
# Two words that are one thing, whatever stands between them.
FIXED_PAIRS = vocabulary(
    "terms/conditions research/development pros/cons health/safety supply/demand trial/error profit/loss black/white "
    "plug/play search/rescue copy/paste drag/drop rules/regulations safety/efficacy food/drug arts/crafts bed/breakfast "
    "wear/tear back/forth more/more up/down mergers/acquisitions time/again now/then first/foremost read/write cut/paste "
    "law/order start/stop"
)
