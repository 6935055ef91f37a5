"""Regions: their names, the names of their people, and what lies within what."""

from __future__ import annotations

# country: areas that hold it: its other names and what its people and things are called. Underscores stand for spaces.
_COUNTRIES = """
Germany: EU: german germans
France: EU: french
Spain: EU: spanish spaniards
Portugal: EU: portuguese
Italy: EU: italian italians
Poland: EU: polish poles
Austria: EU: austrian austrians
Ireland: EU: irish
Netherlands: EU: dutch holland
Belgium: EU: belgian belgians
Denmark: EU: danish danes
Sweden: EU: swedish swedes
Finland: EU: finnish finns
Greece: EU: greek greeks
Hungary: EU: hungarian hungarians
Romania: EU: romanian romanians
Bulgaria: EU: bulgarian bulgarians
Croatia: EU: croatian croatians
Slovenia: EU: slovenian
Slovakia: EU: slovak
Czechia: EU: czech czech_republic
Estonia: EU: estonian
Latvia: EU: latvian
Lithuania: EU: lithuanian
Luxembourg: EU:
Malta: EU: maltese
Cyprus: EU: cypriot
Norway: EEA: norwegian norwegians
Iceland: EEA: icelandic
Switzerland: Europe DACH: swiss
UK: Europe: united_kingdom britain great_britain british britons
England: UK: english
Scotland: UK: scottish
Wales: UK: welsh
Ukraine: Europe: ukrainian ukrainians
Russia: Europe: russian russians
Turkey: EMEA: turkish
US: AMER: usa united_states america american americans u.s
California: US: californian
Virginia: US:
Texas: US: texan
New_York: US:
Canada: AMER: canadian canadians
Mexico: LATAM: mexican mexicans
Brazil: LATAM: brazilian brazilians
Argentina: LATAM: argentine argentinian
Chile: LATAM: chilean
Colombia: LATAM: colombian
China: Asia: chinese
Japan: Asia: japanese
India: Asia: indian indians
Singapore: Asia: singaporean
South_Korea: Asia: korea korean
Indonesia: Asia: indonesian
Vietnam: Asia: vietnamese
Thailand: Asia: thai
Taiwan: Asia: taiwanese
Israel: EMEA: israeli
United_Arab_Emirates: EMEA: uae
Saudi_Arabia: EMEA: saudi
Egypt: Africa: egyptian
Nigeria: Africa: nigerian
Kenya: Africa: kenyan
South_Africa: Africa: south_african
Australia: APAC: australian australians
New_Zealand: APAC:
EU: EEA: european_union
EEA: Europe: european_economic_area
Europe: EMEA: european europeans
DACH: Europe:
Asia: APAC: asian asians
Africa: EMEA: african africans
LATAM: AMER: latin_america latin_american south_america
AMER: : americas north_america
EMEA: :
APAC: : asia_pacific asia-pacific
"""
# The regions of cloud providers: by the whole code, else by what stands before the direction.
_CODES = {
    "eu-central-1": "Germany",
    "eu-west-1": "Ireland",
    "eu-west-2": "UK",
    "eu-west-3": "France",
    "eu-north-1": "Sweden",
    "eu-south-1": "Italy",
    "ap-south-1": "India",
    "ap-northeast-1": "Japan",
    "ap-northeast-2": "South Korea",
    "ap-southeast-1": "Singapore",
    "ap-southeast-2": "Australia",
    "us-east-1": "Virginia",
    "sa-east-1": "Brazil",
}
_PREFIXES = {
    "eu": "EU",
    "europe": "Europe",
    "us": "US",
    "ap": "APAC",
    "asia": "Asia",
    "ca": "Canada",
    "northamerica": "AMER",
    "sa": "LATAM",
    "southamerica": "LATAM",
    "af": "Africa",
    "me": "EMEA",
    "cn": "China",
    "il": "Israel",
    "uk": "UK",
    "australia": "Australia",
}
# Words of the lower case that are regions only with a capital.
CASED = frozenset({"us", "turkey", "china", "poles", "polish", "swedes", "danes", "english", "french", "german", "america"})


def _tables() -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    names: dict[str, str] = {}
    areas: dict[str, tuple[str, ...]] = {}
    for line in _COUNTRIES.strip().splitlines():
        name, within, others = line.split(":")
        plain = name.replace("_", " ")
        areas[plain] = tuple(area.replace("_", " ") for area in within.split())
        names |= {form.replace("_", " ").lower(): plain for form in (name, *others.split())}
    return names, areas


NAMES, _AREAS = _tables()


def is_code(region: str) -> bool:
    """Whether a region is a cloud provider's code."""
    return "-" in region and region[-1].isdigit()


def area_of_code(code: str) -> str | None:
    """Where a cloud provider's region lies.

    >>> area_of_code("eu-central-1"), area_of_code("us-west-2"), area_of_code("qq-west-1")
    ('Germany', 'US', None)
    """
    return _CODES.get(code) or _PREFIXES.get(code.split("-")[0])


def areas_of(region: str) -> frozenset[str]:
    """All areas that hold a region, without itself.

    >>> sorted(areas_of("Germany"))
    ['EEA', 'EMEA', 'EU', 'Europe']
    """
    held: set[str] = set()
    waiting: list[str | None] = [area_of_code(region)] if is_code(region) else list(_AREAS.get(region, ()))
    while waiting:
        area = waiting.pop()
        if area is not None and area not in held:
            held.add(area)
            waiting += _AREAS.get(area, ())
    return frozenset(held)


def covers(claim: str, premise: str) -> bool:
    """Whether what is said of `premise` holds for `claim`, in a user's words: for an area within it, and for the area of a code.

    >>> covers("EU", "eu-central-1"), covers("Germany", "EU"), covers("EU", "Germany"), covers("European Union", "us-east-1")
    (True, True, False, False)
    """
    if claim == premise or premise in areas_of(claim):
        return True
    return (is_code(premise) and claim in areas_of(premise)) or {claim, premise} <= {"EU", "Europe", "EEA"}
